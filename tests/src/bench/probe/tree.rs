//! A tree search: from each state on, so many texts, some of which lead on.

use std::time::Instant;

use super::{
    super::{
        note,
        options::Options,
        samples::{Samples, milliseconds},
        table::{Cell, Table},
    },
    Bench, ProbeFile,
};
use crate::must::Must;

const DEPTH: usize = 6;
const WIDTH: usize = 8;
/// How many of the states of a level are gone on from.
const BEAM: usize = 3;

pub(super) async fn measure(options: &Options) -> Table {
    note("probe", "a tree search");
    let mut bench = Bench::open(&ProbeFile { behind: 100 }).await;
    let (mut raw, mut kept) = (Samples::default(), Samples::default());
    for number in 0..options.runs(5) {
        raw.push(plain_search(&mut bench, number));
        kept.push(our_search(&bench, number).await);
    }
    let mut table = Table::new(
        "tree search",
        "states per second of a search of depth 6 and width 8 that goes on from 3 states of each level. raw: a plain client that writes all texts of a branch anew; kept: handles",
        ["states", "raw", "kept", "kept/raw"],
    );
    let states = f64::from(u32::try_from(states()).must("count states"));
    let rate = |times: &Samples| states / times.median() * 1000.0;
    let numbers = [states, rate(&raw), rate(&kept), rate(&kept) / rate(&raw)];
    table.row(numbers.map(Cell::from));
    table
}

fn states() -> usize {
    WIDTH + (DEPTH - 1) * BEAM * WIDTH
}

fn text(search: usize, level: usize, parent: usize, child: usize) -> String {
    format!("have s{search}_{level}_{parent}_{child} := h.left")
}

fn plain_search(bench: &mut Bench, search: usize) -> f64 {
    let begin = Instant::now();
    let mut front: Vec<Vec<String>> = vec![Vec::new()];
    for level in 0..DEPTH {
        let mut next = Vec::new();
        for (parent, steps) in front.iter().enumerate() {
            for child in 0..WIDTH {
                let mut steps = steps.clone();
                steps.push(text(search, level, parent, child));
                bench.plain.run(&steps);
                next.push(steps);
            }
        }
        next.truncate(BEAM);
        front = next;
    }
    milliseconds(begin.elapsed())
}

async fn our_search(bench: &Bench, search: usize) -> f64 {
    let begin = Instant::now();
    let mut front = Vec::new();
    for child in 0..WIDTH {
        let text = text(search, 0, 0, child);
        front.push(bench.prober.handle(ProbeFile::place(), &text).await);
    }
    for level in 1..DEPTH {
        front.truncate(BEAM);
        let mut next = Vec::new();
        for (parent, handle) in front.iter().enumerate() {
            for child in 0..WIDTH {
                let text = text(search, level, parent, child);
                next.push(bench.prober.go_on(handle, &text).await);
            }
        }
        front = next;
    }
    milliseconds(begin.elapsed())
}
