//! What a question was about, as people know it.

use lean_beam_proto::text::{Position, Range};

use crate::source::{Source, byte_of_column};

/// What a question was about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subject<'a> {
    /// The file as people find it.
    pub(crate) path: &'a str,
    /// The position as people write it.
    pub(crate) asked: &'a str,
    /// The text of that version, where it is known.
    pub(crate) source: Option<&'a Source>,
}

impl Subject<'_> {
    /// `Main.lean:3:7`
    pub(crate) fn place(&self, position: Position) -> String {
        place(self.path, position)
    }

    /// What stands in `range`, its first line only; `None` when the text is not known.
    pub(crate) fn excerpt(&self, range: Range) -> Option<String> {
        let line = self.source?.line(range.start.line)?;
        let from = byte_of_column(line, range.start.character);
        if range.end.line > range.start.line {
            return Some(format!("{} …", line[from..].trim_end()));
        }
        let to = byte_of_column(line, range.end.character);
        Some(line[from..to.max(from)].to_owned())
    }
}

/// A place that editors and terminals understand, counted from one.
pub(crate) fn place(path: &str, position: Position) -> String {
    let (line, column) = (
        u64::from(position.line) + 1,
        u64::from(position.character) + 1,
    );
    format!("{path}:{line}:{column}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_one_line_and_counts_utf16_units() {
        let source = Source::new("𝓝 foo\r\nbar");
        let subject = Subject {
            path: "A.lean",
            asked: "",
            source: Some(&source),
        };
        let excerpt = |from: (u32, u32), to: (u32, u32)| {
            let (from, to) = (Position::new(from.0, from.1), Position::new(to.0, to.1));
            subject.excerpt(Range::new(from, to))
        };
        assert_eq!(excerpt((0, 3), (0, 6)).as_deref(), Some("foo"));
        assert_eq!(excerpt((0, 3), (1, 1)).as_deref(), Some("foo …"));
        assert_eq!(excerpt((0, 6), (0, 99)).as_deref(), Some(""));
        assert_eq!(excerpt((9, 0), (9, 1)), None);
    }

    #[test]
    fn the_last_line_that_can_be_counted_has_a_number_too() {
        let last = Position::new(u32::MAX, 0);
        assert_eq!(place("A.lean", last), "A.lean:4294967296:1");
    }
}
