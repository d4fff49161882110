//! The task that owns a child, and the steps by which it is ended.

use std::{process::ExitStatus, time::Duration};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use tokio::{
    process::Child,
    sync::{mpsc, watch},
    time::timeout,
};
use tokio_util::task::TaskTracker;

use super::tree;

/// How long a server that was asked to leave gets before SIGTERM.
const ASK_TIMEOUT: Duration = Duration::from_secs(3);
/// How long after SIGTERM before SIGKILL.
const TERM_TIMEOUT: Duration = Duration::from_secs(2);
/// How long after SIGKILL before the wait is given up; the kernel needs milliseconds.
const KILL_TIMEOUT: Duration = Duration::from_secs(5);

/// A child process, for everybody but the task that owns it. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct ProcessHandle {
    pid: u32,
    signals: mpsc::UnboundedSender<Signal>,
    exit: watch::Receiver<Option<ExitStatus>>,
}

/// Hands `child` to a task of its own: the only one that waits for it, and the one that sweeps up what it
/// leaves behind.
pub(super) fn watch(child: Child, marker: String, tasks: &TaskTracker) -> ProcessHandle {
    let pid = child.id().unwrap_or(0);
    let (signals, signals_rx) = mpsc::unbounded_channel();
    let (exit_tx, exit) = watch::channel(None);
    tasks.spawn(own(child, pid, marker, signals_rx, exit_tx));
    ProcessHandle { pid, signals, exit }
}

async fn own(
    mut child: Child,
    pid: u32,
    marker: String,
    mut signals: mpsc::UnboundedReceiver<Signal>,
    exit: watch::Sender<Option<ExitStatus>>,
) {
    // Workers that left the tree can be told by the marker; noted before the leader is gone they are also
    // told when they cleared their environment.
    let mut known = Vec::new();
    let mut every_handle_gone = false;
    let status = loop {
        tokio::select! {
            status = child.wait() => break status,
            signal = signals.recv(), if !every_handle_gone => {
                known = tree::descendants(pid).await;
                match signal {
                    Some(signal) => send(pid, signal),
                    // Nobody is left who could ever stop it.
                    None => {
                        every_handle_gone = true;
                        send(pid, Signal::SIGKILL);
                    }
                }
            }
        }
    };
    let left = tree::sweep(&marker, known).await;
    if left > 0 {
        tracing::info!(pid, left, "ended processes that a Lean server left behind");
    }
    exit.send_replace(status.ok().or_else(|| Some(ExitStatus::default())));
}

fn send(pid: u32, signal: Signal) {
    let Ok(raw) = i32::try_from(pid) else { return };
    if let Err(error) = kill(Pid::from_raw(raw), signal) {
        tracing::debug!(pid, %signal, %error, "signal not delivered");
    }
}

impl ProcessHandle {
    /// Process id of the leader.
    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// Waits until the process and everything that it started is gone.
    pub(crate) async fn exited(&self) -> Option<ExitStatus> {
        let mut exit = self.exit.clone();
        exit.wait_for(Option::is_some)
            .await
            .ok()
            .and_then(|status| *status)
    }

    /// Ends a process that was asked to leave already: waits, then SIGTERM, then SIGKILL. `hurry` skips to
    /// SIGKILL when it is signalled.
    pub(crate) async fn finish(&self, hurry: &tokio_util::sync::CancellationToken) {
        for (limit, signal) in [
            (ASK_TIMEOUT, Signal::SIGTERM),
            (TERM_TIMEOUT, Signal::SIGKILL),
        ] {
            tokio::select! {
                result = timeout(limit, self.exited()) => if result.is_ok() { return },
                () = hurry.cancelled() => break,
            }
            self.signal(signal);
        }
        self.kill().await;
    }

    /// Ends the process at once and waits until it is gone.
    pub(crate) async fn kill(&self) {
        self.signal(Signal::SIGKILL);
        if timeout(KILL_TIMEOUT, self.exited()).await.is_err() {
            tracing::error!(pid = self.pid, "a process does not go away");
        }
    }

    fn signal(&self, signal: Signal) {
        // The owner is gone when the process is: then there is nothing to signal.
        self.signals.send(signal).ok();
    }
}
