//! Calls of the command line `lean-beam`.

use std::{
    os::unix::process::{CommandExt, ExitStatusExt},
    path::Path,
    process::{Command, ExitStatus, Stdio},
    time::Duration,
};

use nix::sys::signal::Signal;
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::{Child, ChildStderr, ChildStdout},
};

use super::{Beam, builder::program, terminal};
use crate::{
    must::Must,
    process::{self, Process},
    wait::{HANG, within},
};

/// A call of the command line that has not begun.
#[derive(Debug)]
pub struct Cli {
    command: Command,
    stdin: Vec<u8>,
}

/// What a call gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// The exit code, or 128 and the number of the signal that ended it.
    pub code: i32,
    /// Everything on standard output; on a terminal, everything shown.
    pub stdout: String,
    /// Everything on standard error.
    pub stderr: String,
}

/// A call that is going on. Dropping it kills it.
#[derive(Debug)]
pub struct Running {
    child: Child,
    stdout: ChildStdout,
    stderr: ChildStderr,
    seen: Vec<u8>,
}

impl Cli {
    pub(super) fn new<'a>(beam: &Beam, arguments: impl IntoIterator<Item = &'a str>) -> Self {
        let mut command = process::command(program(beam.root(), "lean-beam"));
        command
            .args(arguments)
            .env_clear()
            .envs(beam.environment())
            .current_dir(beam.root());
        if let Some(user) = beam.user() {
            command.uid(user).gid(user);
        }
        Self {
            command,
            stdin: Vec::new(),
        }
    }

    /// Runs it in another directory than the world's root.
    #[must_use]
    pub fn in_directory(mut self, directory: &Path) -> Self {
        self.command.current_dir(directory);
        self
    }

    /// What it finds on standard input. Default: nothing.
    #[must_use]
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// One more environment variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Runs it to its end, with pipes for input and output.
    pub async fn run(self) -> Output {
        self.start().await.finish().await
    }

    /// Runs it to its end on a terminal of its own, as a person would who types what is to be on standard
    /// input. All output is in `stdout`.
    pub async fn run_on_terminal(self) -> Output {
        let (status, shown) = terminal::run(self.command, &self.stdin).await;
        Output {
            code: exit_code(status),
            stdout: shown,
            stderr: String::new(),
        }
    }

    /// Starts it, with pipes for input and output.
    pub async fn start(mut self) -> Running {
        self.command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = tokio::process::Command::from(self.command)
            .kill_on_drop(true)
            .spawn()
            .must("start lean-beam");
        let mut input = child.stdin.take().must("take the input");
        // A call that reads no input may be gone already.
        drop(input.write_all(&self.stdin).await);
        drop(input);
        Running {
            stdout: child.stdout.take().must("take the output"),
            stderr: child.stderr.take().must("take the error output"),
            child,
            seen: Vec::new(),
        }
    }
}

impl Running {
    /// Its process.
    pub fn process(&self) -> Process {
        let pid = self.child.id().must("find the process of lean-beam");
        Process::find(pid).must("find the process of lean-beam")
    }

    /// Sends a signal to it.
    pub fn signal(&self, signal: Signal) {
        self.process().signal(signal);
    }

    /// Reads its standard output until it contains `text`.
    pub async fn wait_for_output(&mut self, text: &str) {
        let reading = async {
            while !String::from_utf8_lossy(&self.seen).contains(text) {
                let mut chunk = [0; 4096];
                let count = self.stdout.read(&mut chunk).await.must("read the output");
                assert!(count > 0, "the output ended without {text:?}");
                self.seen.extend_from_slice(&chunk[..count]);
            }
        };
        within(HANG, "some output of lean-beam", reading).await;
    }

    /// Waits for its end.
    pub async fn finish(self) -> Output {
        self.finish_within(HANG).await
    }

    /// Waits for its end, which must come within `limit`.
    pub async fn finish_within(mut self, limit: Duration) -> Output {
        let mut stdout = std::mem::take(&mut self.seen);
        let mut stderr = Vec::new();
        let end = async {
            tokio::try_join!(
                self.stdout.read_to_end(&mut stdout),
                self.stderr.read_to_end(&mut stderr)
            )
            .must("read the output of lean-beam");
            self.child.wait().await.must("wait for lean-beam")
        };
        let status = within(limit, "the end of lean-beam", end).await;
        Output {
            code: exit_code(status),
            stdout: String::from_utf8(stdout).must("read the output as text"),
            stderr: String::from_utf8(stderr).must("read the error output as text"),
        }
    }
}

impl Output {
    /// The one JSON value on standard output.
    ///
    /// # Panics
    /// There is something else, or more.
    #[track_caller]
    pub fn json(&self) -> Value {
        match serde_json::from_str(&self.stdout) {
            Ok(value) => value,
            Err(error) => panic!("not one JSON value ({error}): {self:?}"),
        }
    }

    /// Fails unless the exit code is `code`.
    #[track_caller]
    pub fn expect_code(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:?}");
        self
    }
}

fn exit_code(status: ExitStatus) -> i32 {
    status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal))
        .must("learn how it ended")
}
