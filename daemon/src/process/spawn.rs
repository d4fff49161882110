//! The one builder of child processes.

#![expect(
    unsafe_code,
    reason = "pre_exec is the only way to set the death signal between fork and exec"
)]

use std::{ffi::OsString, io, path::PathBuf, process::Stdio};

use nix::sys::signal::Signal;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use tokio_util::task::TaskTracker;

use super::{ProcessHandle, stop};

/// Set in the environment of every Lean server, and so of everything that it starts: finds descendants
/// that left the tree (`setsid`, double fork) without touching anybody else's.
pub(crate) const SESSION_VARIABLE: &str = "LEAN_BEAM_SESSION";

/// What to start.
#[derive(Debug, Clone)]
pub(crate) struct ChildSpec {
    /// Program file.
    pub(crate) program: PathBuf,
    /// Its arguments.
    pub(crate) args: Vec<OsString>,
    /// Working directory.
    pub(crate) directory: PathBuf,
    /// Variables to set (`Some`) or to remove (`None`) in our own environment.
    pub(crate) environment: Vec<(OsString, Option<OsString>)>,
    /// Value of [`SESSION_VARIABLE`], unique among all children.
    pub(crate) marker: String,
}

/// The child's ends.
#[derive(Debug)]
pub(crate) struct Pipes {
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
}

/// Starts a child with all three streams piped; nothing of ours is inherited.
///
/// Call it on the main thread only: the death signal follows the thread that started the child.
///
/// # Errors
/// The program cannot be started.
pub(crate) fn spawn(spec: &ChildSpec, tasks: &TaskTracker) -> io::Result<(ProcessHandle, Pipes)> {
    #[expect(clippy::disallowed_methods, reason = "this is the one place")]
    let mut command = Command::new(&spec.program);
    command.args(&spec.args).current_dir(&spec.directory);
    for (name, value) in &spec.environment {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.env(SESSION_VARIABLE, &spec.marker);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.kill_on_drop(true);
    // A group of its own keeps a terminal's Ctrl-C away from Lean when the daemon runs in the foreground.
    command.process_group(0);
    // SAFETY: between fork and exec only async-signal-safe calls are allowed; `prctl` is one.
    unsafe { command.pre_exec(die_with_parent) };

    let mut child = command.spawn()?;
    let missing = || io::Error::other("a stream of the child is missing");
    let pipes = Pipes {
        stdin: child.stdin.take().ok_or_else(missing)?,
        stdout: child.stdout.take().ok_or_else(missing)?,
        stderr: child.stderr.take().ok_or_else(missing)?,
    };
    Ok((stop::watch(child, spec.marker.clone(), tasks), pipes))
}

#[cfg(target_os = "linux")]
fn die_with_parent() -> io::Result<()> {
    nix::sys::prctl::set_pdeathsig(Some(Signal::SIGKILL)).map_err(io::Error::from)
}

#[cfg(not(target_os = "linux"))]
fn die_with_parent() -> io::Result<()> {
    let _ = Signal::SIGKILL;
    Ok(())
}
