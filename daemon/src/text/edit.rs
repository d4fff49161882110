//! The smallest edit between two texts, so that a change deep in a large file costs what it changes.

use lean_beam_proto::text::Position;

use super::DocumentText;
use crate::lsp::LspRange;

/// What to tell Lean about a change.
#[derive(Debug, PartialEq)]
pub(crate) struct Edit<'a> {
    /// The range of the old text that goes, by Lean's count; `None` replaces everything.
    pub(crate) range: Option<LspRange>,
    /// What comes in its place.
    pub(crate) text: &'a str,
}

/// The edit that turns `old` into `new`.
///
/// Texts with a carriage return are replaced as a whole: Lean folds `\r\n` into `\n` when it takes a
/// text in, and an edit that splits such a pair would not mean the same there as here.
pub(crate) fn minimal_edit<'a>(old: &DocumentText, new: &'a DocumentText) -> Edit<'a> {
    let (before, after) = (old.as_str(), new.as_str());
    if memchr::memchr(b'\r', before.as_bytes()).is_some()
        || memchr::memchr(b'\r', after.as_bytes()).is_some()
    {
        return Edit {
            range: None,
            text: after,
        };
    }
    let prefix = common_prefix(before, after);
    let suffix = common_suffix(&before[prefix..], &after[prefix..]);
    let range = LspRange::new(
        lsp(old.position(prefix)),
        lsp(old.position(before.len() - suffix)),
    );
    Edit {
        range: Some(range),
        text: &after[prefix..after.len() - suffix],
    }
}

fn lsp(position: Position) -> crate::lsp::LspPosition {
    crate::lsp::LspPosition::new(position.line, position.character)
}

/// Length of the longest common start that ends between characters of both texts.
fn common_prefix(left: &str, right: &str) -> usize {
    let mut length = left
        .bytes()
        .zip(right.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    while !(left.is_char_boundary(length) && right.is_char_boundary(length)) {
        length -= 1;
    }
    length
}

/// Length of the longest common end that starts between characters of both texts.
fn common_suffix(left: &str, right: &str) -> usize {
    let mut length = left
        .bytes()
        .rev()
        .zip(right.bytes().rev())
        .take_while(|(a, b)| a == b)
        .count();
    while !(left.is_char_boundary(left.len() - length)
        && right.is_char_boundary(right.len() - length))
    {
        length -= 1;
    }
    length
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Applies an edit as Lean does for texts without carriage returns.
    fn apply(old: &DocumentText, edit: &Edit<'_>) -> String {
        let Some(range) = edit.range else {
            return edit.text.to_owned();
        };
        let offset = |position: crate::lsp::LspPosition| {
            old.offset(Position::new(position.line, position.character))
                .unwrap()
        };
        let text = old.as_str();
        format!(
            "{}{}{}",
            &text[..offset(range.start)],
            edit.text,
            &text[offset(range.end)..]
        )
    }

    #[test]
    fn only_what_differs_is_sent() {
        let (old, new) = (
            DocumentText::new("one\ntwo\nthree\n"),
            DocumentText::new("one\ntwelve\nthree\n"),
        );
        let edit = minimal_edit(&old, &new);
        assert_eq!(edit.text, "elve");
        assert_eq!(apply(&old, &edit), new.as_str());
    }

    #[test]
    fn texts_with_carriage_returns_are_sent_whole() {
        let (old, new) = (DocumentText::new("a\r\nb"), DocumentText::new("a\nb"));
        assert_eq!(
            minimal_edit(&old, &new),
            Edit {
                range: None,
                text: "a\nb"
            }
        );
    }

    proptest! {
        #[test]
        fn the_edit_gives_the_new_text(old in "[ab\né😀😁]{0,30}", new in "[ab\né😀😁]{0,30}") {
            let (old, new) = (DocumentText::new(old), DocumentText::new(new));
            let edit = minimal_edit(&old, &new);
            prop_assert_eq!(apply(&old, &edit), new.as_str());
        }

        #[test]
        fn the_edit_is_no_longer_than_the_change(head in "[ab\né]{0,20}", gone in "[ab]{0,5}", come in "[cd]{0,5}", tail in "[ab\né]{0,20}") {
            let old = DocumentText::new(format!("{head}{gone}{tail}"));
            let new = DocumentText::new(format!("{head}{come}{tail}"));
            prop_assert!(minimal_edit(&old, &new).text.len() <= come.len());
        }
    }
}
