//! Worker processes of the scripted server.
//!
//! Real Lean runs one process per document, each in a session of its own, so that killing the process
//! group of the server misses them.

use std::{
    io::{self, BufRead, BufReader, Read},
    process::{Child, Command, Stdio},
    thread,
};

use nix::{
    sys::signal::{SigSet, Signal},
    unistd,
};

use super::scenario::Workers;
use crate::must::Must;

/// The first argument that makes the program a worker.
pub(super) const WORKER_ARGUMENT: &str = "--worker";

/// A running worker. Dropping it ends it with SIGKILL, as the watchdog does when a document is closed.
#[derive(Debug)]
pub(super) struct Worker {
    child: Child,
    outlives_us: bool,
}

impl Worker {
    /// Starts a worker for `uri` and waits until it has its own session and its signals arranged.
    pub(super) fn spawn(uri: &str, plan: Workers) -> Self {
        let program = std::env::current_exe().must("find the own program");
        #[expect(
            clippy::disallowed_methods,
            reason = "this is the scripted server, which must start children of its own"
        )]
        let mut command = Command::new(program);
        command.arg(WORKER_ARGUMENT);
        if plan.ignore_eof {
            command.arg("ignore-eof");
        }
        if plan.ignore_term {
            command.arg("ignore-term");
        }
        let mut child = command
            .arg(uri)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .must("start a worker");
        let mut ready = String::new();
        let stdout = child.stdout.take().must("take the worker's output");
        BufReader::new(stdout)
            .read_line(&mut ready)
            .must("wait for the worker");
        Self {
            child,
            outlives_us: plan.ignore_eof,
        }
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if self.outlives_us {
            return;
        }
        // It may be gone already; either way nothing is left to be done about it.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// The body of a worker process.
pub(super) fn run(arguments: &[String]) -> i32 {
    let wants = |flag: &str| arguments.iter().any(|argument| argument == flag);
    unistd::setsid().must("make a session");
    if wants("ignore-term") {
        block_term();
    }
    announce();
    let mut input = Vec::new();
    if let Err(error) = io::stdin().read_to_end(&mut input) {
        panic!("the worker cannot read: {error}");
    }
    if wants("ignore-eof") {
        loop {
            thread::park();
        }
    }
    0
}

/// Blocks SIGTERM for this thread and for all that it starts from now on: it stays pending for ever.
pub(super) fn block_term() {
    let mut signals = SigSet::empty();
    signals.add(Signal::SIGTERM);
    signals.thread_block().must("block SIGTERM");
}

fn announce() {
    use std::io::Write;
    let mut output = io::stdout();
    output
        .write_all(b"ready\n")
        .and_then(|()| output.flush())
        .must("announce the worker");
}
