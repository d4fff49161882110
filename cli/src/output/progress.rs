//! One line on standard error while something takes a while.

use std::{
    future::Future,
    io::{self, Write as _},
    pin::pin,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};
use lean_beam_proto::event::{self, Event};
use tokio::time::{MissedTickBehavior, interval};

/// What is done sooner than this needs no progress line.
const DELAY: Duration = Duration::from_millis(300);
/// How often the line moves.
const TICK: Duration = Duration::from_millis(100);

/// A line that appears when the wait gets long and is gone afterwards.
#[derive(Debug)]
pub(crate) struct Progress {
    started: Instant,
    visible: bool,
    colors: bool,
    message: String,
    lines: Option<Lines>,
    bar: Option<ProgressBar>,
}

/// How many lines of how many are elaborated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Lines {
    done: u64,
    total: u64,
}

impl Progress {
    pub(super) fn new(subject: &str, visible: bool, colors: bool) -> Self {
        Self {
            started: Instant::now(),
            visible,
            colors,
            message: subject.to_owned(),
            lines: None,
            bar: None,
        }
    }

    /// Does `work` while the line moves.
    pub(crate) async fn during<T>(&mut self, work: impl Future<Output = T>) -> T {
        if !self.visible {
            return work.await;
        }
        let mut work = pin!(work);
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                done = &mut work => return done,
                _ = ticks.tick() => self.draw(),
            }
        }
    }

    /// Says something else.
    pub(crate) fn say(&mut self, message: impl Into<String>) {
        self.message = message.into();
        self.lines = None;
    }

    /// Takes over what an event tells.
    pub(crate) fn show(&mut self, event: &Event) {
        match event {
            Event::Progress(progress) => {
                self.message.clone_from(&progress.path);
                self.lines = Some(Lines::of(progress));
            }
            Event::Setup { path, message } => self.say(format!("{path}: {}", message.trim())),
            Event::Notice { message } => self.say(message.trim()),
            Event::Accepted { .. } | Event::Diagnostics { .. } | Event::Unknown => {}
        }
    }

    fn draw(&mut self) {
        if self.started.elapsed() < DELAY {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            ProgressBar::no_length()
                .with_message(self.message.clone())
                .with_elapsed(self.started.elapsed())
        });
        bar.set_style(style(self.lines.is_some(), self.colors));
        // Each change draws the line anew, so only real ones are made.
        if bar.message() != self.message {
            bar.set_message(self.message.clone());
        }
        if let Some(lines) = self.lines
            && (bar.length(), bar.position()) != (Some(lines.total), lines.done)
        {
            bar.set_length(lines.total);
            bar.set_position(lines.done);
        }
        bar.tick();
        // The cursor is left at the end of a line that fills the terminal, where the `^C` that a terminal
        // echoes begins a second line, and the first one is no longer found to be cleared.
        drop(io::stderr().write_all(b"\r"));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Lines {
    /// Lean tells what is still to do; everything before that is done.
    fn of(progress: &event::Progress) -> Self {
        let total = u64::from(progress.lines.max(1));
        let done = match progress.range_start_line {
            _ if progress.done => total,
            Some(line) => u64::from(line).min(total),
            None => 0,
        };
        Self { done, total }
    }
}

fn style(has_lines: bool, colors: bool) -> ProgressStyle {
    let template = match (has_lines, colors) {
        (true, true) => "{spinner:.cyan} {msg} {bar:24.cyan/8} {pos}/{len} lines {elapsed:.8}",
        (true, false) => "{spinner} {msg} {bar:24} {pos}/{len} lines {elapsed}",
        (false, true) => "{spinner:.cyan} {msg} {elapsed:.8}",
        (false, false) => "{spinner} {msg} {elapsed}",
    };
    ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_spinner())
        .tick_chars("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏ ")
        .progress_chars("━━─")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(range_start_line: Option<u32>, done: bool) -> event::Progress {
        event::Progress {
            path: "A.lean".to_owned(),
            range_start_line,
            done,
            lines: 40,
            ..event::Progress::default()
        }
    }

    #[test]
    fn lines_before_the_open_range_are_done() {
        let done = |start, done| Lines::of(&progress(start, done)).done;
        assert_eq!(done(None, false), 0);
        assert_eq!(done(Some(7), false), 7);
        assert_eq!(done(Some(99), false), 40);
        assert_eq!(done(Some(7), true), 40);
    }

    #[test]
    fn every_template_is_understood() {
        for has_lines in [true, false] {
            for colors in [true, false] {
                let bar = ProgressBar::hidden();
                bar.set_style(style(has_lines, colors));
            }
        }
    }

    #[test]
    fn a_setup_line_replaces_the_bar() {
        let mut line = Progress::new("A.lean", false, false);
        line.show(&Event::Progress(progress(Some(3), false)));
        assert_eq!(line.lines, Some(Lines { done: 3, total: 40 }));
        line.show(&Event::Setup {
            path: "A.lean".to_owned(),
            message: "building B ".to_owned(),
        });
        assert_eq!(
            (line.message.as_str(), line.lines),
            ("A.lean: building B", None)
        );
    }

    #[tokio::test]
    async fn work_is_done_with_and_without_a_line() {
        for visible in [false, true] {
            let mut line = Progress::new("x", visible, false);
            assert_eq!(line.during(async { 5 }).await, 5);
        }
    }
}
