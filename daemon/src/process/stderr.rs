//! The last lines that a child wrote to its standard error.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use tokio::io::AsyncRead;

use super::lines::read_lines;

/// How many lines are kept.
const KEPT_LINES: usize = 50;
/// How many lines are passed on to the log in one interval.
const LOGGED_LINES: u32 = 20;
/// That interval.
const LOG_INTERVAL: Duration = Duration::from_secs(10);

/// The last lines, shared by the task that reads them and whoever reports them.
#[derive(Debug, Clone, Default)]
pub(crate) struct StderrRing {
    lines: Arc<Mutex<VecDeque<String>>>,
}

impl StderrRing {
    /// The lines kept now, oldest first.
    pub(crate) fn tail(&self) -> Vec<String> {
        self.lines
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .cloned()
            .collect()
    }

    /// Reads `source` to its end.
    pub(crate) async fn read_all(self, source: impl AsyncRead + Unpin, pid: u32) {
        let mut log = LogBudget::default();
        read_lines(source, |line| {
            log.write(pid, &line);
            self.push(line);
        })
        .await;
    }

    fn push(&self, line: String) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == KEPT_LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }
}

/// Keeps a chatty child from filling the log.
#[derive(Debug)]
struct LogBudget {
    since: Instant,
    written: u32,
    dropped: u64,
}

impl Default for LogBudget {
    fn default() -> Self {
        Self {
            since: Instant::now(),
            written: 0,
            dropped: 0,
        }
    }
}

impl LogBudget {
    fn write(&mut self, pid: u32, line: &str) {
        if self.since.elapsed() >= LOG_INTERVAL {
            if self.dropped > 0 {
                tracing::warn!(
                    pid,
                    dropped = self.dropped,
                    "lines of standard error left out"
                );
            }
            *self = Self::default();
        }
        if self.written < LOGGED_LINES {
            self.written += 1;
            tracing::info!(pid, line, "standard error");
        } else {
            self.dropped += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::lines::LINE_BYTES, *};

    async fn tail_of(bytes: &[u8]) -> Vec<String> {
        let ring = StderrRing::default();
        ring.clone().read_all(bytes, 1).await;
        ring.tail()
    }

    #[tokio::test]
    async fn the_last_lines_are_kept_in_order() {
        let text: String = (0..80).map(|n| format!("line {n}\r\n")).collect();
        let tail = tail_of(text.as_bytes()).await;
        assert_eq!(tail.len(), KEPT_LINES);
        assert_eq!(
            (tail[0].as_str(), tail[49].as_str()),
            ("line 30", "line 79")
        );
    }

    #[tokio::test]
    async fn an_endless_line_is_cut_and_what_follows_is_kept() {
        let mut text = vec![b'x'; 5_000_000];
        text.extend_from_slice(b"\nafter, without an end");
        let tail = tail_of(&text).await;
        assert_eq!(
            (tail.len(), tail[0].len(), tail[1].as_str()),
            (2, LINE_BYTES, "after, without an end")
        );
    }

    #[tokio::test]
    async fn bytes_that_are_not_utf8_are_shown_as_far_as_possible() {
        assert_eq!(tail_of(b"a\xffb\n").await, ["a\u{fffd}b"]);
    }
}
