//! What can be told of a text before Lean sees it.

use super::{
    lexer::{Kind, Lexer},
    outline::{is_modifier, starts_command},
};

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

/// What a text begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Beginning {
    /// Anything else.
    Unsure,
    /// `#check` and its like: a command, unless a library has a tactic of that name.
    Hash,
    /// A word that no tactic begins with. It may go on with the command before it.
    NoTactic,
    /// A word that Lean reserves for commands: the text begins one.
    Command,
}

impl Beginning {
    /// How `text` begins. What stands before `in` belongs to what follows it.
    pub(crate) fn of(text: &str) -> Self {
        let is_comment = |kind| matches!(kind, Kind::LineComment | Kind::BlockComment);
        let mut tokens = Lexer::new(text).filter(|token| !is_comment(token.kind));
        while let Some(first) = tokens.next() {
            let word = &text[first.start..first.end];
            match first.kind {
                Kind::Word if matches!(word, "open" | "set_option") => {
                    if !tokens.any(|token| &text[token.start..token.end] == "in") {
                        return Self::Command;
                    }
                }
                Kind::Word => return Self::of_word(word),
                Kind::DocComment => return Self::Command,
                Kind::Symbol if word == "@[" => return Self::Command,
                Kind::Symbol if word == "#" => {
                    let is_named = text[first.end..].starts_with(char::is_alphabetic);
                    return if is_named { Self::Hash } else { Self::Unsure };
                }
                _ => return Self::Unsure,
            }
        }
        Self::Unsure
    }

    fn of_word(word: &str) -> Self {
        match word {
            // Only some libraries reserve it.
            "lemma" => Self::NoTactic,
            "decreasing_by" | "deriving" | "termination_by" | "where" => Self::NoTactic,
            _ if starts_command(word) || is_modifier(word) => Self::Command,
            _ => Self::Unsure,
        }
    }

    /// What is sure of all of some texts.
    pub(crate) fn of_all<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let beginnings = texts.into_iter().map(Self::of);
        beginnings.min().unwrap_or(Self::Unsure)
    }

    /// True if the text does not go on with the command before it.
    pub(crate) fn is_apart(self) -> bool {
        matches!(self, Self::Hash | Self::Command)
    }
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
    #[test]
    fn only_reserved_words_surely_start_a_command() {
        for (text, beginning) in [
            ("def a := 1", Beginning::Command),
            (
                "  -- first\n/- then -/ theorem a : p := q",
                Beginning::Command,
            ),
            ("/-- Doc. -/\ndef a := 1", Beginning::Command),
            ("/-! Section. -/", Beginning::Command),
            ("@[simp] theorem a : p := q", Beginning::Command),
            ("private def a := 1", Beginning::Command),
            ("end", Beginning::Command),
            ("#check a", Beginning::Hash),
            ("", Beginning::Unsure),
            ("-- a", Beginning::Unsure),
            ("/- open", Beginning::Unsure),
            ("nonsense", Beginning::Unsure),
            ("| node", Beginning::Unsure),
            ("open Nat in", Beginning::Unsure),
            ("open Nat in skip", Beginning::Unsure),
            (
                "set_option a true in\nopen Nat in #check a",
                Beginning::Hash,
            ),
            ("open Nat in @[simp] theorem a : p := q", Beginning::Command),
            ("open Nat", Beginning::Command),
            ("deriving Repr", Beginning::NoTactic),
            ("lemma a : p := q", Beginning::NoTactic),
            ("\"#check\"", Beginning::Unsure),
            ("#[1]", Beginning::Unsure),
            ("# check", Beginning::Unsure),
            ("where", Beginning::NoTactic),
            (")", Beginning::Unsure),
        ] {
            assert_eq!(Beginning::of(text), beginning, "{text:?}");
        }
    }

    #[test]
    fn of_several_texts_the_least_sure_counts() {
        let of_all = |texts: &[&str]| Beginning::of_all(texts.iter().copied());
        assert_eq!(of_all(&["def a := 1", "end"]), Beginning::Command);
        assert_eq!(of_all(&["def a := 1", "where"]), Beginning::NoTactic);
        assert_eq!(of_all(&["def a := 1", "#check a"]), Beginning::Hash);
        assert_eq!(of_all(&["#check a", "simp"]), Beginning::Unsure);
        assert_eq!(of_all(&[]), Beginning::Unsure);
    }
}
