//! Saving in a project without Lake: `lean` writes into a directory of its own, and the artifacts are moved into
//! place one by one when all of them are there.

use std::{collections::BTreeMap, ffi::OsString, fs, io, path::Path};

use lean_beam_proto::{BeamError, BeamResult, ErrorCode};

use super::{Builds, SavePlan, build, modified, scratch::Scratch, source_is_unchanged};
use crate::imports::{ArtifactPaths, SaveTrace, stamp_of};

pub(super) async fn save(plan: &SavePlan, builds: &Builds) -> BeamResult<ArtifactPaths> {
    let artifacts = ArtifactPaths::of(&plan.root, &plan.module);
    let imports = import_stamps(plan);
    if is_current(plan, &artifacts, &imports) {
        return Ok(artifacts);
    }
    let scratch = Scratch::new(&plan.root).map_err(|error| cannot_write(&plan.root, &error))?;
    let finished = build::run(&plan.tool, arguments(plan, &scratch), builds, |_| {}).await?;
    if !finished.succeeded() {
        return Err(finished.failure(&plan.module));
    }
    if !source_is_unchanged(plan) || import_stamps(plan) != imports {
        return Err(modified(plan));
    }
    install(plan, &scratch, &artifacts, imports)
        .map_err(|error| cannot_write(&artifacts.olean, &error))?;
    Ok(artifacts)
}

/// What would be loaded of the modules that it imports.
fn import_stamps(plan: &SavePlan) -> BTreeMap<String, String> {
    plan.imports
        .iter()
        .filter_map(|import| {
            Some((
                import.clone(),
                stamp_of(&ArtifactPaths::of(&plan.root, import).olean)?,
            ))
        })
        .collect()
}

/// Somebody else has just saved the very same thing.
fn is_current(
    plan: &SavePlan,
    artifacts: &ArtifactPaths,
    imports: &BTreeMap<String, String>,
) -> bool {
    let all_there = [&artifacts.ilean, &artifacts.c]
        .iter()
        .all(|path| path.is_file());
    all_there
        && SaveTrace::read(&artifacts.trace).is_some_and(|trace| {
            trace.source_hash == plan.text.hash_hex()
                && Some(trace.olean) == stamp_of(&artifacts.olean)
                && trace.imports == *imports
        })
        && source_is_unchanged(plan)
}

fn arguments(plan: &SavePlan, scratch: &Scratch) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = vec!["-R".into(), plan.root.clone().into()];
    for (option, name) in [("-o", OLEAN), ("-i", ILEAN), ("-c", C)] {
        arguments.push(option.into());
        arguments.push(scratch.file(name).into());
    }
    arguments.push(plan.source.clone().into());
    arguments
}

const OLEAN: &str = "module.olean";
const ILEAN: &str = "module.ilean";
const C: &str = "module.c";
const TRACE: &str = "module.trace";

/// Moves the artifacts into place. The trace comes last: it vouches for this very olean.
fn install(
    plan: &SavePlan,
    scratch: &Scratch,
    artifacts: &ArtifactPaths,
    imports: BTreeMap<String, String>,
) -> io::Result<()> {
    for path in [&artifacts.olean, &artifacts.c] {
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory)?;
        }
    }
    fs::rename(scratch.file(C), &artifacts.c)?;
    fs::rename(scratch.file(ILEAN), &artifacts.ilean)?;
    fs::rename(scratch.file(OLEAN), &artifacts.olean)?;
    let olean =
        stamp_of(&artifacts.olean).ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
    let trace = SaveTrace {
        source_hash: plan.text.hash_hex(),
        olean,
        imports,
    };
    fs::write(scratch.file(TRACE), serde_json::to_vec(&trace)?)?;
    fs::rename(scratch.file(TRACE), &artifacts.trace)
}

fn cannot_write(path: &Path, error: &io::Error) -> BeamError {
    BeamError::new(
        ErrorCode::SaveFailed,
        format!("cannot write artifacts at {}: {error}", path.display()),
    )
    .with_hint("Check permissions and free space below `.lake/build`.")
}
