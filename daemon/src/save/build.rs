//! Running a build program to its end.

use std::{collections::VecDeque, ffi::OsString, process::ExitStatus, sync::atomic::Ordering};

use lean_beam_proto::{BeamError, BeamResult, ErrorCode};
use serde_json::json;
use tokio::sync::mpsc;

use super::Builds;
use crate::{
    process::{ChildSpec, read_lines, spawn},
    session::command_line,
};

/// How many lines of output are kept for an error.
const KEPT_LINES: usize = 200;

/// A program that ended.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) status: Option<ExitStatus>,
    /// The last lines of both streams.
    pub(super) output: Vec<String>,
    command: Vec<String>,
}

/// Runs `tool` with `arguments` to its end. Dropping the future kills it with all that it started.
///
/// # Errors
/// `runtimeSetup` when it cannot be started.
pub(super) async fn run(
    tool: &ChildSpec,
    arguments: Vec<OsString>,
    builds: &Builds,
    mut line_seen: impl FnMut(&str),
) -> BeamResult<Finished> {
    let spec = ChildSpec {
        args: arguments,
        ..tool.clone()
    };
    let command = command_line(&spec);
    let (process, pipes) = spawn(&spec, &builds.tasks).map_err(|error| {
        BeamError::new(ErrorCode::RuntimeSetup, format!("cannot start {}: {error}", spec.program.display()))
            .with_hint("`lean-beam status` shows which programs are used; install Lean again, or set LEAN_BEAM_LEAN or LEAN_BEAM_LAKE.")
            .with_data(json!({ "command": command }))
    })?;
    let _running = Running::of(builds, process.pid());
    drop(pipes.stdin);
    let (lines, mut lines_rx) = mpsc::unbounded_channel();
    let other = lines.clone();
    builds
        .tasks
        .spawn(read_lines(pipes.stdout, move |line| drop(lines.send(line))));
    builds
        .tasks
        .spawn(read_lines(pipes.stderr, move |line| drop(other.send(line))));
    let mut output = VecDeque::new();
    while let Some(line) = lines_rx.recv().await {
        line_seen(&line);
        if output.len() == KEPT_LINES {
            output.pop_front();
        }
        output.push_back(line);
    }
    let status = process.exited().await;
    Ok(Finished {
        status,
        output: output.into(),
        command,
    })
}

/// While it exists, the build counts among the Lean processes.
struct Running<'a>(&'a Builds);

impl<'a> Running<'a> {
    fn of(builds: &'a Builds, pid: u32) -> Self {
        builds.running.store(pid, Ordering::Relaxed);
        Self(builds)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.running.store(0, Ordering::Relaxed);
    }
}

impl Finished {
    pub(super) fn succeeded(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    /// The error for a build that failed.
    pub(super) fn failure(&self, module: &str) -> BeamError {
        let exit = self
            .status
            .map_or_else(|| "it vanished".to_owned(), |status| status.to_string());
        let last = self
            .output
            .iter()
            .rev()
            .find(|line| !line.is_empty())
            .map_or("", String::as_str);
        BeamError::new(ErrorCode::SaveFailed, format!("building {module} failed ({exit}): {last}"))
            .with_hint("`data.output` has the end of the output. The artifacts from before are still there.")
            .with_data(json!({ "module": module, "command": self.command, "exit": exit, "output": self.output }))
    }
}
