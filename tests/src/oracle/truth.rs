//! Running `lean` on edited files, and what it says about the texts in them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use lean_beam_proto::{
    op::RunMessage,
    text::{Position, Range, Severity},
};
use serde::Deserialize;

use super::edit::{Edited, Point, Spot};
use crate::{must::Must, process, programs};

/// How much of an edited file is shown before and after a text.
const LINES_AROUND: usize = 4;

/// What `lean` has to say about a text in a really edited file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Truth {
    /// What came of it.
    pub outcome: Outcome,
    /// The messages that belong to it, without those of linters where it is in a proof.
    pub messages: Vec<RunMessage>,
    /// The edited file around it, for people.
    pub excerpt: String,
}

/// What came of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// No error belongs to it. The goals after it, as Lean prints them, empty when none is left; nothing for
    /// commands.
    Success(Option<String>),
    /// It has errors.
    Failed,
    /// It is no complete syntax.
    ParseError,
    /// No error belongs to it, and its goals are nowhere.
    Escaped,
}

impl Truth {
    /// The truth about a text that is wrong in form.
    pub fn incomplete() -> Self {
        Self {
            outcome: Outcome::ParseError,
            messages: Vec::new(),
            excerpt: String::new(),
        }
    }
}

impl Outcome {
    /// True when no error belongs to the text and it is where it should be.
    pub fn is_success(&self) -> bool {
        matches!(self, Self::Success(_))
    }
}

/// A line of `lean --json`. Lines count from 1, columns from 0 in characters.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Said {
    severity: Severity,
    kind: String,
    data: String,
    pos: Place,
    end_pos: Option<Place>,
    #[serde(default)]
    is_silent: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
struct Place {
    line: usize,
    column: usize,
}

impl Place {
    fn point(self) -> Point {
        (self.line - 1, self.column)
    }
}

/// Judges edits of one file.
#[derive(Debug)]
pub struct Judge {
    /// Where edits are written to. The folder is the root, for names that contain that of the module.
    file: PathBuf,
    /// What is wrong with the file as it is.
    known: Vec<Said>,
}

impl Judge {
    /// Runs `lean` on the file without an edit.
    ///
    /// # Panics
    /// As [`Judge::judge`].
    pub fn new(base: &str, file: &Path) -> Self {
        let mut known = run_lean(base, file);
        known.retain(|one| one.severity == Severity::Error);
        Self {
            file: file.to_owned(),
            known,
        }
    }

    /// Writes an edited file, runs `lean` on it and says what it says about each text, in the order of the
    /// sites. Commands have to be alone: what they make wrong above them is theirs.
    ///
    /// Lean is asked for errors in declarations that are not all there, too: a text is wrong also where the
    /// file around it is.
    ///
    /// # Panics
    /// `lean` cannot be run, or what it prints is not understood.
    pub fn judge(&self, edited: &Edited) -> Vec<Truth> {
        let said = run_lean(&edited.text, &self.file);
        let spots = edited.spots.values();
        spots
            .map(|spot| {
                let (mut outcome, mut messages) = truth_of(spot, &said);
                if outcome == Outcome::Success(None) {
                    let spoilt = self.wrong_above(spot, &said);
                    if !spoilt.is_empty() {
                        outcome = Outcome::Failed;
                        messages.extend(spoilt);
                    }
                }
                Truth {
                    outcome,
                    messages,
                    excerpt: excerpt(&edited.text, spot),
                }
            })
            .collect()
    }

    /// The errors above commands that are not there without them: they may go on with the command before.
    fn wrong_above(&self, spot: &Spot, said: &[Said]) -> Vec<RunMessage> {
        let start = spot.lines[0].0;
        let is_known = |error: &Said| {
            self.known
                .iter()
                .any(|known| known.pos == error.pos && known.data == error.data)
        };
        said.iter()
            .filter(|one| one.severity == Severity::Error && one.pos.point() < start)
            .filter(|one| !is_known(one))
            .map(|one| spot.message(one))
            .collect()
    }
}

fn excerpt(text: &str, spot: &Spot) -> String {
    let first = spot.lines[0].0.0.saturating_sub(LINES_AROUND);
    let last = spot.end.0 + LINES_AROUND;
    let lines = text.lines().skip(first).take(last - first);
    lines.flat_map(|line| [line, "\n"]).collect()
}

fn run_lean(text: &str, file: &Path) -> Vec<Said> {
    fs::write(file, text).must("write an edited file");
    let output = process::command(programs::real_lean())
        .args(["--json", "-Dweak.showPartialSyntaxErrors=true", "-R"])
        .arg(file.parent().must("have a folder"))
        .arg(file)
        .output()
        .must("run lean");
    let stdout = String::from_utf8(output.stdout).must("read what lean prints");
    stdout
        .lines()
        .map(|line| serde_json::from_str(line).must("understand what lean prints"))
        .collect()
}

fn truth_of(spot: &Spot, said: &[Said]) -> (Outcome, Vec<RunMessage>) {
    let start = spot.lines[0].0;
    let belongs = |point: Point| match spot.sentinel {
        Some(sentinel) => start <= point && point < sentinel,
        None => start <= point && point <= spot.end,
    };
    let about: Vec<&Said> = said
        .iter()
        .filter(|one| !one.is_silent)
        .filter(|one| belongs(one.pos.point()))
        .filter(|one| spot.sentinel.is_none() || !one.kind.starts_with("linter."))
        .collect();
    let at_sentinel = said
        .iter()
        .filter(|one| Some(one.pos.point()) == spot.sentinel);
    // Where a text ends in the middle of something, Lean only notices at what comes next.
    let at_next = said.iter().filter(|one| match spot.sentinel {
        Some(sentinel) => one.pos.point() == sentinel,
        None => {
            let point = one.pos.point();
            is_parse_error(one) && spot.end < point && point <= spot.next
        }
    });
    let errors = about
        .iter()
        .copied()
        .chain(at_next)
        .filter(|one| one.severity == Severity::Error);
    let mut goals = at_sentinel
        .filter(|one| one.kind == "trace")
        .map(|one| one.data.clone());
    let outcome = match (errors.clone().next(), spot.sentinel) {
        (Some(_), _) if errors.clone().any(is_parse_error) => Outcome::ParseError,
        (Some(_), _) => Outcome::Failed,
        (None, None) => Outcome::Success(None),
        (None, Some(_)) => match goals.next() {
            // A tactic that runs on several goals at once prints each time.
            Some(first) => Outcome::Success(Some(join(first, goals))),
            None => Outcome::Escaped,
        },
    };
    let mut messages: Vec<_> = about.iter().map(|one| spot.message(one)).collect();
    messages.sort_by_key(|message| (message.range.start, message.range.end));
    (outcome, messages)
}

fn join(first: String, rest: impl Iterator<Item = String>) -> String {
    let all: Vec<_> = std::iter::once(first).chain(rest).collect();
    all.join("\n\n")
}

fn is_parse_error(said: &Said) -> bool {
    ["unexpected ", "expected ", "unterminated ", "missing end"]
        .iter()
        .any(|start| said.data.starts_with(start))
}

impl Spot {
    fn message(&self, said: &Said) -> RunMessage {
        let start = said.pos.point();
        let end = said.end_pos.map_or(start, Place::point);
        RunMessage {
            severity: said.severity,
            text: said.data.clone(),
            range: Range::new(self.relative(start), self.relative(end)),
        }
    }

    /// A point of the file, relative to the text and inside it.
    fn relative(&self, point: Point) -> Position {
        let (line, column) = point.max(self.lines[0].0);
        let (first, last) = (self.lines[0].0.0, self.end.0);
        let number = line.clamp(first, last) - first;
        let ((_, indentation), text) = &self.lines[number];
        let characters = if line > last {
            usize::MAX
        } else {
            column.saturating_sub(*indentation)
        };
        let before: String = text.chars().take(characters).collect();
        let utf16 = before.encode_utf16().count();
        Position::new(
            u32::try_from(number).must("count lines"),
            u32::try_from(utf16).must("count columns"),
        )
    }
}
