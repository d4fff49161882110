//! Starts: of a process, of the daemon, and of everything up to the first verdict.

use std::{
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};

use lean_beam_proto::{
    ClientInfo,
    client::{Connector, Request},
    op::{Empty, Operation, Ping, Sync},
};

use super::{
    lean_file::LeanFile,
    note,
    options::Options,
    raw::{RawLean, Reporting},
    samples::Samples,
    served::world,
    table::{Cell, Table},
};
use crate::{
    must::Must,
    process, programs,
    wait::{HANG, within},
    world::{Beam, Project},
};

const NAME: &str = "First.lean";
/// The shortest process there is.
const NOTHING: &str = "/bin/true";

pub(super) async fn measure(options: &Options) -> Vec<Table> {
    let mut table = Table::new(
        "start",
        "ms. base: the same without lean-beam, in turns with it; added: median of the differences in the same round",
        [
            "what",
            "base",
            "base p90",
            "ours",
            "ours p90",
            "added",
            "ours/base",
        ],
    );
    note("start", "processes, daemons, first verdicts");
    let beam = world();
    let project = beam.project();
    project.write(NAME, LeanFile::small().text());
    table.row(version(&beam, options.runs(30)));
    table.row(ready(&beam, options.runs(10)).await);
    table.row(command(&beam, options.runs(30)).await);
    table.row(first_verdict(&beam, &project, options.runs(7)).await);
    vec![table]
}

/// A process that prints its version, beside one that does nothing.
fn version(beam: &Beam, runs: usize) -> Vec<Cell> {
    let (mut base, mut ours) = (Samples::default(), Samples::default());
    let program = programs::built("lean-beam");
    for _ in 0..runs {
        base.push_time(run(beam, Path::new(NOTHING), &[]));
        ours.push_time(run(beam, &program, &["--version"]));
    }
    cells("lean-beam --version, beside /bin/true", &base, &ours)
}

/// A whole command that the daemon answers alone, beside the process that does nothing.
async fn command(beam: &Beam, runs: usize) -> Vec<Cell> {
    beam.ensure().await;
    let (mut base, mut ours) = (Samples::default(), Samples::default());
    let program = programs::built("lean-beam");
    for _ in 0..runs {
        base.push_time(run(beam, Path::new(NOTHING), &[]));
        ours.push_time(run(beam, &program, &["request", "ping"]));
    }
    beam.stop().await;
    cells("lean-beam request ping, beside /bin/true", &base, &ours)
}

/// From no daemon to one that answers.
async fn ready(beam: &Beam, runs: usize) -> Vec<Cell> {
    let connector = connector(beam);
    let (mut base, mut ours) = (Samples::default(), Samples::default());
    for _ in 0..runs {
        base.push_time(run(beam, Path::new(NOTHING), &[]));
        let begin = Instant::now();
        ping(&connector).await;
        ours.push_time(begin.elapsed());
        beam.stop().await;
    }
    cells(
        "daemon from nothing to its first answer, beside /bin/true",
        &base,
        &ours,
    )
}

/// From neither daemon nor Lean to a verdict, beside a plain client that starts Lean.
async fn first_verdict(beam: &Beam, project: &Project, runs: usize) -> Vec<Cell> {
    let (mut base, mut ours) = (Samples::default(), Samples::default());
    for round in 0..runs {
        for turn in 0..2 {
            if (round + turn) % 2 == 0 {
                base.push_time(raw_first_verdict(beam, project));
            } else {
                ours.push_time(our_first_verdict(beam, project).await);
            }
        }
    }
    cells("first verdict from nothing, beside raw Lean", &base, &ours)
}

fn raw_first_verdict(beam: &Beam, project: &Project) -> Duration {
    let text = project.read(NAME);
    let begin = Instant::now();
    let mut lean = RawLean::start(beam, project.root(), Reporting::OURS);
    lean.open(&project.path(NAME), &text) - begin
}

async fn our_first_verdict(beam: &Beam, project: &Project) -> Duration {
    let connector = connector(beam);
    let request = project.request::<Sync>(Project::sync_params(NAME));
    let begin = Instant::now();
    ask(&connector, &request).await;
    let took = begin.elapsed();
    beam.stop().await;
    took
}

/// Starts the daemon as a client does. That of the world goes through a shell, which takes as long again.
fn connector(beam: &Beam) -> Connector {
    let program = programs::built("lean-beam-daemon");
    let bare = Connector::at(beam.runtime_dir(), ClientInfo::named("bench")).with_program(program);
    let variables = beam.environment().iter();
    variables.fold(bare, |connector, (name, value)| {
        connector.with_variable(name, value)
    })
}

async fn ping(connector: &Connector) {
    ask(connector, &Request::<Ping>::new(Empty {})).await;
}

async fn ask<O: Operation>(connector: &Connector, request: &Request<O>) {
    let answer = async { connector.call(request).await?.finish().await };
    within(HANG, O::NAME, answer)
        .await
        .must("get an answer of the daemon");
}

fn run(beam: &Beam, program: &Path, arguments: &[&str]) -> Duration {
    let mut command = process::command(program);
    command
        .args(arguments)
        .env_clear()
        .envs(beam.environment())
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    let begin = Instant::now();
    let status = command.status().must("run a program");
    let took = begin.elapsed();
    assert!(
        status.success(),
        "{} {arguments:?}: {status}",
        program.display()
    );
    took
}

fn cells(what: &str, base: &Samples, ours: &Samples) -> Vec<Cell> {
    let numbers = [
        base.median(),
        base.p90(),
        ours.median(),
        ours.p90(),
        ours.beyond(base).median(),
        ours.median() / base.median(),
    ];
    let mut cells = vec![what.into()];
    cells.extend(numbers.map(Cell::from));
    cells
}
