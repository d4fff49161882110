//! The Lean that this project builds where none is installed.

use std::{
    env, io,
    path::{Path, PathBuf},
    process::Stdio,
};

use lean_beam_proto::{BeamError, ErrorCode};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader},
    process::Command,
};

use crate::{
    app::{App, Failure},
    output::Progress,
};

/// Names the script, before any search.
const SCRIPT_VARIABLE: &str = "LEAN_BEAM_PORTABLE_LEAN_SCRIPT";
/// Where an installation keeps it, seen from the prefix.
const INSTALLED: &str = "share/lean-beam/portable-lean.sh";
/// Where a checkout keeps it.
const IN_CHECKOUT: &str = "install/portable-lean.sh";
/// How many of the script's last lines explain its failure.
const LAST_LINES: usize = 12;

/// The toolchain's directory. The script builds it where it is missing, which takes a minute.
///
/// # Errors
/// `runtimeSetup` when there is no script, or it fails.
pub(super) async fn toolchain(app: &App) -> Result<PathBuf, Failure> {
    let script = find_script().ok_or_else(no_lean)?;
    app.output
        .remark("No Lean is installed; using a small one of our own, which is built once.");
    let mut progress = app.output.progress("building Lean");
    let toolchain = run(&script, &mut progress).await?;
    Ok(toolchain)
}

fn find_script() -> Option<PathBuf> {
    if let Some(given) = env::var_os(SCRIPT_VARIABLE).filter(|value| !value.is_empty()) {
        return Some(given.into());
    }
    let program = env::current_exe().ok()?;
    beside(&program.canonicalize().unwrap_or(program))
}

/// In the prefix of an installation, or in the checkout in which the program was built.
fn beside(program: &Path) -> Option<PathBuf> {
    let prefix = program.parent()?.parent()?;
    let installed = prefix.join(INSTALLED);
    let in_checkout = prefix.ancestors().map(|above| above.join(IN_CHECKOUT));
    [installed]
        .into_iter()
        .chain(in_checkout)
        .find(|script| script.is_file())
}

/// The script tells on standard error what it does; the last line of its output is the toolchain.
#[expect(
    clippy::disallowed_methods,
    reason = "a script of this project; it is waited for and dies with the demo"
)]
async fn run(script: &Path, progress: &mut Progress) -> Result<PathBuf, BeamError> {
    let mut child = Command::new("sh")
        .arg(script)
        .arg("--print")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| failed(script, &error.to_string(), &[]))?;
    let (Some(mut stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(BeamError::internal("the script was started without pipes"));
    };
    let mut output = String::new();
    let mut said = Vec::new();
    let mut lines = BufReader::new(stderr).lines();
    let listen = async {
        // What the script prints is one path, so its output cannot fill the pipe before it ends.
        while let Some(line) = progress.during(lines.next_line()).await? {
            progress.say(line.trim().to_owned());
            said.push(line);
        }
        progress.during(stdout.read_to_string(&mut output)).await?;
        child.wait().await
    };
    let outcome: io::Result<_> = listen.await;
    match outcome {
        Ok(status) if status.success() => {
            last_line(&output).ok_or_else(|| failed(script, "it named no toolchain", &said))
        }
        Ok(status) => Err(failed(script, &status.to_string(), &said)),
        Err(error) => Err(failed(script, &error.to_string(), &said)),
    }
}

fn last_line(output: &str) -> Option<PathBuf> {
    let line = output.lines().rev().find(|line| !line.trim().is_empty())?;
    Some(line.trim().into())
}

fn failed(script: &Path, reason: &str, said: &[String]) -> BeamError {
    let last = &said[said.len().saturating_sub(LAST_LINES)..];
    let mut message = format!("no Lean could be built ({reason})");
    if !last.is_empty() {
        message = format!("{message}:\n{}", last.join("\n"));
    }
    BeamError::new(ErrorCode::RuntimeSetup, message)
        .with_hint(format!(
            "Install Lean with elan (https://lean-lang.org/install), or see what `sh {} --print` needs.",
            script.display()
        ))
        .with_data(serde_json::json!({ "command": script, "stderr": last }))
}

fn no_lean() -> BeamError {
    BeamError::new(
        ErrorCode::RuntimeSetup,
        "no Lean is installed, and the script that builds a small one is not there",
    )
    .with_hint(format!(
        "Install Lean with elan (https://lean-lang.org/install), or set {SCRIPT_VARIABLE} to the path of portable-lean.sh."
    ))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::output::Output;

    fn script(body: &str) -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("portable-lean.sh");
        fs::write(&path, body).unwrap();
        (directory, path)
    }

    #[tokio::test]
    async fn the_last_line_of_the_scripts_output_is_the_toolchain() {
        let (_directory, path) = script("echo \"asked $1\" >&2\necho noise\necho /tool/chain\n");
        let mut progress = Output::for_tests().progress("x");
        assert_eq!(
            run(&path, &mut progress).await.unwrap(),
            Path::new("/tool/chain")
        );
    }

    #[tokio::test]
    async fn a_failing_script_is_quoted() {
        let (_directory, path) = script("echo first >&2\necho pip is missing >&2\nexit 4\n");
        let mut progress = Output::for_tests().progress("x");
        let error = run(&path, &mut progress).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::RuntimeSetup);
        assert!(
            error.message.contains("exit status: 4"),
            "{}",
            error.message
        );
        assert!(
            error.message.ends_with("first\npip is missing"),
            "{}",
            error.message
        );
        assert!(error.hint.unwrap().contains("elan"));
    }

    #[tokio::test]
    async fn a_script_that_names_nothing_has_failed() {
        let (_directory, path) = script("true\n");
        let mut progress = Output::for_tests().progress("x");
        assert!(run(&path, &mut progress).await.is_err());
    }

    #[test]
    fn the_script_is_found_in_a_prefix_and_in_a_checkout() {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path();
        let program = base.join("target/debug/lean-beam");
        assert_eq!(beside(&program), None);
        for place in [IN_CHECKOUT, "target/share/lean-beam/portable-lean.sh"] {
            let path = base.join(place);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "").unwrap();
            assert_eq!(beside(&program), Some(path));
        }
    }
}
