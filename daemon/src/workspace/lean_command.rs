//! Which command line starts Lean for a project.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use lean_beam_proto::{BeamError, BeamResult, ErrorCode};
use serde_json::json;

use super::Project;
use crate::{
    config::Config,
    process::{
        ChildSpec,
        locate::{LAKE_VARIABLE, LEAN_VARIABLE, locate},
    },
};

/// The Lean server of `project`: through Lake where there is a lakefile, plain otherwise.
///
/// # Errors
/// `runtimeSetup` with everything that was looked for.
pub(crate) fn lean_command(
    project: &Project,
    config: &Config,
    marker: String,
) -> BeamResult<ChildSpec> {
    let options = lean_options(config);
    let (program, args, environment) = if project.has_lakefile() {
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
    Ok(ChildSpec {
        program,
        args,
        directory: project.root.clone(),
        environment,
        marker,
    })
}

/// Options for every Lean server. `weak.` lets a toolchain that does not know an option ignore it; without
/// it every file of that server would fail.
fn lean_options(config: &Config) -> Vec<OsString> {
    vec![
        format!(
            "-Dweak.server.reportDelayMs={}",
            config.lean.report_delay_ms
        )
        .into(),
    ]
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
fn artifact_directory(root: &Path) -> PathBuf {
    root.join(".lake/build/lib/lean")
}

fn found(name: &str, variable: &str, project: &Project) -> BeamResult<PathBuf> {
    locate(name, variable).map_err(|looked| {
        let why = if name == "lake" { ", and the project has a lakefile" } else { "" };
        BeamError::new(ErrorCode::RuntimeSetup, format!("`{name}` is not found{why} (looked for {})", looked.join(", ")))
            .with_hint(format!("Install Lean with elan, put `{name}` on the PATH of the program that starts the daemon, or set {variable}; then run `lean-beam restart`."))
            .with_data(json!({ "program": name, "looked_for": looked, "root": project.root }))
    })
}
