//! How often a server that dies is started again.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

/// Crashes older than this do not count.
const WINDOW: Duration = Duration::from_secs(60);
/// After this many crashes within the window the server is left alone.
const GIVE_UP_AFTER: usize = 4;
/// Pause before the start after the first, second, … crash within the window.
const PAUSES: [Duration; GIVE_UP_AFTER] = [
    Duration::ZERO,
    Duration::from_millis(200),
    Duration::from_secs(1),
    Duration::from_secs(3),
];

/// The crashes of one workspace's servers.
#[derive(Debug, Default)]
pub(crate) struct CrashHistory {
    crashes: VecDeque<Instant>,
}

/// Whether a server may be started.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Yes, after this pause.
    StartAfter(Duration),
    /// Not before this much time has passed.
    GivenUp {
        /// Until the oldest crash leaves the window.
        retry_in: Duration,
        /// How many crashes there were.
        crashes: usize,
    },
}

impl CrashHistory {
    /// A server died on its own.
    pub(crate) fn record(&mut self, now: Instant) {
        self.crashes.push_back(now);
    }

    /// Forgets everything, as after a drop.
    pub(crate) fn clear(&mut self) {
        self.crashes.clear();
    }

    /// Whether a server may be started at `now`.
    pub(crate) fn verdict(&mut self, now: Instant) -> Verdict {
        self.crashes
            .retain(|crash| now.saturating_duration_since(*crash) < WINDOW);
        let crashes = self.crashes.len();
        match (PAUSES.get(crashes), self.crashes.front()) {
            (Some(pause), _) => Verdict::StartAfter(*pause),
            (None, Some(oldest)) => Verdict::GivenUp {
                retry_in: WINDOW.saturating_sub(now.saturating_duration_since(*oldest)),
                crashes,
            },
            (None, None) => Verdict::StartAfter(Duration::ZERO),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_then_the_server_is_left_alone_until_the_window_has_passed() {
        let start = Instant::now();
        let mut history = CrashHistory::default();
        for pause in PAUSES {
            assert_eq!(history.verdict(start), Verdict::StartAfter(pause));
            history.record(start);
        }
        let later = start + Duration::from_secs(50);
        assert_eq!(
            history.verdict(later),
            Verdict::GivenUp {
                retry_in: Duration::from_secs(10),
                crashes: 4
            }
        );
        assert_eq!(
            history.verdict(start + WINDOW),
            Verdict::StartAfter(Duration::ZERO)
        );
    }
}
