//! One daemon per user, out of any race, and a reason whenever there is none.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod end;
mod permissions;
mod protocols;
mod start;

use std::process::Stdio;

use lean_beam_proto::ready::ReadyLine;
use lean_beam_tests::{
    must::Must,
    process::command,
    world::{Beam, Project},
};

/// Starts the daemon as a client does, waits for its end, and gives what it said and its exit code.
fn start_by_hand(beam: &Beam) -> (ReadyLine, Option<i32>) {
    let output = command(beam.launcher())
        .stdin(Stdio::null())
        .output()
        .must("start the daemon");
    let text = String::from_utf8(output.stdout).must("read its first line");
    let line = text.lines().next().must("read its first line");
    let line = serde_json::from_str(line).must("understand its first line");
    (line, output.status.code())
}

fn with_fake_error(beam: &Beam) -> Project {
    let project = beam.project();
    project.write("A.lean", "word\nERROR: bad\n");
    project
}
