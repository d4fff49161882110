//! The scripted server keeps to its scripts, and without one it behaves as real Lean does.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod answers;
mod life;
mod stream;

use std::path::Path;

use lean_beam_tests::{
    fake::{LOG_VARIABLE, LogEntry, SCENARIO_VARIABLE, Scenario, read_log, scenario::Rule},
    must::Must,
    process::command,
    programs,
    raw_lean::{RawLean, uri},
};
use serde_json::{Value, json};

/// A scripted server in a folder of its own.
struct Fake {
    lean: RawLean,
    folder: tempfile::TempDir,
}

impl Fake {
    async fn start(scenario: &Scenario) -> Self {
        let (command, folder) = prepare(scenario);
        let lean = RawLean::start(command).await;
        Self { lean, folder }
    }

    fn log(&self) -> Vec<LogEntry> {
        read_log(&self.folder.path().join("log"))
    }
}

fn prepare(scenario: &Scenario) -> (std::process::Command, tempfile::TempDir) {
    let folder = tempfile::tempdir().must("make a folder");
    let path = folder.path().join("scenario.json");
    let text = serde_json::to_string(scenario).must("write the scenario");
    std::fs::write(&path, text).must("write the scenario");
    let mut command = command(programs::built("fake_lean"));
    command
        .arg("--server")
        .env(SCENARIO_VARIABLE, path)
        .env(LOG_VARIABLE, folder.path().join("log"));
    (command, folder)
}

fn with_rules(rules: impl Into<Vec<Rule>>) -> Scenario {
    Scenario {
        rules: rules.into(),
        ..Scenario::default()
    }
}

fn a_lean() -> &'static Path {
    Path::new("/p/A.lean")
}

fn hover(line: u64, character: u64) -> Value {
    json!({"textDocument": {"uri": uri(a_lean())}, "position": {"line": line, "character": character}})
}
