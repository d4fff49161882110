//! Which Lean the demo uses.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use lean_beam_proto::{BeamError, ErrorCode};
use serde::Serialize;
use tokio::{process::Command, time::timeout};

use super::portable;
use crate::app::{App, Failure};

/// Names the `lean` program, before any search.
pub(super) const LEAN_VARIABLE: &str = "LEAN_BEAM_LEAN";

/// A Lean says its version at once, but a version manager may look around first.
const ANSWER_LIMIT: Duration = Duration::from_secs(20);

/// A Lean that works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(in crate::commands) struct Lean {
    /// The program itself, behind any version manager.
    pub(in crate::commands) program: PathBuf,
    /// What it says about itself, such as `4.35.0`.
    pub(in crate::commands) version: String,
    /// True for the one that this program built for itself.
    pub(in crate::commands) portable: bool,
}

/// The user's Lean, else the portable one, which is built where it is missing.
pub(super) async fn find(app: &App) -> Result<Lean, Failure> {
    let mut progress = app.output.progress("looking for Lean");
    for candidate in candidates(|name| env::var_os(name).filter(|value| !value.is_empty())) {
        if let Some(lean) = progress.during(examine(&candidate, false)).await {
            return Ok(lean);
        }
    }
    drop(progress);
    let toolchain = portable::toolchain(app).await?;
    let program = toolchain.join("bin/lean");
    examine(&program, true)
        .await
        .ok_or_else(|| Failure::Request(useless(&program)))
}

/// The places to look at, best first: the variable, `PATH`, elan's directories.
fn candidates(variable: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let path = variable("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path).map(|directory| directory.join("lean"));
    let elan = variable("ELAN_HOME").map(|home| PathBuf::from(home).join("bin/lean"));
    let home = variable("HOME").map(|home| PathBuf::from(home).join(".elan/bin/lean"));
    let mut candidates: Vec<_> = variable(LEAN_VARIABLE)
        .map(PathBuf::from)
        .into_iter()
        .collect();
    candidates.extend(on_path.chain(elan).chain(home));
    candidates.retain(|candidate| candidate.is_absolute() && candidate.is_file());
    candidates
}

/// The Lean at `program`, if it is one and works.
async fn examine(program: &Path, portable: bool) -> Option<Lean> {
    let version = version_number(&answer(program, "--version").await?)?;
    // A version manager would choose again in the demo's project; the toolchain behind it does not.
    let prefix = answer(program, "--print-prefix").await.unwrap_or_default();
    let behind = PathBuf::from(prefix.trim()).join("bin/lean");
    let program = if behind.is_absolute() && behind.is_file() {
        behind
    } else {
        program.to_owned()
    };
    Some(Lean {
        program,
        version,
        portable,
    })
}

#[expect(
    clippy::disallowed_methods,
    reason = "a short question to Lean itself; the child dies with the question"
)]
async fn answer(program: &Path, option: &str) -> Option<String> {
    let child = Command::new(program)
        .arg(option)
        .current_dir("/")
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = timeout(ANSWER_LIMIT, child).await.ok()?.ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// `4.35.0` out of `Lean (version 4.35.0, x86_64-unknown-linux-gnu, ...)`.
pub(in crate::commands) fn version_number(text: &str) -> Option<String> {
    let (_, behind) = text.strip_prefix("Lean (")?.split_once("version ")?;
    let number = behind.split([',', ')', ' ']).next()?;
    (!number.is_empty()).then(|| number.to_owned())
}

fn useless(program: &Path) -> BeamError {
    BeamError::new(
        ErrorCode::RuntimeSetup,
        format!("{} does not answer `--version`", program.display()),
    )
    .with_hint("Remove that toolchain and run the demo again, or install Lean with elan.")
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use super::*;

    fn program(directory: &Path, name: &str, body: &str) -> PathBuf {
        let path = directory.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    #[test]
    fn places_are_looked_at_in_order_and_only_where_there_is_a_file() {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path();
        let on_path = program(base, "bin/lean", "");
        let in_elan = program(base, "elan/bin/lean", "");
        let given = program(base, "given", "");
        let all = candidates(|name| match name {
            LEAN_VARIABLE => Some(given.clone().into()),
            "PATH" => Some(format!("relative:{0}/none:{0}/bin", base.display()).into()),
            "ELAN_HOME" => Some(base.join("elan").into()),
            "HOME" => Some(base.into()),
            _ => None,
        });
        assert_eq!(all, [given, on_path, in_elan]);
    }

    #[tokio::test]
    async fn the_toolchain_behind_a_version_manager_is_used() {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path();
        let real = program(base, "toolchain/bin/lean", "");
        let proxy = program(
            base,
            "proxy",
            &format!(
                "case $1 in --version) echo 'Lean (version 4.9.1, x, commit y, Release)';; *) echo {}/toolchain;; esac",
                base.display()
            ),
        );
        let lean = examine(&proxy, false).await.unwrap();
        assert_eq!((lean.program, lean.version.as_str()), (real, "4.9.1"));
    }

    #[tokio::test]
    async fn a_program_that_is_no_lean_is_passed_over() {
        let directory = tempfile::tempdir().unwrap();
        let failing = program(directory.path(), "failing", "exit 1");
        let other = program(directory.path(), "other", "echo hello");
        assert_eq!(examine(&failing, false).await, None);
        assert_eq!(examine(&other, false).await, None);
        assert_eq!(examine(Path::new("/nonexistent/lean"), false).await, None);
    }

    #[test]
    fn version_lines_of_all_kinds_are_read() {
        let read = |text| version_number(text);
        assert_eq!(
            read("Lean (version 4.35.0, x86_64, commit e, Release)\n").as_deref(),
            Some("4.35.0")
        );
        assert_eq!(
            read("Lean (version 4.9.0-rc1, Release)").as_deref(),
            Some("4.9.0-rc1")
        );
        assert_eq!(read("elan 3.1"), None);
    }
}
