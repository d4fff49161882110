//! Hover round trips.

use std::time::Instant;

use super::{
    lean_file::LeanFile,
    machine, note,
    options::Options,
    samples::{Samples, milliseconds},
    served::Pair,
    table::{Cell, Table},
};
use crate::must::Must;

/// What is hovered over in the small file: `swap` in `theorem swap`.
const PLACE: (u32, u32) = (1, 9);

pub(super) async fn measure(options: &Options) -> Vec<Table> {
    let mut table = Table::new(
        "hover",
        "ms for a hover, with so many documents open on either side. raw: a plain client of Lean; kept: through the daemon; added: median of the differences in the same round; ping: a request that the daemon answers alone",
        [
            "documents",
            "raw",
            "raw p90",
            "kept",
            "kept p90",
            "added",
            "kept/raw",
            "ping",
            "daemon cpu",
        ],
    );
    let mut pair = Pair::start().await;
    let mut open = Documents::default();
    for count in &options.documents {
        note("hover", &format!("{count} documents"));
        open.grow_to(&mut pair, *count).await;
        pair.settle();
        let runs = options.runs(100);
        table.row(row(&mut pair, &open, runs).await);
    }
    vec![table]
}

/// Names and the daemon's versions of the open documents.
#[derive(Debug, Default)]
pub(super) struct Documents(Vec<(String, u64)>);

impl Documents {
    /// Opens small files on both sides until there are `count`.
    pub(super) async fn grow_to(&mut self, pair: &mut Pair, count: usize) {
        for number in self.0.len()..count {
            let name = format!("Small{number}.lean");
            let version = pair.open(&name, &LeanFile::small()).await;
            self.0.push((name, version));
        }
    }
}

async fn row(pair: &mut Pair, open: &Documents, runs: usize) -> Vec<Cell> {
    let (mut raw, mut kept, mut ping) =
        (Samples::default(), Samples::default(), Samples::default());
    let daemon = pair.daemon().pid;
    let mut daemon_cpu = Samples::default();
    for round in 0..runs {
        let (name, version) = &open.0[round % open.0.len()];
        let path = pair.raw_project.path(name);
        for turn in 0..2 {
            if (round + turn) % 2 == 0 {
                let begin = Instant::now();
                raw.push_time(pair.raw.hover(&path, PLACE) - begin);
            } else {
                let before = machine::cpu(daemon);
                kept.push_time(pair.hover(name, *version, PLACE).await);
                daemon_cpu.push(milliseconds(machine::cpu(daemon) - before));
            }
        }
        ping.push_time(pair.ping().await);
    }
    let count = u32::try_from(open.0.len()).must("count the documents");
    let numbers = [
        f64::from(count),
        raw.median(),
        raw.p90(),
        kept.median(),
        kept.p90(),
        kept.beyond(&raw).median(),
        kept.median() / raw.median(),
        ping.median(),
        daemon_cpu.median(),
    ];
    numbers.map(Cell::from).to_vec()
}
