//! The process above the daemon: it does nothing until the daemon is gone, and then ends what is left.
//!
//! Lean's watchdog puts its workers into sessions of their own, so neither a process group nor a death
//! signal reaches all of them when the daemon is killed outright. The guardian is the nearest subreaper
//! above the daemon: whatever loses its parent becomes its child, and is killed when the daemon is gone.

use std::{
    io,
    os::{
        fd::OwnedFd,
        unix::process::{CommandExt, ExitStatusExt},
    },
    process::{Child, Command, ExitCode, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use listenfd::ListenFd;
use nix::{
    errno::Errno,
    fcntl::{FcntlArg, FdFlag, fcntl},
    sys::{
        signal::{SigSet, Signal, kill},
        wait::{WaitPidFlag, WaitStatus, waitpid},
    },
    unistd::Pid,
};

use super::close_standard_streams;

/// How long the guardian goes on killing what the daemon left behind.
const CLEANUP_LIMIT: Duration = Duration::from_secs(5);
/// Pause between two looks.
const CLEANUP_INTERVAL: Duration = Duration::from_millis(10);

/// Runs the daemon (this program, with the argument `daemon`) as a child and waits for its end. `foreground` stays
/// in the terminal's session. A socket that a service manager lends us becomes its standard input, which
/// the further argument `lent` tells it.
///
/// # Errors
/// The child cannot be started.
pub(crate) fn run(daemon: &str, lent: &str, foreground: bool) -> io::Result<ExitCode> {
    if !foreground {
        // Refused only for the leader of a process group, which then has a group of its own already.
        nix::unistd::setsid().ok();
    }
    become_subreaper()?;
    // Children inherit the signal mask, so the daemon starts before anything is blocked here.
    let mut daemon = match lent_socket()? {
        Some(socket) => start_daemon(&[daemon, lent], socket.into())?,
        None => start_daemon(&[daemon], Stdio::inherit())?,
    };
    let signals = watched_signals();
    signals.thread_block()?;
    // The daemon has its own copies.
    close_standard_streams()?;
    let status = attend(&mut daemon, &signals)?;
    end_orphans();
    Ok(exit_code(status))
}

#[cfg(target_os = "linux")]
pub(crate) fn become_subreaper() -> io::Result<()> {
    nix::sys::prctl::set_child_subreaper(true).map_err(io::Error::from)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn become_subreaper() -> io::Result<()> {
    Ok(())
}

fn watched_signals() -> SigSet {
    [
        Signal::SIGCHLD,
        Signal::SIGTERM,
        Signal::SIGINT,
        Signal::SIGHUP,
    ]
    .into_iter()
    .collect()
}

/// The socket that a service manager passed to this very process, where it did.
fn lent_socket() -> io::Result<Option<OwnedFd>> {
    let socket = ListenFd::from_env().take_unix_listener(0)?;
    let Some(socket) = socket.map(OwnedFd::from) else {
        return Ok(None);
    };
    // It came without this flag; the daemon's children must not get it.
    fcntl(&socket, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))?;
    Ok(Some(socket))
}

fn start_daemon(arguments: &[&str], stdin: Stdio) -> io::Result<Child> {
    // The link names the program that runs now even after an upgrade replaced the file.
    let program = if cfg!(target_os = "linux") {
        "/proc/self/exe".into()
    } else {
        std::env::current_exe()?
    };
    #[expect(
        clippy::disallowed_methods,
        reason = "the daemon itself is the one child that is not Lean's"
    )]
    let mut command = Command::new(program);
    command
        .arg0("lean-beam-daemon")
        .args(arguments)
        .stdin(stdin);
    for variable in ["LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES"] {
        command.env_remove(variable);
    }
    // A group of its own: a terminal's Ctrl-C reaches the guardian alone, which passes it on once.
    command.process_group(0);
    command.spawn()
}

/// Passes signals on and reaps until the daemon is gone.
fn attend(daemon: &mut Child, signals: &SigSet) -> io::Result<ExitStatus> {
    let daemon_pid = Pid::from_raw(i32::try_from(daemon.id()).map_err(io::Error::other)?);
    loop {
        if let Some(status) = daemon.try_wait()? {
            return Ok(status);
        }
        reap_orphans(daemon_pid);
        match signals.wait()? {
            Signal::SIGCHLD => {}
            signal => {
                kill(daemon_pid, signal).ok();
            }
        }
    }
}

/// Reaps orphans that ended on their own while the daemon lives; the daemon itself is left to `Child`.
fn reap_orphans(daemon: Pid) {
    for child in children() {
        if child != daemon {
            waitpid(child, Some(WaitPidFlag::WNOHANG)).ok();
        }
    }
}

/// Kills what became our child when the daemon died, and what becomes it while we do so.
fn end_orphans() {
    let deadline = Instant::now() + CLEANUP_LIMIT;
    while Instant::now() < deadline {
        for child in children() {
            kill(child, Signal::SIGKILL).ok();
        }
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Err(Errno::ECHILD) => return,
            Ok(WaitStatus::StillAlive) => std::thread::sleep(CLEANUP_INTERVAL),
            _ => {}
        }
    }
}

fn children() -> Vec<Pid> {
    super::tree::children_of_this_process()
        .into_iter()
        .map(Pid::from_raw)
        .collect()
}

/// The daemon's own code, or 128 plus the signal that ended it, as shells have it.
fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal))
        .unwrap_or(1);
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}
