//! Benchmarks: what lean-beam adds to the time and the memory that Lean itself takes.
//!
//! Every figure stands beside that of a plain client of Lean, measured in the same run and in turns with it,
//! so that whatever else the machine does meets both. `docs/benchmarks.md` tells how to read the tables.

mod lean_file;
mod machine;
mod memory;
mod options;
mod probe;
mod questions;
mod raw;
mod report_delay;
mod samples;
mod save;
mod served;
mod start;
mod table;
mod verdict;

use std::{
    io::{self, Write},
    process::ExitCode,
};

use serde_json::{Map, Value, json};
use tokio::signal::unix::{SignalKind, signal};

use self::{
    machine::Load,
    options::{Group, Options},
    table::Table,
};

/// Runs the groups that `arguments` name, and prints their tables on standard output as they are done.
///
/// Exit code 2 for arguments that make no sense.
pub fn main(arguments: impl Iterator<Item = String>) -> ExitCode {
    let options = match Options::parse(arguments) {
        Ok(options) => options,
        Err(text) => {
            complain(&text);
            return ExitCode::from(2);
        }
    };
    if options.help {
        return exit_code(print(options::USAGE));
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    exit_code(runtime.and_then(|runtime| runtime.block_on(run_unless_stopped(&options))))
}

/// Being told to stop ends the measuring in order: daemons and Lean servers are stopped.
async fn run_unless_stopped(options: &Options) -> io::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        result = run(options) => result,
        result = tokio::signal::ctrl_c() => result.and(Err(stopped())),
        _ = terminate.recv() => Err(stopped()),
    }
}

fn stopped() -> io::Error {
    io::Error::new(io::ErrorKind::Interrupted, "stopped by a signal")
}

async fn run(options: &Options) -> io::Result<()> {
    let before = Load::now();
    let mut tables = Vec::new();
    for group in &options.groups {
        for table in measure(*group, options).await {
            if !options.json {
                print(&format!("{table}\n"))?;
            }
            tables.push(table);
        }
    }
    let load = (before, Load::now());
    if options.json {
        print(&format!("{:#}\n", report(&tables, load)))
    } else {
        print(&machine::describe(load))
    }
}

async fn measure(group: Group, options: &Options) -> Vec<Table> {
    match group {
        Group::ReportDelay => report_delay::measure(options).await,
        Group::Verdict => verdict::measure(options).await,
        Group::Questions => questions::measure(options).await,
        Group::Start => start::measure(options).await,
        Group::Probe => probe::measure(options).await,
        Group::Memory => memory::measure(options).await,
        Group::Save => save::measure(options).await,
    }
}

fn report(tables: &[Table], (before, after): (Load, Load)) -> Value {
    let groups: Map<_, _> = tables
        .iter()
        .map(|table| (table.name().to_owned(), table.to_json()))
        .collect();
    json!({
        "machine": { "cores": machine::cores(), "load_before": before.0, "load_after": after.0 },
        "groups": groups,
    })
}

fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

/// Says on standard error what is being measured: some figures take a while.
fn note(group: &str, what: &str) {
    complain(&format!("measuring {group}: {what}"));
}

fn complain(text: &str) {
    // There is nowhere else to say that this failed.
    drop(writeln!(io::stderr(), "{text}"));
}

fn exit_code(result: io::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("bench: {error}"));
            ExitCode::FAILURE
        }
    }
}
