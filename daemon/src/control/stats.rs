//! Counters of operations.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use lean_beam_proto::{
    ErrorCode,
    status::{Limits, OperationStats, StatsResult},
};

/// The only owner of the counters.
#[derive(Debug)]
pub(crate) struct OperationCounters {
    // Held for single updates only, never across an await.
    counted: Mutex<StatsResult>,
}

impl OperationCounters {
    /// Counting begins at `now_ms`, in milliseconds since the Unix epoch.
    pub(crate) fn new(now_ms: u64) -> Self {
        Self {
            counted: Mutex::new(empty(now_ms)),
        }
    }

    pub(crate) fn connection(&self) {
        self.lock().connections += 1;
    }

    pub(crate) fn malformed(&self) {
        self.lock().malformed += 1;
    }

    /// An operation ended.
    pub(crate) fn record(&self, op: &str, error: Option<ErrorCode>, took: Duration) {
        let mut counted = self.lock();
        let stats = match counted.operations.get_mut(op) {
            Some(stats) => stats,
            None => counted.operations.entry(op.to_owned()).or_default(),
        };
        add(
            stats,
            error,
            u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
        );
    }

    /// A copy, without limits and workspaces.
    pub(crate) fn snapshot(&self) -> StatsResult {
        self.lock().clone()
    }

    /// Begins anew at `now_ms`.
    pub(crate) fn reset(&self, now_ms: u64) {
        *self.lock() = empty(now_ms);
    }

    fn lock(&self) -> MutexGuard<'_, StatsResult> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn empty(since_ms: u64) -> StatsResult {
    StatsResult {
        since_ms,
        connections: 0,
        malformed: 0,
        limits: Limits::default(),
        operations: BTreeMap::new(),
        workspaces: Vec::new(),
    }
}

fn add(stats: &mut OperationStats, error: Option<ErrorCode>, took_us: u64) {
    stats.count += 1;
    match error {
        None => stats.ok += 1,
        Some(code) => *stats.errors.entry(code.to_string()).or_default() += 1,
    }
    stats.total_us += took_us;
    stats.max_us = stats.max_us.max(took_us);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_counted_by_code_and_a_reset_begins_anew() {
        let counters = OperationCounters::new(5);
        counters.record("sync", None, Duration::from_micros(10));
        counters.record(
            "sync",
            Some(ErrorCode::DeadlineExceeded),
            Duration::from_micros(30),
        );
        let sync = &counters.snapshot().operations["sync"];
        assert_eq!(
            (
                sync.count,
                sync.ok,
                sync.errors["deadlineExceeded"],
                sync.total_us,
                sync.max_us
            ),
            (2, 1, 1, 40, 30)
        );
        counters.reset(9);
        assert_eq!(counters.snapshot(), empty(9));
    }
}
