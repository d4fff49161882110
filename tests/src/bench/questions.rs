//! Round trips of questions that need no elaboration.

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

/// What is asked, in the small file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// What `swap` in `theorem swap` is.
    Hover,
    /// The goals that `constructor` leaves.
    Goals,
    /// Where the `h` in `exact h.right` comes from.
    Definition,
}

impl Asked {
    const ALL: [Self; 3] = [Self::Hover, Self::Goals, Self::Definition];

    fn name(self) -> &'static str {
        match self {
            Self::Hover => "hover",
            Self::Goals => "goals",
            Self::Definition => "definition",
        }
    }

    /// The one request by which a plain client gets the answer.
    pub(super) fn method(self) -> &'static str {
        match self {
            Self::Hover => "textDocument/hover",
            Self::Goals => "$/lean/plainGoal",
            Self::Definition => "textDocument/definition",
        }
    }

    /// Zero-based line and UTF-16 column.
    pub(super) fn place(self) -> (u32, u32) {
        match self {
            Self::Hover => (1, 9),
            Self::Goals => (2, 4),
            Self::Definition => (3, 10),
        }
    }
}

pub(super) async fn measure(options: &Options) -> Vec<Table> {
    let mut table = Table::new(
        "questions",
        "ms for an answer, with so many documents open on either side. raw: a plain client of Lean; kept: through the daemon; added: the differences in the same round; ping: a request that the daemon answers alone",
        [
            "question",
            "documents",
            "raw",
            "raw p99",
            "kept",
            "kept p99",
            "added",
            "added p99",
            "kept/raw",
            "ping",
            "daemon cpu",
        ],
    );
    let mut pair = Pair::start().await;
    let mut open = Documents::default();
    for count in &options.documents {
        open.grow_to(&mut pair, *count).await;
        for asked in Asked::ALL {
            note("questions", &format!("{}, {count} documents", asked.name()));
            pair.settle();
            let runs = options.runs(400);
            table.row(row(&mut pair, &open, asked, runs).await);
        }
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

async fn row(pair: &mut Pair, open: &Documents, asked: Asked, runs: usize) -> Vec<Cell> {
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
                raw.push_time(pair.raw.ask(&path, asked) - begin);
            } else {
                let before = machine::cpu(daemon);
                kept.push_time(pair.ask(name, *version, asked).await);
                daemon_cpu.push(milliseconds(machine::cpu(daemon) - before));
            }
        }
        ping.push_time(pair.ping().await);
    }
    let count = u32::try_from(open.0.len()).must("count the documents");
    let added = kept.beyond(&raw);
    let numbers = [
        f64::from(count),
        raw.median(),
        raw.p99(),
        kept.median(),
        kept.p99(),
        added.median(),
        added.p99(),
        kept.median() / raw.median(),
        ping.median(),
        daemon_cpu.median(),
    ];
    let numbers = numbers.map(Cell::from);
    std::iter::once(Cell::from(asked.name()))
        .chain(numbers)
        .collect()
}
