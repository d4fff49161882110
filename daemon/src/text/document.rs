//! One version of a document: its text, its lines, and positions in it.

use std::sync::Arc;

use lean_beam_proto::text::{Position, Range};

use crate::lsp::LspPosition;

/// A text with its lines. Lines end at `\n`, `\r\n` and `\r`, as in the language server protocol, and at
/// nothing else (not at U+2028, NEL, VT or FF).
#[derive(Debug)]
pub(crate) struct DocumentText {
    text: Arc<str>,
    /// Byte offset of the start of each line; never empty.
    line_starts: Vec<u32>,
    /// The same by Lean's rule, which ends lines at `\n` alone; present only where the two differ.
    lean_line_starts: Option<Vec<u32>>,
    hash: u64,
}

/// Why a position does not fit the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PositionError {
    /// There is no such line.
    Line {
        /// How many lines there are.
        lines: u32,
    },
    /// The line is shorter, or the column is in the middle of a character.
    Column {
        /// The line's text, without its end.
        line_text: String,
        /// The nearest column that exists.
        nearest: u32,
        /// The last column of the line, which is after its last character.
        last: u32,
    },
}

impl DocumentText {
    /// Takes `text` in; one pass over it.
    pub(crate) fn new(text: impl Into<Arc<str>>) -> Self {
        let text: Arc<str> = text.into();
        let (line_starts, lean_line_starts) = line_starts(text.as_bytes());
        let hash = xxhash_rust::xxh3::xxh3_64(text.as_bytes());
        Self {
            text,
            line_starts,
            lean_line_starts,
            hash,
        }
    }

    /// The whole text.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Hash of the text, 16 hexadecimal digits.
    pub(crate) fn hash_hex(&self) -> String {
        format!("{:016x}", self.hash)
    }

    /// How many lines there are; an empty text has one.
    pub(crate) fn line_count(&self) -> u32 {
        clamp(self.line_starts.len())
    }

    /// The text of a line, without its end.
    pub(crate) fn line(&self, line: u32) -> Option<&str> {
        let start = *self.line_starts.get(line as usize)? as usize;
        let end = self
            .line_starts
            .get(line as usize + 1)
            .map_or(self.text.len(), |end| *end as usize);
        Some(self.text[start..end].trim_end_matches(['\n', '\r']))
    }

    /// The byte offset of a position.
    ///
    /// # Errors
    /// The line or the column does not exist.
    pub(crate) fn offset(&self, position: Position) -> Result<usize, PositionError> {
        let Some(line_text) = self.line(position.line) else {
            return Err(PositionError::Line {
                lines: self.line_count(),
            });
        };
        let start = self.line_starts[position.line as usize] as usize;
        match utf16_to_byte(line_text, position.character) {
            Ok(within) => Ok(start + within),
            Err(nearest) => Err(PositionError::Column {
                line_text: line_text.to_owned(),
                nearest,
                last: utf16_length(line_text),
            }),
        }
    }

    /// A position of ours as Lean counts it. A position that does not exist is clamped, as Lean does itself.
    pub(crate) fn to_lean(&self, position: Position) -> LspPosition {
        let mapped = match &self.lean_line_starts {
            None => position,
            Some(starts) => self.remap(position, &self.line_starts, starts),
        };
        LspPosition::new(mapped.line, mapped.character)
    }

    /// A position of Lean's as we count it.
    pub(crate) fn our_position(&self, position: Position) -> Position {
        match &self.lean_line_starts {
            None => position,
            Some(starts) => self.remap(position, starts, &self.line_starts),
        }
    }

    /// A range of Lean's as we count it.
    pub(crate) fn our_range(&self, range: Range) -> Range {
        Range::new(self.our_position(range.start), self.our_position(range.end))
    }

    /// True where Lean's lines are not ours, so that its positions have to be translated.
    pub(crate) fn lines_differ_from_lean(&self) -> bool {
        self.lean_line_starts.is_some()
    }

    /// The position of a byte offset, which must lie between characters.
    pub(crate) fn position(&self, offset: usize) -> Position {
        position_in(&self.text, &self.line_starts, offset)
    }

    fn remap(&self, position: Position, from: &[u32], to: &[u32]) -> Position {
        let Some(start) = from
            .get(position.line as usize)
            .map(|start| *start as usize)
        else {
            return position_in(&self.text, to, self.text.len());
        };
        let end = from
            .get(position.line as usize + 1)
            .map_or(self.text.len(), |end| *end as usize);
        let within =
            utf16_to_byte(&self.text[start..end], position.character).unwrap_or(end - start);
        position_in(&self.text, to, start + within)
    }
}

fn position_in(text: &str, starts: &[u32], offset: usize) -> Position {
    let offset = offset.min(text.len());
    let line = starts.partition_point(|start| *start as usize <= offset) - 1;
    Position::new(
        clamp(line),
        utf16_length(&text[starts[line] as usize..offset]),
    )
}

/// Line starts by the protocol's rule, and by Lean's where they differ.
fn line_starts(bytes: &[u8]) -> (Vec<u32>, Option<Vec<u32>>) {
    let mut starts = vec![0];
    let mut lone_carriage_return = false;
    for end in memchr::memchr2_iter(b'\n', b'\r', bytes) {
        if bytes[end] == b'\r' {
            if bytes.get(end + 1) == Some(&b'\n') {
                continue;
            }
            lone_carriage_return = true;
        }
        starts.push(clamp(end + 1));
    }
    let lean_starts = lone_carriage_return.then(|| {
        std::iter::once(0)
            .chain(memchr::memchr_iter(b'\n', bytes).map(|end| clamp(end + 1)))
            .collect()
    });
    (starts, lean_starts)
}

/// Byte offset of a UTF-16 column, or the nearest column that exists.
fn utf16_to_byte(line: &str, column: u32) -> Result<usize, u32> {
    let mut seen = 0;
    for (offset, character) in line.char_indices() {
        if seen == column {
            return Ok(offset);
        }
        if seen > column {
            // In the middle of a surrogate pair: the column before the character.
            return Err(column - 1);
        }
        seen += clamp(character.len_utf16());
    }
    if seen == column {
        Ok(line.len())
    } else {
        Err(if seen > column { column - 1 } else { seen })
    }
}

/// Length in UTF-16 code units.
pub(super) fn utf16_length(text: &str) -> u32 {
    if text.is_ascii() {
        clamp(text.len())
    } else {
        clamp(text.chars().map(char::len_utf16).sum())
    }
}

/// Texts are limited to far less than 4 GiB, so this never cuts anything.
fn clamp(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(line: u32, character: u32) -> Position {
        Position::new(line, character)
    }

    #[test]
    fn lines_end_at_the_three_line_ends_only() {
        let text = DocumentText::new("a\r\nb\rc\nd\u{2028}e\u{85}f\u{b}g\u{c}h");
        assert_eq!(text.line_count(), 4);
        assert_eq!(text.line(1), Some("b"));
        assert_eq!(text.line(3), Some("d\u{2028}e\u{85}f\u{b}g\u{c}h"));
        assert_eq!(text.line(4), None);
        assert_eq!(DocumentText::new("").line_count(), 1);
        assert_eq!(DocumentText::new("a\n").line_count(), 2);
    }

    #[test]
    fn columns_count_utf16_units() {
        let text = DocumentText::new("x😀é∧y\n");
        assert_eq!(text.offset(at(0, 1)), Ok(1));
        assert_eq!(text.offset(at(0, 3)), Ok(5));
        assert_eq!(text.offset(at(0, 6)), Ok(text.as_str().len() - 1));
        let in_the_middle = PositionError::Column {
            line_text: "x😀é∧y".to_owned(),
            nearest: 1,
            last: 6,
        };
        assert_eq!(text.offset(at(0, 2)), Err(in_the_middle));
    }

    #[test]
    fn positions_outside_name_the_nearest_place() {
        let text = DocumentText::new("abc\r\ndef");
        assert_eq!(
            text.offset(at(0, 9)),
            Err(PositionError::Column {
                line_text: "abc".to_owned(),
                nearest: 3,
                last: 3
            })
        );
        assert_eq!(text.offset(at(2, 0)), Err(PositionError::Line { lines: 2 }));
        let astral_at_end = DocumentText::new("a😀");
        assert!(matches!(
            astral_at_end.offset(at(0, 2)),
            Err(PositionError::Column { nearest: 1, .. })
        ));
    }

    #[test]
    fn a_lone_carriage_return_is_a_line_end_for_us_and_none_for_lean() {
        let text = DocumentText::new("a\rbc\nd");
        assert!(text.lines_differ_from_lean());
        assert_eq!(text.to_lean(at(1, 1)), LspPosition::new(0, 3));
        assert_eq!(text.our_position(at(0, 3)), at(1, 1));
        assert_eq!(text.our_position(at(1, 1)), at(2, 1));
        assert!(!DocumentText::new("a\r\nb\n").lines_differ_from_lean());
    }

    proptest! {
        #[test]
        fn every_offset_between_characters_survives_the_round_trip(text in "[a-z\r\n😀é\u{2028}]{0,40}") {
            let document = DocumentText::new(text.as_str());
            for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
                let between_crlf = text[..offset].ends_with('\r') && text[offset..].starts_with('\n');
                if between_crlf { continue; }
                let position = document.position(offset);
                prop_assert_eq!(document.offset(position), Ok(offset));
                let lean = document.to_lean(position);
                prop_assert_eq!(document.our_position(Position::new(lean.line, lean.character)), position);
            }
        }

        #[test]
        fn no_position_panics(text in any::<String>(), line in 0u32..9, character in 0u32..50) {
            let document = DocumentText::new(text.as_str());
            let position = Position::new(line, character);
            drop((document.offset(position), document.to_lean(position), document.our_position(position)));
        }
    }
}
