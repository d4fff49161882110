//! What the demo found, for programs.

use std::time::Duration;

use lean_beam_proto::op::{GoalsResult, HoverResult, RunResult, SaveResult, SyncResult, TryResult};
use serde::Serialize;

use super::lean::Lean;

/// A result, and how long it took.
#[derive(Debug)]
pub(super) struct Timed<T> {
    pub(super) result: T,
    pub(super) elapsed: Duration,
}

/// What came of all steps.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) mistaken: Timed<SyncResult>,
    pub(super) goals: Timed<GoalsResult>,
    pub(super) hover: Timed<HoverResult>,
    pub(super) attempts: Timed<TryResult>,
    pub(super) steps: Timed<Vec<RunResult>>,
    pub(super) mended: Timed<SyncResult>,
    pub(super) saved: Timed<SaveResult>,
    pub(super) used: Timed<SyncResult>,
}

/// The one JSON object of the demo.
#[derive(Debug, Serialize)]
pub(super) struct Report<'a> {
    lean: &'a Lean,
    mistaken: &'a SyncResult,
    /// What is to be proved where the mistake is.
    goals: &'a GoalsResult,
    hover: &'a HoverResult,
    /// What came of the candidates.
    candidates: &'a TryResult,
    /// The proof by handles, step by step.
    steps: &'a [RunResult],
    mended: &'a SyncResult,
    saved: &'a SaveResult,
    /// The verdict on a file that imports what was saved.
    used: &'a SyncResult,
    times_ms: Times,
}

#[derive(Debug, Serialize)]
struct Times {
    daemon_ready: f64,
    first_verdict: f64,
    goals: f64,
    hover: f64,
    candidates: f64,
    steps: f64,
    next_verdict: f64,
    save: f64,
    importer_verdict: f64,
}

impl<'a> Report<'a> {
    /// The report of a demo whose daemon got ready in `ready`.
    pub(super) fn new(lean: &'a Lean, ready: Duration, found: &'a Found) -> Self {
        Self {
            lean,
            mistaken: &found.mistaken.result,
            goals: &found.goals.result,
            hover: &found.hover.result,
            candidates: &found.attempts.result,
            steps: &found.steps.result,
            mended: &found.mended.result,
            saved: &found.saved.result,
            used: &found.used.result,
            times_ms: Times {
                daemon_ready: millis(ready),
                first_verdict: millis(found.mistaken.elapsed),
                goals: millis(found.goals.elapsed),
                hover: millis(found.hover.elapsed),
                candidates: millis(found.attempts.elapsed),
                steps: millis(found.steps.elapsed),
                next_verdict: millis(found.mended.elapsed),
                save: millis(found.saved.elapsed),
                importer_verdict: millis(found.used.elapsed),
            },
        }
    }
}

/// Milliseconds with two digits behind the point.
fn millis(time: Duration) -> f64 {
    (time.as_secs_f64() * 100_000.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_two_digits_behind_the_point() {
        assert_eq!(millis(Duration::from_micros(1_239)), 1.24);
        assert_eq!(millis(Duration::from_secs(2)), 2000.0);
    }
}
