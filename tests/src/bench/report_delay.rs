//! How Lean should report: what a verdict costs with each way, without lean-beam.

use std::{path::PathBuf, time::Instant};

use super::{
    lean_file::{LeanFile, Place},
    machine, note,
    options::Options,
    raw::{RawLean, Reporting, Traffic},
    samples::{Samples, milliseconds},
    table::{Cell, Table},
};
use crate::world::Beam;

const DELAYS_MS: [u32; 3] = [0, 20, 200];
const SMALL: &str = "Small.lean";
const LARGE: &str = "Large.lean";
/// Theorems of the large file.
const THEOREMS: usize = 2000;

/// What is edited, and how often by default.
const CASES: [(&str, Place, usize); 3] = [
    (SMALL, Place::Top, 15),
    (LARGE, Place::End, 7),
    (LARGE, Place::Top, 3),
];

/// A server with one way of reporting, and its copies of the files.
struct Contender {
    reporting: Reporting,
    lean: RawLean,
    root: PathBuf,
    small: LeanFile,
    large: LeanFile,
}

/// Figures of one contender in one case.
#[derive(Debug, Default)]
struct Figures {
    time: Samples,
    kilobytes: Samples,
    notifications: Samples,
    cpu: Samples,
}

pub(super) async fn measure(options: &Options) -> Vec<Table> {
    let mut table = Table::new(
        "report-delay",
        "per edit, medians: ms to the verdict, kB and notifications from Lean, ms of CPU in Lean",
        [
            "edit",
            "delay ms",
            "incremental",
            "verdict",
            "p90",
            "kB",
            "notifications",
            "cpu",
        ],
    );
    let world = Beam::real();
    let mut contenders: Vec<_> = ways().map(|way| Contender::start(&world, way)).collect();
    for (name, place, usual_runs) in CASES {
        note("report-delay", &format!("{name}, {}", place.name()));
        let all = rounds(&mut contenders, name, place, options.runs(usual_runs)).await;
        for (contender, figures) in contenders.iter().zip(all) {
            table.row(figures.cells(contender.label(name, place), contender.reporting));
        }
    }
    vec![table]
}

fn ways() -> impl Iterator<Item = Reporting> {
    DELAYS_MS.into_iter().flat_map(|delay_ms| {
        [true, false].map(|incremental| Reporting {
            delay_ms,
            incremental,
        })
    })
}

/// One edit of each contender in each round, begun by another one each time.
async fn rounds(
    contenders: &mut [Contender],
    name: &str,
    place: Place,
    runs: usize,
) -> Vec<Figures> {
    let count = contenders.len();
    let mut all: Vec<_> = (0..count).map(|_| Figures::default()).collect();
    for round in 0..runs {
        for turn in 0..count {
            let at = (round + turn) % count;
            contenders[at].edit(name, place, &mut all[at]);
            // All else here blocks: the only moment at which a signal can end this.
            tokio::task::yield_now().await;
        }
    }
    all
}

impl Contender {
    fn start(world: &Beam, reporting: Reporting) -> Self {
        let folder = format!("delay-{}-{}", reporting.delay_ms, reporting.incremental);
        let root = world.project_named(&folder).root().to_owned();
        let mut contender = Self {
            reporting,
            lean: RawLean::start(world, &root, reporting),
            root,
            small: LeanFile::small(),
            large: LeanFile::of_one_liners(THEOREMS),
        };
        for name in [SMALL, LARGE] {
            let text = contender.file(name).text();
            contender.lean.open(&contender.root.join(name), &text);
        }
        machine::settle(&[contender.lean.pid()]);
        contender
    }

    fn file(&mut self, name: &str) -> &mut LeanFile {
        if name == SMALL {
            &mut self.small
        } else {
            &mut self.large
        }
    }

    fn label(&self, name: &str, place: Place) -> String {
        let file = if name == SMALL {
            &self.small
        } else {
            &self.large
        };
        format!("{} lines, {}", file.line_count(), place.name())
    }

    /// Edits once. What Lean still does after its verdict counts for traffic and CPU, not for the time.
    fn edit(&mut self, name: &str, place: Place, figures: &mut Figures) {
        let pid = self.lean.pid();
        let path = self.root.join(name);
        let edit = self.file(name).edit(place);
        let (traffic, cpu) = (self.lean.traffic(), machine::tree_cpu(pid));
        let begin = Instant::now();
        let end = self.lean.edit(&path, &edit);
        machine::settle(&[pid]);
        figures.add_traffic(traffic, self.lean.traffic());
        figures.time.push_time(end - begin);
        figures
            .cpu
            .push(milliseconds(machine::tree_cpu(pid).saturating_sub(cpu)));
    }
}

impl Figures {
    fn add_traffic(&mut self, before: Traffic, after: Traffic) {
        let number =
            |before: u64, after: u64| u32::try_from(after - before).map_or(f64::NAN, f64::from);
        self.kilobytes
            .push(number(before.bytes, after.bytes) / 1000.0);
        self.notifications
            .push(number(before.notifications, after.notifications));
    }

    fn cells(&self, label: String, reporting: Reporting) -> Vec<Cell> {
        let on = if reporting.incremental { "on" } else { "off" };
        vec![
            label.into(),
            reporting.delay_ms.to_string().into(),
            on.into(),
            self.time.median().into(),
            self.time.p90().into(),
            self.kilobytes.median().into(),
            self.notifications.median().into(),
            self.cpu.median().into(),
        ]
    }
}
