//! Everything that this program prints goes through here.
//!
//! Results go to standard output: text for people, or exactly one JSON object. Progress, remarks and, for
//! people, errors go to standard error.

pub(crate) mod human;
mod json;
mod progress;
mod screen;

use std::io::{self, IsTerminal as _, Write as _};

use anstream::{AutoStream, ColorChoice};
use clap::error::ErrorKind;
use lean_beam_proto::{BeamError, ErrorCode, client::Answer};
use serde::Serialize;

pub(crate) use progress::Progress;
pub(crate) use screen::Screen;

use crate::{args::Globals, exit_code::Exit};

/// For whom the output is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// People at a terminal.
    Human,
    /// Programs.
    Json,
}

/// Where and how to print.
#[derive(Debug, Clone)]
pub(crate) struct Output {
    mode: Mode,
    quiet: bool,
    color: ColorChoice,
}

impl Output {
    /// The output that the command line asks for.
    pub(crate) fn new(globals: &Globals) -> Self {
        let human = globals.human || (!globals.json && io::stdout().is_terminal());
        Self {
            mode: if human { Mode::Human } else { Mode::Json },
            quiet: globals.quiet,
            color: match globals.color {
                clap::ColorChoice::Auto => ColorChoice::Auto,
                clap::ColorChoice::Always => ColorChoice::Always,
                clap::ColorChoice::Never => ColorChoice::Never,
            },
        }
    }

    /// An output without progress.
    #[cfg(test)]
    pub(crate) fn for_tests() -> Self {
        Self {
            mode: Mode::Json,
            quiet: true,
            color: ColorChoice::Never,
        }
    }

    /// True when the result is one JSON object.
    pub(crate) fn is_json(&self) -> bool {
        self.mode == Mode::Json
    }

    /// Prints a result: as JSON, or as the text that `human` makes of it.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub(crate) fn show<T: Serialize>(
        &self,
        result: &T,
        human: impl FnOnce() -> String,
    ) -> io::Result<()> {
        match self.mode {
            Mode::Json => self.raw(&json::line(result)?),
            Mode::Human => self.text(&human()),
        }
    }

    /// Prints the answer of the daemon, in JSON with the project that it is about.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub(crate) fn show_answer<T: Serialize>(
        &self,
        answer: &Answer<T>,
        human: impl FnOnce() -> String,
    ) -> io::Result<()> {
        self.show(&json::Success::of(answer), human)
    }

    /// Prints text for people, with its colors where they are wanted, and a newline unless it has one.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub(crate) fn text(&self, text: &str) -> io::Result<()> {
        let mut stdout = AutoStream::new(io::stdout(), self.color).lock();
        stdout.write_all(text.as_bytes())?;
        if !text.is_empty() && !text.ends_with('\n') {
            stdout.write_all(b"\n")?;
        }
        stdout.flush()
    }

    /// Prints a part of a longer story, for people only: in JSON the result tells everything.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub(crate) fn narrate(&self, text: &str) -> io::Result<()> {
        match self.mode {
            Mode::Human => self.text(text),
            Mode::Json => Ok(()),
        }
    }

    /// A place where a text is shown again and again. On a terminal it takes all of that until it is dropped.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub(crate) fn screen(&self) -> io::Result<Screen> {
        Screen::enter(self)
    }

    /// Prints `text` as it is.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub(crate) fn raw(&self, text: &str) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(text.as_bytes())?;
        stdout.flush()
    }

    /// Prints a remark on standard error, for people only.
    pub(crate) fn remark(&self, text: &str) {
        if !self.quiet && self.mode == Mode::Human {
            self.complain(text);
        }
    }

    /// Reports a failed command: JSON on standard output, or text on standard error.
    pub(crate) fn failure(&self, error: &BeamError) {
        match self.mode {
            // Whoever does not listen does not want to hear of that either.
            Mode::Json => drop(json::failure(error).and_then(|line| self.raw(&line))),
            Mode::Human => self.complain(&human::error(error)),
        }
    }

    /// Prints, for people, what would help after a failure.
    pub(crate) fn advice(&self, text: &str) {
        if self.mode == Mode::Human && !text.is_empty() {
            self.complain(text);
        }
    }

    /// Says that a signal ended the command, on a clean line: the terminal has echoed `^C` by now.
    pub(crate) fn interrupted(&self) {
        if !self.quiet && io::stderr().is_terminal() {
            self.complain("\r\x1b[2Kinterrupted");
        }
    }

    /// A progress line, empty until something takes a while.
    pub(crate) fn progress(&self, subject: &str) -> Progress {
        let stderr = io::stderr();
        let visible = !self.quiet && stderr.is_terminal();
        let colors = AutoStream::new(stderr, self.color).current_choice() != ColorChoice::Never;
        Progress::new(subject, visible, colors)
    }

    fn complain(&self, text: &str) {
        let mut stderr = AutoStream::new(io::stderr(), self.color).lock();
        drop(writeln!(stderr, "{}", text.trim_end_matches('\n')));
    }
}

/// Prints what is wrong with the command line, or the help that was asked for.
///
/// The text for people goes to standard error; a program finds its one object on standard output.
pub(crate) fn usage(error: &clap::Error, globals: &Globals) -> Exit {
    drop(error.print());
    if !error.use_stderr() {
        return Exit::Ok;
    }
    let output = Output::new(globals);
    if output.is_json() {
        output.failure(&wrong_command_line(error));
    }
    Exit::Usage
}

/// The first paragraph of what clap says, without its label.
fn wrong_command_line(error: &clap::Error) -> BeamError {
    let text = error.to_string();
    let message = match error.kind() {
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => "no command is given",
        _ => text.split("\n\n").next().unwrap_or_default(),
    };
    let message = message.trim_start_matches("error: ");
    BeamError::new(ErrorCode::InvalidInput, message)
        .with_hint("`lean-beam --help` lists commands and options.")
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::args::Cli;

    #[test]
    fn programs_hear_what_is_wrong_with_a_command_line() {
        let error = Cli::try_parse_from(["lean-beam", "sync", "--bogus"]).unwrap_err();
        let error = wrong_command_line(&error);
        assert_eq!(error.code, ErrorCode::InvalidInput);
        assert_eq!(error.message, "unexpected argument '--bogus' found");
        let error = Cli::try_parse_from(["lean-beam", "sync"]).unwrap_err();
        let message = wrong_command_line(&error).message;
        assert!(message.contains("<FILE>"), "{message}");
        let error = Cli::try_parse_from(["lean-beam"]).unwrap_err();
        assert_eq!(wrong_command_line(&error).message, "no command is given");
    }
}
