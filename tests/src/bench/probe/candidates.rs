//! Many candidates for one goal.

use std::time::{Duration, Instant};

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

const CANDIDATES: usize = 32;
const LIMIT: Duration = Duration::from_secs(60);

pub(super) async fn measure(options: &Options) -> Table {
    note("probe", &format!("{CANDIDATES} candidates"));
    let mut bench = Bench::open(&ProbeFile { behind: 100 }).await;
    let (mut raw, mut kept) = (Samples::default(), Samples::default());
    // The first round opens what either side needs.
    round(
        &mut bench,
        0,
        (&mut Samples::default(), &mut Samples::default()),
    )
    .await;
    for number in 1..=options.runs(20) {
        round(&mut bench, number, (&mut raw, &mut kept)).await;
    }
    let mut table = Table::new(
        "candidates",
        "ms for 32 candidates at one goal. raw: a plain client, one after the other in one cut-off copy; kept: one `try`",
        [
            "candidates",
            "raw",
            "raw p90",
            "kept",
            "kept p90",
            "kept/raw",
        ],
    );
    let count = u32::try_from(CANDIDATES).must("count candidates");
    let numbers = [
        f64::from(count),
        raw.median(),
        raw.p90(),
        kept.median(),
        kept.p90(),
        kept.median() / raw.median(),
    ];
    table.row(numbers.map(Cell::from));
    table
}

async fn round(bench: &mut Bench, number: usize, (raw, kept): (&mut Samples, &mut Samples)) {
    let texts: Vec<_> = (0..CANDIDATES)
        .map(|candidate| format!("have step{number}_{candidate} := h.left"))
        .collect();
    let begin = Instant::now();
    for text in &texts {
        bench.plain.run(std::slice::from_ref(text));
    }
    raw.push(milliseconds(begin.elapsed()));
    let begin = Instant::now();
    let place = ProbeFile::place();
    let result = bench.prober.try_all(place, texts, LIMIT, false).await;
    kept.push(milliseconds(begin.elapsed()));
    assert_eq!(result.must("try").first_success, Some(0));
}
