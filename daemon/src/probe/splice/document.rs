//! The probe document: the file up to a point, then the steps, then the sentinel.

use lean_beam_proto::text::{Diagnostic, Position, Range};

use super::{
    Form, Insertion,
    lexer::{Kind, Lexer},
};
use crate::text::DocumentText;

/// What stands after the last step of a tactic block, to be asked for its goals.
const SENTINEL: &str = "trace \"lean-beam sentinel\"";
/// What the sentinel says when it runs: the goals that Lean shows at it may be those of something around it.
const SENTINEL_SAYS: &str = "lean-beam sentinel";

/// A probe document and where things stand in it. Positions are those of the probe document.
#[derive(Debug, Clone)]
pub(crate) struct Splice {
    /// The whole text.
    pub(crate) text: String,
    last: StepPlace,
    sentinel: Option<Position>,
}

/// Where one step stands.
#[derive(Debug, Clone)]
struct StepPlace {
    /// The step with its brackets.
    range: Range,
    /// For each line of the step's own text where it starts, after the indentation that was put before
    /// it, and its length in UTF-16 units. Never empty.
    lines: Vec<(Position, u32)>,
}

/// The file up to `insertion`, each step in brackets of its own, the sentinel.
pub(crate) fn splice_tactic(text: &DocumentText, insertion: &Insertion, steps: &[&str]) -> Splice {
    let mut page = Page::new(text, insertion.offset);
    if insertion.form == Form::OwnLine {
        page.new_line(insertion.column);
    }
    if !insertion.lead.is_empty() {
        page.lines(&insertion.lead, 0);
        page.separate(insertion);
    }
    let mut last = StepPlace::empty(page.at);
    for step in steps {
        last = page.bracketed(step, insertion.column);
        page.separate(insertion);
    }
    let sentinel = Position::new(page.at.line, page.at.character + 1);
    page.write(SENTINEL);
    page.lines(&insertion.tail, 0);
    page.new_line(0);
    page.into_splice(last, Some(sentinel))
}

/// The file up to `offset`, then each step on lines of its own.
pub(crate) fn splice_command(text: &DocumentText, offset: usize, steps: &[&str]) -> Splice {
    let mut page = Page::new(text, offset);
    page.new_line(0);
    let mut last = StepPlace::empty(page.at);
    for step in steps {
        let start = page.at;
        let lines = page.lines(step, 0);
        last = StepPlace {
            range: Range::new(start, page.at),
            lines,
        };
        page.new_line(0);
    }
    page.into_splice(last, None)
}

impl Splice {
    /// The range of the last step with its brackets.
    pub(crate) fn last_step(&self) -> Range {
        self.last.range
    }

    /// True if one of these messages is the sentinel's own: then everything before it was run.
    pub(crate) fn sentinel_ran(&self, diagnostics: &[Diagnostic]) -> bool {
        let end = self.last_step().end;
        // Run once for each of several goals it says so several times, which Lean makes one message.
        let says = |message: &str| message.lines().all(|line| line.trim() == SENTINEL_SAYS);
        diagnostics.iter().any(|diagnostic| {
            diagnostic.range.start >= end
                && !diagnostic.message.is_empty()
                && says(&diagnostic.message)
        })
    }

    /// A position inside the sentinel, if there is one.
    pub(crate) fn sentinel(&self) -> Option<Position> {
        self.sentinel
    }

    /// True from the first bracket of the last step up to its last, or for a command through to its end.
    pub(crate) fn in_last_step(&self, position: Position) -> bool {
        let Range { start, end } = self.last.range;
        start <= position && (position < end || (self.sentinel.is_none() && position == end))
    }

    /// A range of the probe document, relative to the last step's own text and clamped to it.
    pub(crate) fn relative(&self, range: Range) -> Range {
        Range::new(
            self.last.relative(range.start),
            self.last.relative(range.end),
        )
    }
}

impl StepPlace {
    fn empty(at: Position) -> Self {
        Self {
            range: Range::new(at, at),
            lines: vec![(at, 0)],
        }
    }

    fn relative(&self, position: Position) -> Position {
        let after = self
            .lines
            .partition_point(|(start, _)| start.line <= position.line);
        let Some(index) = after.checked_sub(1) else {
            return Position::new(0, 0);
        };
        let (start, length) = self.lines[index];
        let character = if position.line > start.line {
            length
        } else {
            position
                .character
                .saturating_sub(start.character)
                .min(length)
        };
        Position::new(u32::try_from(index).unwrap_or(u32::MAX), character)
    }
}

/// A text that grows and knows the position of its end.
struct Page {
    text: String,
    at: Position,
}

impl Page {
    fn new(text: &DocumentText, offset: usize) -> Self {
        let mut offset = offset.min(text.as_str().len());
        while !text.as_str().is_char_boundary(offset) {
            offset -= 1;
        }
        Self {
            text: text.as_str()[..offset].to_owned(),
            at: text.position(offset),
        }
    }

    /// Writes a text without line ends.
    fn write(&mut self, piece: &str) {
        self.text.push_str(piece);
        self.at.character += utf16_length(piece);
    }

    fn line_end(&mut self, end: &str) {
        // After a lone carriage return the two together are one line end.
        let joined = end == "\n" && self.text.ends_with('\r');
        self.text.push_str(end);
        if !joined {
            self.at = Position::new(self.at.line + 1, 0);
        }
    }

    fn new_line(&mut self, column: usize) {
        self.line_end("\n");
        self.indent(column);
    }

    fn indent(&mut self, column: usize) {
        self.write(&" ".repeat(column));
    }

    fn separate(&mut self, insertion: &Insertion) {
        match insertion.form {
            Form::Here => self.write("; "),
            Form::OwnLine | Form::HereBlank => self.new_line(insertion.column),
        }
    }

    fn bracketed(&mut self, step: &str, column: usize) -> StepPlace {
        let start = self.at;
        self.write("(");
        self.new_line(0);
        let lines = self.lines(step, column + 1);
        self.new_line(column);
        self.write(")");
        StepPlace {
            range: Range::new(start, self.at),
            lines,
        }
    }

    /// Writes a step, its lines indented except where that would change a literal.
    fn lines(&mut self, step: &str, indent: usize) -> Vec<(Position, u32)> {
        let literals = many_line_literals(step);
        let mut lines = Vec::new();
        for line in lines_of(step) {
            if line.after_line_feed
                && !literals
                    .iter()
                    .any(|(start, end)| *start < line.start && line.start < *end)
            {
                self.indent(indent);
            }
            let start = self.at;
            self.write(line.text);
            lines.push((start, self.at.character - start.character));
            if let Some(end) = line.end {
                self.line_end(end);
            }
        }
        lines
    }

    fn into_splice(self, last: StepPlace, sentinel: Option<Position>) -> Splice {
        Splice {
            text: self.text,
            last,
            sentinel,
        }
    }
}

fn utf16_length(text: &str) -> u32 {
    let length = if text.is_ascii() {
        text.len()
    } else {
        text.encode_utf16().count()
    };
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// One line of a step.
struct Line<'a> {
    /// Byte offset in the step.
    start: usize,
    text: &'a str,
    /// False after a lone carriage return, where Lean sees no new line.
    after_line_feed: bool,
    /// The line end as it is written; `None` for the last line.
    end: Option<&'static str>,
}

/// The lines of a step, always at least one. `\r\n` becomes `\n`; a lone carriage return stays.
fn lines_of(step: &str) -> impl Iterator<Item = Line<'_>> {
    let mut start = Some(0);
    let mut after_line_feed = true;
    std::iter::from_fn(move || {
        let from = start?;
        let bytes = step.as_bytes();
        let found = memchr::memchr2(b'\n', b'\r', &bytes[from..]).map(|length| from + length);
        let end = found.map(|at| match (bytes[at], bytes.get(at + 1)) {
            // Behind a lone carriage return a line feed alone would make one line end of the two.
            (b'\r', Some(b'\n')) if at == from && !after_line_feed => ("\r\n", at + 2),
            (b'\r', Some(b'\n')) => ("\n", at + 2),
            (b'\r', _) => ("\r", at + 1),
            _ => ("\n", at + 1),
        });
        let line = Line {
            start: from,
            text: &step[from..found.unwrap_or(step.len())],
            after_line_feed,
            end: end.map(|(end, _)| end),
        };
        start = end.map(|(_, next)| next);
        after_line_feed = line.end.is_some_and(|end| end.ends_with('\n'));
        Some(line)
    })
}

/// Byte ranges of the string literals of a text that go over several lines.
fn many_line_literals(step: &str) -> Vec<(usize, usize)> {
    Lexer::new(step)
        .filter(|token| token.kind.is_string() && step[token.start..token.end].contains('\n'))
        .map(|token| {
            // What follows an open string is still in it.
            let open = token.kind == Kind::OpenString;
            (token.start, token.end + usize::from(open))
        })
        .collect()
}

#[cfg(test)]
mod tests;
