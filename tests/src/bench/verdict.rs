//! From an edit to Lean's verdict.

use std::time::{Duration, Instant};

use super::{
    lean_file::{LeanFile, Place},
    machine, note,
    options::Options,
    samples::{Samples, milliseconds},
    served::{Pair, sync},
    table::Table,
};

const NAME: &str = "Edited.lean";
/// Ways from an edit to a verdict.
const WAYS: usize = 3;

/// One row's figures.
#[derive(Debug, Default)]
struct Figures {
    raw: Samples,
    kept: Samples,
    cli: Samples,
    daemon_cpu: Samples,
}

pub(super) async fn measure(options: &Options) -> Vec<Table> {
    let mut table = Table::new(
        "verdict",
        "ms from an edit to Lean's verdict. raw: a plain client of Lean; kept: a client of the daemon that runs already; cli: a process of lean-beam; added: median of the differences to raw in the same round",
        [
            "edit",
            "raw",
            "raw p90",
            "kept",
            "kept p90",
            "kept added",
            "cli",
            "cli p90",
            "cli added",
            "kept/raw",
            "daemon cpu",
        ],
    );
    let small = (LeanFile::small(), 30);
    let large = (LeanFile::long(options.lines), 6);
    for (file, usual_runs) in [small, large] {
        rows(&mut table, file, options, usual_runs).await;
    }
    vec![table]
}

async fn rows(table: &mut Table, file: LeanFile, options: &Options, usual_runs: usize) {
    let mut pair = Pair::start().await;
    pair.open(NAME, &file).await;
    let mut files = Files {
        raw: file.clone(),
        served: file,
    };
    let places = Place::ALL.map(Some).into_iter().chain([None]);
    for place in places {
        // Where little is elaborated anew, more samples cost little.
        let is_cheap = matches!(place, None | Some(Place::End));
        let runs = options.runs(if is_cheap { usual_runs * 2 } else { usual_runs });
        let what = place.map_or("no edit", Place::name);
        let label = format!("{} lines, {what}", files.raw.line_count());
        note("verdict", &label);
        let figures = rounds(&mut pair, &mut files, place, runs).await;
        table.row(figures.cells(label));
    }
}

/// Each side has its own copy.
struct Files {
    raw: LeanFile,
    served: LeanFile,
}

async fn rounds(pair: &mut Pair, files: &mut Files, place: Option<Place>, runs: usize) -> Figures {
    let mut figures = Figures::default();
    for round in 0..runs {
        // Each way is the first one of a round as often as the others.
        for turn in 0..WAYS {
            pair.settle();
            match (round + turn) % WAYS {
                0 => figures.raw.push_time(raw(pair, &mut files.raw, place)),
                1 => kept(pair, &mut files.served, place, &mut figures).await,
                _ => figures
                    .cli
                    .push_time(cli(pair, &mut files.served, place).await),
            }
        }
    }
    figures
}

fn raw(pair: &mut Pair, file: &mut LeanFile, place: Option<Place>) -> Duration {
    let edit = place.map(|place| file.edit(place));
    let path = pair.raw_project.path(NAME);
    let begin = Instant::now();
    let end = match edit {
        Some(edit) => pair.raw.edit(&path, &edit),
        None => pair.raw.verdict(&path),
    };
    end - begin
}

async fn kept(pair: &Pair, file: &mut LeanFile, place: Option<Place>, figures: &mut Figures) {
    write(pair, file, place);
    let daemon = pair.daemon().pid;
    let before = machine::cpu(daemon);
    let (took, _) = sync(&pair.project, NAME, file).await;
    figures.kept.push_time(took);
    figures
        .daemon_cpu
        .push(milliseconds(machine::cpu(daemon) - before));
}

/// The edit on disk, where the daemon looks for it.
fn write(pair: &Pair, file: &mut LeanFile, place: Option<Place>) {
    if let Some(place) = place {
        file.edit(place);
        pair.project.write(NAME, file.text());
    }
}

async fn cli(pair: &Pair, file: &mut LeanFile, place: Option<Place>) -> Duration {
    write(pair, file, place);
    let command = pair.project.cli(&pair.beam, ["sync", NAME]);
    let begin = Instant::now();
    let output = command.run().await;
    let took = begin.elapsed();
    // 1: Lean found the errors that are in it.
    output.expect_code(1);
    took
}

impl Figures {
    fn cells(&self, label: String) -> Vec<super::table::Cell> {
        let Self {
            raw,
            kept,
            cli,
            daemon_cpu,
        } = self;
        let numbers = [
            raw.median(),
            raw.p90(),
            kept.median(),
            kept.p90(),
            kept.beyond(raw).median(),
            cli.median(),
            cli.p90(),
            cli.beyond(raw).median(),
            kept.median() / raw.median(),
            daemon_cpu.median(),
        ];
        let mut cells = vec![label.into()];
        cells.extend(numbers.map(Into::into));
        cells
    }
}
