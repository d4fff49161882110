//! The lines of a Lean file as Lean counts them.

use std::{fs, path::Path};

use lean_beam_proto::text::Position;

/// A file's text, split where the protocol splits it: at `\n`, `\r\n` and `\r`, and nowhere else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    text: String,
    /// Byte index at which each line begins.
    starts: Vec<usize>,
}

impl Source {
    /// Takes the whole text of a file.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (index, byte) in bytes.iter().enumerate() {
            let is_end = match byte {
                b'\n' => true,
                b'\r' => bytes.get(index + 1) != Some(&b'\n'),
                _ => false,
            };
            if is_end {
                starts.push(index + 1);
            }
        }
        Self { text, starts }
    }

    /// The text of a file now; `None` when it cannot be read.
    pub(crate) fn read(file: &Path) -> Option<Self> {
        fs::read_to_string(file).ok().map(Self::new)
    }

    /// The zero-based `line` without its end; `None` behind the last one.
    pub(crate) fn line(&self, line: u32) -> Option<&str> {
        let rest = &self.text[*self.starts.get(line as usize)?..];
        let end = rest.find(['\n', '\r']).unwrap_or(rest.len());
        Some(&rest[..end])
    }

    /// The end of the text.
    pub(crate) fn end(&self) -> Position {
        let last = u32::try_from(self.starts.len() - 1).unwrap_or(u32::MAX);
        self.end_of_line(last)
    }

    /// The place behind the last character of the zero-based `line`; its start where there is no such line.
    pub(crate) fn end_of_line(&self, line: u32) -> Position {
        let units = self.line(line).unwrap_or_default().encode_utf16().count();
        Position::new(line, u32::try_from(units).unwrap_or(u32::MAX))
    }
}

/// Byte index of the zero-based UTF-16 column `character` in `line`. A column inside a character counts
/// as its start, one behind the end as the end.
pub(crate) fn byte_of_column(line: &str, character: u32) -> usize {
    let mut column = 0;
    for (index, scalar) in line.char_indices() {
        column += scalar.len_utf16();
        if column > character as usize {
            return index;
        }
    }
    line.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_the_three_line_ends_and_nowhere_else() {
        let source = Source::new("a\r\nb\rc\nd\u{2028}e\u{85}f\u{b}g");
        let lines: Vec<_> = (0..5).map(|line| source.line(line)).collect();
        assert_eq!(
            lines,
            [
                Some("a"),
                Some("b"),
                Some("c"),
                Some("d\u{2028}e\u{85}f\u{b}g"),
                None
            ]
        );
    }

    #[test]
    fn a_final_line_end_opens_an_empty_line() {
        let source = Source::new("a\n");
        assert_eq!(source.line(1), Some(""));
        assert_eq!(source.line(2), None);
        assert_eq!(Source::new("").line(0), Some(""));
    }

    #[test]
    fn ends_are_behind_the_last_character() {
        let source = Source::new("a\r\n𝓝b\n");
        assert_eq!(source.end_of_line(1), Position::new(1, 3));
        assert_eq!(source.end(), Position::new(2, 0));
        assert_eq!(Source::new("").end(), Position::new(0, 0));
    }

    #[test]
    fn columns_count_utf16_units() {
        let line = "𝓝 x∀y";
        assert_eq!(byte_of_column(line, 0), 0);
        assert_eq!(byte_of_column(line, 1), 0, "inside the surrogate pair");
        assert_eq!(byte_of_column(line, 2), 4);
        assert_eq!(byte_of_column(line, 4), 6);
        assert_eq!(byte_of_column(line, 5), 9);
        assert_eq!(byte_of_column(line, 99), line.len());
    }
}
