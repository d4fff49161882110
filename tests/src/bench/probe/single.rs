//! One text at one place, with more and more of the file behind it.

use std::time::Instant;

use super::{
    super::{
        machine::Memory,
        note,
        options::Options,
        samples::{Samples, milliseconds},
        table::{Cell, Table},
    },
    Bench, NAME, ProbeFile,
};
use crate::{must::Must, probing::lane_workers};

/// Theorems behind the place.
const BEHIND: [usize; 4] = [0, 100, 400, 1600];

pub(super) async fn measure(options: &Options) -> Table {
    let mut table = Table::new(
        "one text",
        "ms to run a text in a proof, with so many theorems behind it. edit: a plain client that writes it into the file and waits for the verdict; raw: one that runs it in a cut-off copy in a second Lean; kept: run_at; lane: MiB (PSS) of the worker that runs texts",
        [
            "theorems behind",
            "edit",
            "raw first",
            "raw",
            "raw p90",
            "kept first",
            "kept",
            "kept p90",
            "added",
            "kept/raw",
            "lane",
        ],
    );
    for behind in BEHIND {
        note("probe", &format!("{behind} theorems behind the place"));
        table.row(row(&ProbeFile { behind }, options.runs(50)).await);
    }
    table
}

async fn row(file: &ProbeFile, runs: usize) -> Vec<Cell> {
    let mut bench = Bench::open(file).await;
    bench.pair.settle();
    let (mut edit, mut raw, mut kept) =
        (Samples::default(), Samples::default(), Samples::default());
    let (raw_first, kept_first) = (plain_run(&mut bench, 0), our_run(&bench, 0).await);
    for round in 1..=runs {
        for turn in 0..2 {
            if (round + turn) % 2 == 0 {
                raw.push(plain_run(&mut bench, round));
            } else {
                kept.push(our_run(&bench, round).await);
            }
        }
    }
    for round in 1..=runs.min(10) {
        edit.push(written_run(&mut bench, file, round));
    }
    let numbers = [
        f64::from(u32::try_from(file.behind).must("count theorems")),
        edit.median(),
        raw_first,
        raw.median(),
        raw.p90(),
        kept_first,
        kept.median(),
        kept.p90(),
        kept.beyond(&raw).median(),
        kept.median() / raw.median(),
        lane_memory(&bench).await,
    ];
    numbers.map(Cell::from).to_vec()
}

/// Never twice the same, so that nobody can know the answer already.
fn step(number: usize) -> String {
    format!("have step{number} := h.left")
}

fn plain_run(bench: &mut Bench, number: usize) -> f64 {
    let begin = Instant::now();
    let end = bench.plain.run(&[step(number)]);
    milliseconds(end - begin)
}

async fn our_run(bench: &Bench, number: usize) -> f64 {
    let begin = Instant::now();
    let result = bench.prober.run_at(ProbeFile::place(), &step(number)).await;
    let end = Instant::now();
    assert!(result.must("run a text").success);
    milliseconds(end - begin)
}

fn written_run(bench: &mut Bench, file: &ProbeFile, number: usize) -> f64 {
    let path = bench.pair.raw_project.path(NAME);
    let kept = file.kept();
    let text = file.text();
    let rest = text.strip_prefix(&kept).must("begin with what is kept");
    let text = format!("{kept}{}\n  {rest}", step(number));
    let begin = Instant::now();
    bench.pair.raw.put(&path, &text);
    let end = bench.pair.raw.verdict(&path);
    milliseconds(end - begin)
}

async fn lane_memory(bench: &Bench) -> f64 {
    let workers = lane_workers(&bench.pair.beam).await;
    let memory: Memory = workers.iter().map(|worker| Memory::of(worker.pid)).sum();
    memory.proportional / f64::from(u32::try_from(workers.len()).must("count workers"))
}
