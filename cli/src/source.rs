//! The lines of a Lean file as Lean counts them.

/// A file's text, split where the protocol splits it: at `\n`, `\r\n` and `\r`, and nowhere else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    text: String,
}

impl Source {
    /// Wraps the whole text of a file.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }

    /// The zero-based `line` without its end; `None` behind the last one.
    pub(crate) fn line(&self, line: u32) -> Option<&str> {
        let mut rest = self.text.as_str();
        for _ in 0..line {
            rest = after_line_end(rest)?;
        }
        Some(&rest[..line_end(rest)])
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

fn line_end(text: &str) -> usize {
    text.find(['\n', '\r']).unwrap_or(text.len())
}

fn after_line_end(text: &str) -> Option<&str> {
    let end = &text[line_end(text)..];
    end.strip_prefix("\r\n")
        .or_else(|| end.strip_prefix(['\n', '\r']))
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
