//! A text that is shown again and again in the same place.

use std::io::{self, IsTerminal as _};

use anstream::{AutoStream, ColorChoice, adapter::strip_str};
use serde::Serialize;

use super::{Mode, Output, json};

/// Another screen, without a cursor and without lines that are broken at the edge.
const ENTER: &str = "\x1b[?1049h\x1b[?25l\x1b[?7l";
/// The screen from before.
const LEAVE: &str = "\x1b[?7h\x1b[?25h\x1b[?1049l";
/// To the upper left corner.
const HOME: &str = "\x1b[H";
/// Nothing more on this line.
const CLEAR_LINE: &str = "\x1b[K";
/// Nothing more below.
const CLEAR_BELOW: &str = "\x1b[J";
/// Lines of a terminal that does not say how many it has.
const LINES: usize = 24;

/// Where the text is shown: in place on a terminal, one below the other elsewhere, as lines of JSON for programs.
#[derive(Debug)]
pub(crate) struct Screen {
    output: Output,
    is_terminal: bool,
}

impl Screen {
    pub(super) fn enter(output: &Output) -> io::Result<Self> {
        let is_terminal = output.mode == Mode::Human && io::stdout().is_terminal();
        if is_terminal {
            output.raw(ENTER)?;
        }
        Ok(Self {
            output: output.clone(),
            is_terminal,
        })
    }

    /// Shows `value`, for people as the text that `human` makes of it.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub(crate) fn show<T: Serialize>(
        &mut self,
        value: &T,
        human: impl FnOnce() -> String,
    ) -> io::Result<()> {
        match self.output.mode {
            Mode::Json => self.output.raw(&json::line(value)?),
            Mode::Human if self.is_terminal => {
                let text = self.colored(human());
                self.output.raw(&frame(&text, height()))
            }
            Mode::Human => self.output.text(&format!("{}\n", human())),
        }
    }

    /// The text with its colors, where they are wanted. The rest of the frame has to stay in any case.
    fn colored(&self, text: String) -> String {
        let choice = match self.output.color {
            ColorChoice::Auto => AutoStream::choice(&io::stdout()),
            choice => choice,
        };
        match choice {
            ColorChoice::Never => strip_str(&text).to_string(),
            _ => text,
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        if self.is_terminal {
            // A terminal that is gone needs no putting in order.
            self.output.raw(LEAVE).ok();
        }
    }
}

/// `text` over whatever was shown before, at most `lines` lines of it.
fn frame(text: &str, lines: usize) -> String {
    let total = text.lines().count();
    let shown: Vec<&str> = if total > lines {
        let mut shown: Vec<_> = text.lines().take(lines.saturating_sub(1)).collect();
        shown.push("…");
        shown
    } else {
        text.lines().collect()
    };
    // No line end after the last one: it would push the first one out.
    let body = shown.join(&format!("{CLEAR_LINE}\n"));
    format!("{HOME}{body}{CLEAR_LINE}{CLEAR_BELOW}")
}

fn height() -> usize {
    match terminal_size::terminal_size() {
        Some((_, terminal_size::Height(lines))) if lines > 0 => usize::from(lines),
        _ => LINES,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_covers_the_last_one_and_fits_the_terminal() {
        assert_eq!(frame("a\nb\n", 3), "\x1b[Ha\x1b[K\nb\x1b[K\x1b[J");
        assert_eq!(
            frame("a\nb\nc\nd", 3),
            "\x1b[Ha\x1b[K\nb\x1b[K\n…\x1b[K\x1b[J"
        );
        assert_eq!(frame("", 3), "\x1b[H\x1b[K\x1b[J");
    }
}
