//! Lean's messages with the line that they are about.
//!
//! The place is written as the protocol counts plus one, so that it is what editors show and what
//! `hover FILE:LINE:COLUMN` takes. The first line of a message is the title; the rest stands below the
//! source line in Lean's own layout, because goals are read by their shape.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use anstyle::Style;
use lean_beam_proto::{
    op::RunMessage,
    text::{Diagnostic, Range, Severity},
};

use super::{
    goals,
    style::{BAD, CARE, LINK, NEWS, STRONG, styled},
};
use crate::source::{Source, byte_of_column};

/// All of `items`, each with a blank line behind it. Without a `source` there are no source lines.
pub(crate) fn diagnostics(path: &str, source: Option<&Source>, items: &[Diagnostic]) -> String {
    shown(path, source, items.iter().map(Note::of_diagnostic))
}

/// Messages about a text that was run, which is called `name`.
pub(crate) fn messages(name: &str, source: &Source, items: &[RunMessage]) -> String {
    shown(name, Some(source), items.iter().map(Note::of_message))
}

/// Output of trace classes of a text that was run.
pub(crate) fn traces(name: &str, source: &Source, items: &[RunMessage]) -> String {
    shown(name, Some(source), items.iter().map(Note::of_trace))
}

/// What is said about a place.
pub(super) struct Note<'a> {
    /// What kind of thing is said, before the colon.
    pub(super) label: String,
    /// How the label looks.
    pub(super) style: Style,
    /// Color of the mark below the source line.
    pub(super) level: Level<'static>,
    /// The place.
    pub(super) range: Range,
    /// What is said. The first line is the title.
    pub(super) text: &'a str,
}

impl<'a> Note<'a> {
    pub(super) fn of_diagnostic(item: &'a Diagnostic) -> Self {
        let (name, style) = name(item.severity);
        Self {
            label: match &item.code {
                Some(code) => format!("{name}[{code}]"),
                None => name.to_owned(),
            },
            style,
            level: level(item.severity),
            range: item.range,
            text: &item.message,
        }
    }

    fn of_message(item: &'a RunMessage) -> Self {
        let (name, style) = name(item.severity);
        Self {
            label: name.to_owned(),
            style,
            level: level(item.severity),
            range: item.range,
            text: &item.text,
        }
    }

    fn of_trace(item: &'a RunMessage) -> Self {
        Self {
            label: "trace".to_owned(),
            style: NEWS,
            ..Self::of_message(item)
        }
    }

    /// Title, place, source line with a mark below, and the rest of the text in Lean's own layout.
    pub(super) fn render(&self, path: &str, source: Option<&Source>) -> String {
        let (first, rest) = first_line(self.text);
        let title = match first {
            "" => String::new(),
            _ => styled(STRONG, format!(": {first}")),
        };
        let mut text = format!("{}{title}\n", styled(self.style, &self.label));
        text.push_str(&self.place(path));
        if let Some(snippet) = source.and_then(|source| self.source_line(source)) {
            let group = Group::with_level(self.level.clone()).element(snippet);
            text.push_str(&Renderer::styled().render(&[group]));
            text.push('\n');
        }
        let rest: String = rest
            .lines()
            .map(|line| goals::highlighted(line) + "\n")
            .collect();
        text + &self.below(&rest)
    }

    /// `text` set off from the margin as what follows the source line.
    pub(super) fn below(&self, text: &str) -> String {
        let indent = self.indent();
        let line = |line: &str| format!("{indent}{line}").trim_end().to_owned() + "\n";
        text.lines().map(line).collect()
    }

    /// ` --> Main.lean:3:7`, the arrow above the bar beside the source line.
    fn place(&self, path: &str) -> String {
        let start = self.range.start;
        let (line, column) = (u64::from(start.line) + 1, u64::from(start.character) + 1);
        let margin = " ".repeat(line.to_string().len());
        format!("{margin}{} {path}:{line}:{column}\n", styled(LINK, "-->"))
    }

    /// What follows the source line stands below its text.
    fn indent(&self) -> String {
        let line = u64::from(self.range.start.line) + 1;
        " ".repeat(line.to_string().len() + 3)
    }

    /// The line where the message begins, marked up to its end at most. Ranges of several lines say little
    /// beyond where they begin, and Lean itself cuts them.
    fn source_line<'s>(
        &self,
        source: &'s Source,
    ) -> Option<Snippet<'s, annotate_snippets::Annotation<'s>>> {
        let (start, end) = (self.range.start, self.range.end);
        let line = source.line(start.line)?;
        let from = byte_of_column(line, start.character);
        let to = if end.line > start.line {
            line.trim_end().len()
        } else {
            byte_of_column(line, end.character)
        };
        let mark = AnnotationKind::Primary.span(from..to.max(from));
        let snippet = Snippet::source(line).line_start(start.line as usize + 1);
        Some(snippet.annotation(mark))
    }
}

/// The first line of a message, which is its title, and the rest.
pub(super) fn first_line(message: &str) -> (&str, &str) {
    let message = message.trim_end();
    message.split_once('\n').unwrap_or((message, ""))
}

fn shown<'a>(path: &str, source: Option<&Source>, notes: impl Iterator<Item = Note<'a>>) -> String {
    notes.map(|note| note.render(path, source) + "\n").collect()
}

fn name(severity: Severity) -> (&'static str, Style) {
    match severity {
        Severity::Error => ("error", BAD),
        Severity::Warning => ("warning", CARE),
        Severity::Information => ("info", NEWS),
        Severity::Hint => ("hint", NEWS),
        Severity::Unknown => ("message", NEWS),
    }
}

/// Only the color of the mark.
fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Information | Severity::Hint | Severity::Unknown => Level::INFO,
    }
}

#[cfg(test)]
mod tests {
    use lean_beam_proto::text::{Position, Range};

    use super::*;

    fn item(range: [u32; 4], severity: Severity, message: &str) -> Diagnostic {
        Diagnostic {
            range: Range::new(
                Position::new(range[0], range[1]),
                Position::new(range[2], range[3]),
            ),
            full_range: None,
            severity,
            message: message.to_owned(),
            code: None,
            tags: Vec::new(),
        }
    }

    fn shown(text: &str, item: Diagnostic) -> String {
        let source = Source::new(text);
        let rendered = diagnostics("Main.lean", Some(&source), &[item]);
        anstream::adapter::strip_str(&rendered).to_string()
    }

    #[test]
    fn a_message_stands_above_its_line_with_a_caret() {
        insta::assert_snapshot!(shown(
            "theorem a : p := by\n  exact foo\n",
            item([1, 8, 1, 11], Severity::Error, "Unknown identifier `foo`"),
        ));
    }

    #[test]
    fn goals_keep_their_layout() {
        insta::assert_snapshot!(shown(
            "theorem a : p := by\n  constructor\n",
            item(
                [0, 17, 1, 0],
                Severity::Error,
                "unsolved goals\ncase left\np q : Prop\nh : p ∧\n  q\n⊢ q\n",
            ),
        ));
    }

    #[test]
    fn utf16_columns_tabs_and_wide_characters_put_the_caret_in_its_place() {
        insta::assert_snapshot!(shown(
            "a\n\t𝓝 漢字 foo",
            item([1, 7, 1, 10], Severity::Warning, "here"),
        ));
    }

    #[test]
    fn a_place_behind_the_text_is_named_without_a_line() {
        insta::assert_snapshot!(shown(
            "a",
            item([5, 0, 5, 0], Severity::Information, "gone"),
        ));
    }

    #[test]
    fn an_empty_range_at_the_end_has_a_caret() {
        insta::assert_snapshot!(shown(
            "theorem a :=\n",
            item([1, 0, 1, 0], Severity::Hint, "unexpected end of input"),
        ));
    }
}
