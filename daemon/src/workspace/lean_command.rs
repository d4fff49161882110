//! Which command line starts Lean for a project.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

use lean_beam_proto::{
    BeamError, BeamResult, ErrorCode,
    programs::{LAKE_VARIABLE, LEAN_VARIABLE, locate},
};
use serde_json::json;

use super::Project;
use crate::{config::Config, process::ChildSpec};

/// What a Lean server is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The user's own documents.
    Documents,
    /// Texts that are tried out.
    Probes,
}

/// Which options a toolchain was seen to refuse.
#[derive(Debug, Default)]
pub(crate) struct OptionSupport {
    refused: AtomicBool,
}

impl OptionSupport {
    /// A server refused an option: the next one gets only what every toolchain takes.
    pub(crate) fn note_refusal(&self) {
        self.refused.store(true, Ordering::Relaxed);
    }

    /// Another toolchain may be installed by now.
    pub(crate) fn forget(&self) {
        self.refused.store(false, Ordering::Relaxed);
    }
}

/// The Lean server of `project`: through Lake where there is a lakefile, plain otherwise.
///
/// # Errors
/// `runtimeSetup` with everything that was looked for.
pub(crate) fn lean_command(
    project: &Project,
    config: &Config,
    purpose: Purpose,
    support: &OptionSupport,
    marker: String,
) -> BeamResult<ChildSpec> {
    let options = lean_options(config, purpose, support);
    let (program, args, mut environment) = if project.has_lakefile() {
        let lake = found("lake", LAKE_VARIABLE, project)?;
        let args = ["serve", "--"]
            .map(OsString::from)
            .into_iter()
            .chain(options)
            .collect();
        (lake, args, Vec::new())
    } else {
        let lean = found("lean", LEAN_VARIABLE, project)?;
        let args = std::iter::once(OsString::from("--server"))
            .chain(options)
            .collect();
        (lean, args, plain_environment(&project.root))
    };
    environment.extend(threads(config));
    Ok(ChildSpec {
        program,
        args,
        directory: project.root.clone(),
        environment,
        marker,
    })
}

/// The program that makes the artifacts of `project`, without arguments.
///
/// # Errors
/// `runtimeSetup` with everything that was looked for.
pub(crate) fn build_tool(
    project: &Project,
    config: &Config,
    marker: String,
) -> BeamResult<ChildSpec> {
    let (program, mut environment) = if project.has_lakefile() {
        (found("lake", LAKE_VARIABLE, project)?, Vec::new())
    } else {
        (
            found("lean", LEAN_VARIABLE, project)?,
            plain_environment(&project.root),
        )
    };
    environment.extend(threads(config));
    Ok(ChildSpec {
        program,
        args: Vec::new(),
        directory: project.root.clone(),
        environment,
        marker,
    })
}

/// How many threads each Lean process may use, where that is configured.
fn threads(config: &Config) -> Option<(OsString, Option<OsString>)> {
    let threads = config.lean.threads?.to_string();
    Some(("LEAN_NUM_THREADS".into(), Some(threads.into())))
}

/// Options for a Lean server. Options of the server itself have no `weak.` form (it is taken, and has no
/// effect); a toolchain that does not know one refuses every file, and is started again without it.
fn lean_options(config: &Config, purpose: Purpose, support: &OptionSupport) -> Vec<OsString> {
    let mut options = Vec::new();
    if !support.refused.load(Ordering::Relaxed) {
        options.push(format!("-Dserver.reportDelayMs={}", config.lean.report_delay_ms).into());
    }
    if purpose == Purpose::Probes {
        // A file that is cut off is full of syntax errors; without this Lean withholds what it found before them.
        options.push("-Dweak.showPartialSyntaxErrors=true".into());
    }
    options
}

/// Without Lake, sources are below the root and artifacts where Lake would put them.
fn plain_environment(root: &Path) -> Vec<(OsString, Option<OsString>)> {
    vec![
        ("LEAN_SRC_PATH".into(), Some(root.as_os_str().to_owned())),
        (
            "LEAN_PATH".into(),
            Some(artifact_directory(root).into_os_string()),
        ),
    ]
}

/// Where the artifacts of a project's own modules are.
pub(crate) fn artifact_directory(root: &Path) -> PathBuf {
    root.join(".lake/build/lib/lean")
}

fn found(name: &str, variable: &str, project: &Project) -> BeamResult<PathBuf> {
    locate(name, variable).map(|found| found.path).map_err(|looked| {
        let why = if name == "lake" { ", and the project has a lakefile" } else { "" };
        BeamError::new(ErrorCode::RuntimeSetup, format!("`{name}` is not found{why} (looked for {})", looked.join(", ")))
            .with_hint(format!("Install Lean with elan, put `{name}` on the PATH of the program that starts the daemon, or set {variable}; then run `lean-beam restart`."))
            .with_data(json!({ "program": name, "looked_for": looked, "root": project.root }))
    })
}
