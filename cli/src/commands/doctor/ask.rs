//! Short questions to other programs.

use std::{ffi::OsStr, io, path::Path, process::Stdio, time::Duration};

use tokio::{process::Command, time::timeout};

/// A program says its version at once, but a version manager may look around first.
const LIMIT: Duration = Duration::from_secs(20);
/// How much of what a program says about its failure is shown, in characters.
const SHOWN_CHARACTERS: usize = 300;

/// Runs `program` in `directory`; its standard output, or why there is none.
pub(super) async fn ask(
    program: &Path,
    arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
    directory: &Path,
) -> Result<String, String> {
    let name = program.display();
    let output = match timeout(LIMIT, output(program, arguments, directory)).await {
        Ok(Ok(output)) => output,
        Ok(Err(error)) => return Err(format!("{name} cannot be started: {error}")),
        Err(_elapsed) => {
            return Err(format!(
                "{name} did not answer within {} s",
                LIMIT.as_secs()
            ));
        }
    };
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = first_words(&String::from_utf8_lossy(&output.stderr));
    Err(format!("{name} failed ({}){said}", output.status))
}

#[expect(
    clippy::disallowed_methods,
    reason = "a short question; the child dies with the question"
)]
async fn output(
    program: &Path,
    arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
    directory: &Path,
) -> io::Result<std::process::Output> {
    Command::new(program)
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
}

fn first_words(stderr: &str) -> String {
    let text = stderr.trim();
    if text.is_empty() {
        return String::new();
    }
    let shown: String = text.chars().take(SHOWN_CHARACTERS).collect();
    format!(": {}", shown.replace('\n', "; "))
}
