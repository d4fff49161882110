//! Starting the daemon program and waiting for its one line.

use std::{
    env,
    ffi::OsStr,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    pin::pin,
    process::{ExitStatus, Stdio},
    time::Duration,
};

use futures_util::{
    StreamExt as _,
    future::{Either, select},
};
use tokio::{
    io::AsyncReadExt as _,
    process::{Child, ChildStderr, ChildStdout, Command},
    time::timeout,
};
use tokio_util::codec::{FramedRead, LinesCodec};

use crate::{
    error::{BeamError, BeamResult, ErrorCode},
    ready::ReadyLine,
};

/// File name of the daemon program.
pub(super) const DAEMON_PROGRAM: &str = "lean-beam-daemon";

/// A daemon starts in milliseconds; this is for machines that are starved.
const READY_LIMIT: Duration = Duration::from_secs(30);
/// How long a program that closed its output may take to exit, so that its exit status can be told.
const EXIT_LIMIT: Duration = Duration::from_secs(2);
/// How many lines of a failed start are shown.
const STDERR_LINES: usize = 20;
/// How much of what a failed start wrote is kept.
const STDERR_BYTES: usize = 8 * 1024;
/// Longest first line that is looked at.
const READY_LINE_BYTES: usize = 1024 * 1024;

/// Starts `program` and returns what it says about its start.
///
/// # Errors
/// `daemonUnavailable` when it cannot be started, dies or says nothing in time; `data.stderr` holds its
/// last lines.
pub(super) async fn start_daemon<'a>(
    program: &Path,
    variables: impl Iterator<Item = (&'a OsStr, &'a OsStr)>,
) -> BeamResult<ReadyLine> {
    let mut child = spawn(program, variables)?;
    let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(BeamError::internal("the daemon was started without pipes"));
    };
    let mut tail = Tail::default();
    match timeout(READY_LIMIT, first_line(stdout, stderr, &mut tail)).await {
        Ok(Some(line)) => serde_json::from_str(&line).map_err(|_| not_ready_line(program, &line)),
        Ok(None) => Err(died(program, exit_status(&mut child).await, &tail)),
        Err(_elapsed) => Err(gave_up(program, &mut child, &tail)),
    }
}

/// The daemon program: beside our own program file, else the first on `PATH`.
///
/// # Errors
/// `daemonUnavailable` when there is none, with the places that were looked at.
pub(super) fn find_program() -> BeamResult<PathBuf> {
    let own = own_directories();
    let path = env::var_os("PATH").unwrap_or_default();
    find_in(own.iter().cloned().chain(env::split_paths(&path))).ok_or_else(|| not_installed(&own))
}

fn find_in(directories: impl Iterator<Item = PathBuf>) -> Option<PathBuf> {
    directories
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(DAEMON_PROGRAM))
        .find(|candidate| is_program(candidate))
}

/// Where our own program file is. After an upgrade the system may name a file that is gone, but its
/// directory still tells; a link in a `bin` directory leads to the real one.
fn own_directories() -> Vec<PathBuf> {
    let current = env::current_exe().ok();
    let invoked = env::args_os()
        .next()
        .filter(|name| name.as_encoded_bytes().contains(&b'/'))
        .map(PathBuf::from);
    let mut directories = Vec::new();
    for program in [current, invoked].into_iter().flatten() {
        let real = program.canonicalize().unwrap_or(program);
        let directory = real.parent().map(Path::to_owned);
        directories.extend(directory.filter(|found| !directories.contains(found)));
    }
    directories
}

fn is_program(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// Starts the program detached from us: own process group, no directory kept busy, no shared output.
#[expect(
    clippy::disallowed_methods,
    reason = "the daemon outlives its client on purpose; this is the one place that starts it"
)]
fn spawn<'a>(
    program: &Path,
    variables: impl Iterator<Item = (&'a OsStr, &'a OsStr)>,
) -> BeamResult<Child> {
    Command::new(program)
        .envs(variables)
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(false)
        .spawn()
        .map_err(|error| {
            unavailable(format!("cannot start {}: {error}", program.display()))
                .with_hint("Install lean-beam again, so that the daemon is beside this program.")
        })
}

/// The program's first line; `None` when it ends without one. Standard error is read meanwhile, so that
/// a talkative program cannot fill its pipe and hang.
async fn first_line(stdout: ChildStdout, stderr: ChildStderr, tail: &mut Tail) -> Option<String> {
    let mut lines = FramedRead::new(stdout, LinesCodec::new_with_max_length(READY_LINE_BYTES));
    let line = pin!(lines.next());
    match select(line, pin!(tail.follow(stderr))).await {
        Either::Left((Some(Ok(line)), _)) => Some(line),
        // It has closed its output. What it still has to say on standard error is the reason.
        Either::Left((_, rest)) => {
            let _late = timeout(EXIT_LIMIT, rest).await;
            None
        }
        Either::Right(((), line)) => line.await.and_then(Result::ok),
    }
}

/// The end of a program's standard error.
#[derive(Debug, Default)]
struct Tail {
    bytes: Vec<u8>,
}

impl Tail {
    /// Reads until the end, keeping the last [`STDERR_BYTES`].
    async fn follow(&mut self, mut stderr: ChildStderr) {
        let mut chunk = [0; 1024];
        while let Ok(count @ 1..) = stderr.read(&mut chunk).await {
            self.bytes.extend_from_slice(&chunk[..count]);
            let excess = self.bytes.len().saturating_sub(STDERR_BYTES);
            self.bytes.drain(..excess);
        }
    }

    /// The last lines, oldest first.
    fn lines(&self) -> Vec<String> {
        let text = String::from_utf8_lossy(&self.bytes);
        let lines: Vec<_> = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .collect();
        let first = lines.len().saturating_sub(STDERR_LINES);
        lines[first..]
            .iter()
            .map(|line| (*line).to_owned())
            .collect()
    }

    fn explain(&self, error: BeamError) -> BeamError {
        let lines = self.lines();
        if lines.is_empty() {
            return error;
        }
        let message = format!("{}; its last words:\n{}", error.message, lines.join("\n"));
        BeamError { message, ..error }.with_data(serde_json::json!({ "stderr": lines }))
    }
}

async fn exit_status(child: &mut Child) -> Option<ExitStatus> {
    timeout(EXIT_LIMIT, child.wait()).await.ok()?.ok()
}

fn died(program: &Path, status: Option<ExitStatus>, tail: &Tail) -> BeamError {
    let how = match status {
        Some(status) => format!("ended at once ({status})"),
        None => "closed its output without a word".to_owned(),
    };
    tail.explain(unavailable(format!("{} {how}", program.display())))
}

/// Ends a program that does not get ready; left alone it might get ready behind our back much later.
fn gave_up(program: &Path, child: &mut Child, tail: &Tail) -> BeamError {
    let killed = child.start_kill().is_ok();
    tail.explain(unavailable(format!(
        "{} did not get ready within {} s{}",
        program.display(),
        READY_LIMIT.as_secs(),
        if killed { " and was ended" } else { "" },
    )))
}

fn not_ready_line(program: &Path, line: &str) -> BeamError {
    let snippet: String = line.chars().take(200).collect();
    unavailable(format!(
        "{} is not the daemon that this client knows; it said: {snippet}",
        program.display()
    ))
    .with_hint("Install lean-beam again, so that all of its programs are of one version.")
}

fn not_installed(own: &[PathBuf]) -> BeamError {
    let own: Vec<_> = own.iter().map(|path| path.display().to_string()).collect();
    unavailable(format!(
        "there is no {DAEMON_PROGRAM} in {} nor on PATH",
        own.join(", ")
    ))
    .with_hint("Install lean-beam again, so that the daemon is beside this program.")
}

fn unavailable(message: String) -> BeamError {
    BeamError::new(ErrorCode::DaemonUnavailable, message)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tokio::time::{Instant, sleep};

    use super::{super::testing::*, *};

    async fn start(program: &Path) -> BeamResult<ReadyLine> {
        start_daemon(program, std::iter::empty()).await
    }

    #[tokio::test]
    async fn the_ready_line_is_read_though_the_program_goes_on_and_talks_a_lot() {
        let place = Place::made();
        let program = place.script(&format!(
            "i=0; while [ $i -lt 3000 ]; do echo 'a line of noise on standard error' >&2; i=$((i+1)); done\necho '{READY}'\nexec sleep 1"
        ));
        let ready = start(&program).await.unwrap();
        assert!(matches!(ready, ReadyLine::Ready(identity) if identity.pid == 7));
    }

    #[tokio::test]
    async fn a_program_that_dies_is_quoted_with_its_last_lines() {
        let place = Place::made();
        let program = place
            .script("i=0; while [ $i -lt 100 ]; do echo \"line $i\" >&2; i=$((i+1)); done\nexit 3");
        let error = start(&program).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::DaemonUnavailable);
        assert!(
            error.message.contains("exit status: 3"),
            "{}",
            error.message
        );
        let stderr = error.data.unwrap()["stderr"].clone();
        assert_eq!(stderr.as_array().unwrap().len(), STDERR_LINES);
        assert_eq!(stderr[STDERR_LINES - 1], "line 99");
    }

    #[tokio::test]
    async fn another_program_in_its_place_is_recognised() {
        let place = Place::made();
        let error = start(&place.script("echo usage: something"))
            .await
            .unwrap_err();
        assert!(error.message.contains("usage: something"));
        assert!(error.hint.is_some());
    }

    #[tokio::test]
    async fn a_program_that_cannot_be_run_is_named() {
        let error = start(Path::new("/nonexistent/program")).await.unwrap_err();
        assert!(error.message.contains("/nonexistent/program"));
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_daemon_that_ends_later_leaves_no_zombie_in_a_long_lived_client() {
        let place = Place::made();
        let program = place.script(&format!("echo $$ > pid; echo '{READY}'; exec sleep 0.1"));
        start(&program).await.unwrap();
        let pid = fs::read_to_string(place.runtime_dir.path().join("pid")).unwrap();
        let process = Path::new("/proc").join(pid.trim());
        assert!(process.exists());
        let end = Instant::now() + LIMIT;
        while process.exists() {
            assert!(Instant::now() < end, "{} is still there", process.display());
            sleep(Duration::from_millis(10)).await;
        }
    }

    #[test]
    fn only_an_executable_file_in_an_absolute_directory_is_the_daemon_program() {
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join(DAEMON_PROGRAM);
        let look = || find_in([PathBuf::from("."), directory.path().to_owned()].into_iter());
        assert_eq!(look(), None);
        fs::write(&program, "").unwrap();
        assert_eq!(look(), None);
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(look(), Some(program));
    }
}
