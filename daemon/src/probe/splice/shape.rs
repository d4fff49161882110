//! What can be told of a text before Lean sees it.

use super::lexer::{Kind, Lexer};

/// Where `text` closes a parenthesis that it did not open, as a byte offset: that would close the one that the
/// text is put into, and leave the rest of it outside.
pub(crate) fn closes_too_much(text: &str) -> Option<usize> {
    let mut open = 0_usize;
    for token in Lexer::new(text).filter(|token| token.kind == Kind::Symbol) {
        match &text[token.start..token.end] {
            "(" => open += 1,
            ")" => match open.checked_sub(1) {
                Some(left) => open = left,
                None => return Some(token.start),
            },
            _ => {}
        }
    }
    None
}

/// True when `text` holds nothing but white space and comments that are closed.
pub(crate) fn is_blank(text: &str) -> bool {
    Lexer::new(text).all(|token| matches!(token.kind, Kind::LineComment | Kind::BlockComment))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closing_parenthesis_needs_one_of_the_text() {
        assert_eq!(closes_too_much("skip)\n(skip"), Some(4));
        assert_eq!(closes_too_much("skip);(skip"), Some(4));
        assert_eq!(closes_too_much("exact (f (x)) y)"), Some(15));
        for good in [
            "",
            "exact (f (x))",
            "exact f -- )",
            "exact \")\"",
            "exact ')'",
            "(skip",
            "/- ) -/ skip",
        ] {
            assert_eq!(closes_too_much(good), None, "{good:?}");
        }
    }

    #[test]
    fn comments_alone_are_blank() {
        for blank in ["", " \n\t", "-- a", "/- a -/ -- b\n"] {
            assert!(is_blank(blank), "{blank:?}");
        }
        for code in ["skip", "/- open", "-- a\nskip", "/-- doc -/"] {
            assert!(!is_blank(code), "{code:?}");
        }
    }
}
