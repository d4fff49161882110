//! The program `fake_lean`: what its arguments mean.

use std::{
    io::{self, BufReader, Write},
    sync::mpsc::{self, SyncSender},
    thread,
    time::Duration,
};

use super::{
    SCENARIO_VARIABLE, Scenario,
    log::{Entry, Recorder},
    output::Output,
    scenario::Start,
    server::{Input, Server, eprint_line},
    worker,
};
use crate::{framing, must::Must};

/// Does what `arguments` (without the program) say, and gives the exit code.
pub fn run(arguments: &[String]) -> i32 {
    let scenario = read_scenario();
    match arguments.first().map(String::as_str) {
        Some("--version" | "-v") => print(&version_line(&scenario)),
        Some("--print-prefix") => print(&prefix()),
        Some(worker::WORKER_ARGUMENT) => worker::run(arguments),
        Some("--server" | "serve") => serve(scenario, arguments),
        _ => {
            eprint_line("usage: fake_lean --server | --version | --print-prefix");
            1
        }
    }
}

fn read_scenario() -> Scenario {
    let Some(path) = std::env::var_os(SCENARIO_VARIABLE) else {
        return Scenario::default();
    };
    let text = std::fs::read_to_string(path).must("read the scenario");
    serde_json::from_str(&text).must("understand the scenario")
}

fn version_line(scenario: &Scenario) -> String {
    format!(
        "Lean (version {}, x86_64-unknown-linux-gnu, commit 0000000000000000000000000000000000000000, Release)",
        scenario.shape.version
    )
}

fn prefix() -> String {
    let program = std::env::current_exe().must("find the own program");
    let prefix = program.parent().and_then(|bin| bin.parent());
    prefix.must("find the prefix").display().to_string()
}

fn print(line: &str) -> i32 {
    writeln!(io::stdout(), "{line}").must("print");
    0
}

fn serve(scenario: Scenario, arguments: &[String]) -> i32 {
    if scenario.stop.ignore_term {
        worker::block_term();
    }
    let mut recorder = Recorder::from_environment();
    recorder.record(started(arguments));
    let mut output = Output::default();
    if let Some(code) = start(&scenario.start, &mut output) {
        recorder.record(Entry::Left(code));
        return code;
    }
    // Without room in the channel the reader stops reading as soon as the server does.
    let (input_tx, input_rx) = mpsc::sync_channel(0);
    thread::spawn(move || read_input(&input_tx));
    Server::new(scenario, output, recorder).run(&input_rx)
}

fn started(arguments: &[String]) -> Entry {
    #[expect(
        clippy::disallowed_methods,
        reason = "where the daemon starts Lean is part of the record"
    )]
    let directory = std::env::current_dir().must("find the working directory");
    Entry::Started {
        arguments: arguments.to_vec(),
        directory,
        lean_path: std::env::var("LEAN_PATH").ok(),
        lean_src_path: std::env::var("LEAN_SRC_PATH").ok(),
    }
}

fn start(plan: &Start, output: &mut Output) -> Option<i32> {
    thread::sleep(Duration::from_millis(plan.delay_ms));
    plan.stderr.iter().for_each(|line| eprint_line(line));
    if let Some(garbage) = &plan.garbage {
        output.garbage(garbage);
    }
    plan.exit_code
}

fn read_input(input_tx: &SyncSender<Input>) {
    let mut input = BufReader::new(io::stdin());
    loop {
        let found = match framing::read_message(&mut input) {
            Ok(Some(message)) => Input::Message(message),
            Ok(None) => Input::End,
            Err(error) => {
                eprint_line(&format!("Watchdog error: Cannot read LSP message: {error}"));
                Input::End
            }
        };
        let last = matches!(found, Input::End);
        if input_tx.send(found).is_err() || last {
            return;
        }
    }
}
