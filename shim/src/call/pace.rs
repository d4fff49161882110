//! Which progress updates of one call are sent, and with which numbers. Pure: time comes in.
//!
//! Clients want strictly rising numbers and not too many of them. Lines done are the numbers where Lean
//! says them; what Lake does counts one step each.

use std::time::Duration;

use lean_beam_proto::event;
use tokio::time::Instant;

/// Shortest time between two updates. The first and the terminal one do not wait.
const INTERVAL: Duration = Duration::from_millis(200);

/// One update, ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Update {
    /// Rises from update to update.
    pub(super) progress: u64,
    /// What `progress` rises to, where that is known.
    pub(super) total: Option<u64>,
    /// What is going on.
    pub(super) message: String,
}

/// The updates of one call.
#[derive(Debug)]
pub(super) struct Pace {
    /// What the call is about, the start of every message.
    subject: String,
    last: Option<u64>,
    sent_at: Option<Instant>,
    /// What is added to the lines done, so that numbers go on rising after steps of the setup.
    offset: Option<u64>,
    pending: Option<Pending>,
    is_done: bool,
}

/// News that have not been sent. Newer ones replace older ones.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Pending {
    Setup(String),
    File { done_lines: u64, lines: u64 },
    Done { lines: u64 },
}

impl Pace {
    /// The updates of a call about `subject`.
    pub(super) fn new(subject: String) -> Self {
        Self {
            subject,
            last: None,
            sent_at: None,
            offset: None,
            pending: None,
            is_done: false,
        }
    }

    /// The one update that every call starts with.
    pub(super) fn preparation(&mut self, now: Instant) -> Update {
        self.sent_at = Some(now);
        self.number(0, None, "preparing")
    }

    /// Lake did something.
    pub(super) fn setup(&mut self, message: String) {
        if !self.is_done {
            self.pending = Some(Pending::Setup(message));
        }
    }

    /// Lean got further with the file. The terminal report is passed on once.
    pub(super) fn file(&mut self, progress: &event::Progress) {
        let lines = u64::from(progress.lines);
        if self.is_done {
            return;
        }
        if progress.done {
            self.pending = Some(Pending::Done { lines });
        } else if let Some(line) = progress.range_start_line {
            let done_lines = u64::from(line).min(lines);
            self.pending = Some(Pending::File { done_lines, lines });
        }
    }

    /// When the pending update may be sent; `None` when there is none.
    pub(super) fn due(&self) -> Option<Instant> {
        let earliest = self.sent_at?;
        match self.pending.as_ref()? {
            Pending::Done { .. } => Some(earliest),
            Pending::Setup(_) | Pending::File { .. } => Some(earliest + INTERVAL),
        }
    }

    /// The update to send now. `None` when it is not time, or when the news are none.
    pub(super) fn take(&mut self, now: Instant) -> Option<Update> {
        if self.due()? > now {
            return None;
        }
        let update = match self.pending.take()? {
            Pending::Setup(message) => self.step(&message),
            Pending::File { done_lines, lines } => self.lines(done_lines, lines)?,
            Pending::Done { lines } => self.done(lines),
        };
        self.sent_at = Some(now);
        Some(update)
    }

    fn step(&mut self, message: &str) -> Update {
        self.offset = None;
        self.number(self.next(), None, message)
    }

    fn lines(&mut self, done_lines: u64, lines: u64) -> Option<Update> {
        let next = self.next();
        let offset = *self.offset.get_or_insert(next.saturating_sub(done_lines));
        let progress = offset + done_lines;
        let message = format!("line {done_lines} of {lines}");
        (progress >= next).then(|| self.number(progress, Some(offset + lines), &message))
    }

    fn done(&mut self, lines: u64) -> Update {
        self.is_done = true;
        let progress = self.next().max(self.offset.unwrap_or(0) + lines);
        let message = format!("done=true, {lines} lines");
        self.number(progress, Some(progress), &message)
    }

    fn next(&self) -> u64 {
        self.last.map_or(0, |last| last + 1)
    }

    fn number(&mut self, progress: u64, total: Option<u64>, message: &str) -> Update {
        self.last = Some(progress);
        Update {
            progress,
            total,
            message: format!("{}: {message}", self.subject),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn file(line: u32, lines: u32) -> event::Progress {
        event::Progress {
            range_start_line: Some(line),
            lines,
            ..event::Progress::default()
        }
    }

    fn done(lines: u32) -> event::Progress {
        event::Progress {
            done: true,
            lines,
            ..event::Progress::default()
        }
    }

    #[test]
    fn lines_are_the_numbers_and_the_end_is_said_once() {
        let start = Instant::now();
        let mut pace = Pace::new("lean_sync on A.lean".to_owned());
        assert_eq!(
            pace.preparation(start).message,
            "lean_sync on A.lean: preparing"
        );
        pace.file(&file(5, 80));
        assert_eq!(pace.take(start), None, "too early");
        pace.file(&file(10, 80));
        let update = pace.take(start + INTERVAL).unwrap();
        assert_eq!(
            (update.progress, update.total),
            (10, Some(80)),
            "the newest counts"
        );
        pace.file(&done(80));
        let update = pace.take(start + INTERVAL).unwrap();
        assert_eq!(
            (update.progress, update.total),
            (80, Some(80)),
            "the end does not wait"
        );
        assert!(update.message.contains("done=true"));
        pace.file(&done(80));
        pace.setup("late".to_owned());
        assert_eq!(pace.take(start + INTERVAL * 9), None);
    }

    #[test]
    fn what_does_not_rise_is_not_news() {
        let start = Instant::now();
        let mut pace = Pace::new("x".to_owned());
        pace.preparation(start);
        pace.file(&file(10, 80));
        assert!(pace.take(start + INTERVAL).is_some());
        pace.file(&file(10, 80));
        assert_eq!(pace.take(start + INTERVAL * 2), None);
        pace.file(&file(4, 80));
        assert_eq!(pace.take(start + INTERVAL * 3), None);
    }

    proptest! {
        #[test]
        fn numbers_rise_strictly_and_keep_their_distance_whatever_happens(
            events in proptest::collection::vec((0u8..8, 0u32..50, 0u32..50, 0u64..400), 0..80),
        ) {
            let mut now = Instant::now();
            let mut pace = Pace::new("x".to_owned());
            let mut last = pace.preparation(now);
            let mut last_at = now;
            let mut ends = 0;
            for (kind, line, lines, pause) in events {
                now += Duration::from_millis(pause);
                match kind {
                    0 => pace.setup("m".to_owned()),
                    1 => pace.file(&done(lines)),
                    _ => pace.file(&file(line, lines)),
                }
                let Some(update) = pace.take(now) else { continue };
                let is_end = update.message.contains("done=true");
                prop_assert!(update.progress > last.progress);
                prop_assert!(update.total.is_none_or(|total| total >= update.progress));
                prop_assert!(is_end || now - last_at >= INTERVAL);
                ends += u32::from(is_end);
                last = update;
                last_at = now;
            }
            prop_assert!(ends <= 1);
        }
    }
}
