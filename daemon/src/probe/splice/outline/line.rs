//! Where tokens stand in their lines.

use super::line_start;

/// Where a token stands.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Line {
    /// Column of the token, in characters.
    pub(super) column: usize,
    /// True if nothing but blanks is before it on its line.
    pub(super) first: bool,
    /// How many blanks the line starts with.
    pub(super) indentation: usize,
}

impl Line {
    /// Where the token at `start` stands, if this is where the one at `previous` does.
    pub(super) fn next(self, text: &str, previous: Option<usize>, start: usize) -> Self {
        let gap = previous.map(|previous| &text[previous..start]);
        match gap {
            Some(gap) if !gap.contains('\n') => Self {
                column: self.column + gap.chars().count(),
                first: false,
                ..self
            },
            _ => {
                let line = &text[line_start(text, start)..start];
                let indentation = line.bytes().take_while(|byte| *byte == b' ').count();
                Self {
                    column: line.chars().count(),
                    first: indentation == line.len(),
                    indentation,
                }
            }
        }
    }
}
