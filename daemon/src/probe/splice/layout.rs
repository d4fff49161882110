//! Where a text may go by the look of the lines alone: inside tactics that the outline does not know.

use lean_beam_proto::text::Position;

use super::{
    Form, Insertion,
    command::command_around,
    lexer::Token,
    outline::{Source, column_of, is_line_start},
};
use crate::text::DocumentText;

/// Candidates before or after the line of `position`, as if each line of its block were a tactic: first with
/// everything cut off behind the text, then with what stands behind the block.
pub(crate) fn layout_candidates(text: &DocumentText, position: Position) -> Vec<Insertion> {
    let Ok(offset) = text.offset(position) else {
        return Vec::new();
    };
    let command = command_around(text.as_str(), offset);
    let source = command.source(text.as_str());
    let lines = Lines { source };
    let Some(line) = lines.around(offset) else {
        return Vec::new();
    };
    let column = lines.column(line);
    let start = source.tokens[line].start;
    let (offset, form, next) = if offset <= start {
        (start, Form::HereBlank, line)
    } else {
        let next = lines.next(line + 1, |other| other <= column);
        (source.tokens[next - 1].end, Form::OwnLine, next)
    };
    let plain = Insertion {
        offset,
        column,
        form,
        lead: String::new(),
        tail: String::new(),
    };
    let tail = lines.behind_block(next, column);
    let whole = tail.map(|tail| Insertion {
        tail,
        ..plain.clone()
    });
    std::iter::once(plain).chain(whole).collect()
}

/// The tokens of a command, by lines.
struct Lines<'a> {
    source: Source<'a>,
}

impl Lines<'_> {
    fn starts_line(&self, token: Token) -> bool {
        is_line_start(self.source.text, token.start)
    }

    fn column(&self, index: usize) -> usize {
        column_of(self.source.text, self.source.tokens[index].start)
    }

    /// The first token of the line of `offset`, or of the next line that has any where that one is blank up to
    /// there.
    fn around(&self, offset: usize) -> Option<usize> {
        let tokens = self.source.tokens;
        let is_first = |index: &usize| self.starts_line(tokens[*index]);
        let behind = tokens.partition_point(|token| token.start < offset);
        let line_start = offset - column_bytes(self.source.text, offset);
        let own = (0..behind).rfind(is_first);
        own.filter(|index| tokens[*index].start >= line_start)
            .or_else(|| (behind..tokens.len()).find(is_first))
    }

    /// The first token from `from` on that starts a line in a column that `ends` takes, else the number of tokens.
    fn next(&self, from: usize, ends: impl Fn(usize) -> bool) -> usize {
        let tokens = self.source.tokens;
        (from..tokens.len())
            .find(|index| self.starts_line(tokens[*index]) && ends(self.column(*index)))
            .unwrap_or(tokens.len())
    }

    /// What stands behind the block at `column` that goes on at token `from`; `None` where nothing does.
    fn behind_block(&self, from: usize, column: usize) -> Option<String> {
        let end = self.next(from, |other| other < column);
        let (before, last) = (
            self.source.tokens.get(end.checked_sub(1)?)?,
            self.source.tokens.last()?,
        );
        let tail = self.source.text.get(before.end..last.end)?;
        (!tail.trim().is_empty()).then(|| tail.to_owned())
    }
}

/// How many bytes of its line stand before `offset`.
fn column_bytes(text: &str, offset: usize) -> usize {
    let start = text[..offset].rfind('\n').map_or(0, |end| end + 1);
    offset - start
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::splice::splice_tactic;

    const CUSTOM: &str = "theorem a : p := by\n  start b\n    skip\n    exact\n      c\n    skip\n  finish\n  skip\n\ndef d := 1";

    /// The probe documents at a position that is marked, cut off before the text's bracket and from the sentinel on.
    fn around(marked: &str) -> Vec<(String, String)> {
        let text = DocumentText::new(marked.replace('‸', ""));
        let position = text.position(marked.find('‸').unwrap());
        let documents = layout_candidates(&text, position);
        let parts = documents.iter().map(|insertion| {
            let splice = splice_tactic(&text, insertion, &["P"]).text;
            let (kept, rest) = splice.split_once("(\n").unwrap();
            let (_, behind) = rest.split_once("sentinel\"").unwrap();
            (kept.to_owned(), behind.to_owned())
        });
        parts.collect()
    }

    #[test]
    fn lines_of_a_block_are_taken_for_tactics() {
        let before = CUSTOM.replacen("    exact", "  ‸  exact", 1);
        let found = around(&before);
        let kept = CUSTOM.split("exact").next().unwrap();
        assert_eq!(found[0], (kept.to_owned(), "\n".to_owned()));
        assert_eq!(
            found[1],
            (kept.to_owned(), "\n  finish\n  skip\n".to_owned())
        );

        let after = CUSTOM.replacen("exact", "ex‸act", 1);
        let kept = CUSTOM.split("      c").next().unwrap().to_owned() + "      c\n    ";
        let found = around(&after);
        assert_eq!(found[0], (kept.clone(), "\n".to_owned()));
        assert_eq!(found[1], (kept, "\n  finish\n  skip\n".to_owned()));
    }

    #[test]
    fn at_the_end_of_the_command_nothing_is_behind() {
        let found = around("theorem a : p := by\n  my_focus\n    skip\n    ‸skip\n\ndef d := 1");
        assert_eq!(found.len(), 1);
        assert!(found[0].0.ends_with("    skip\n    "), "{found:?}");
        assert!(layout_candidates(&DocumentText::new(""), Position::new(0, 0)).is_empty());
    }
}
