//! Whether a position lies in code, and whether a text admits what it does not prove.

use lean_beam_proto::text::Position;

use super::lexer::{Kind, Lexer, Token};
use crate::text::DocumentText;

/// Where a position lies, for refusing to run text there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Text can run here. The end of a line is code even after a `--` comment.
    Code,
    /// Inside a comment; `nearest` is the nearest position that is not.
    Comment {
        /// Where the comment starts or ends.
        nearest: Position,
    },
    /// Inside a string literal, but not in the code of an interpolated one.
    String {
        /// Where the string starts or ends.
        nearest: Position,
    },
}

/// Where `position` lies. A position that does not exist counts as code: there is nothing it could be in.
pub(crate) fn place_of(text: &DocumentText, position: Position) -> Place {
    let Ok(offset) = text.offset(position) else {
        return Place::Code;
    };
    let around = Lexer::new(text.as_str())
        .take_while(|token| token.start < offset)
        .find(|token| offset < token.end || (token.kind.is_open() && offset == token.end));
    match around {
        Some(token) if token.kind.is_comment() => Place::Comment {
            nearest: nearest(text, token, offset),
        },
        Some(token) if token.kind.is_string() => Place::String {
            nearest: nearest(text, token, offset),
        },
        _ => Place::Code,
    }
}

/// The nearer end of a token that surrounds `offset`; its start if nothing closes it.
fn nearest(text: &DocumentText, token: Token, offset: usize) -> Position {
    let to_end = token.end - offset;
    if token.kind.is_open() || offset - token.start <= to_end {
        text.position(token.start)
    } else {
        text.position(token.end)
    }
}

/// Words that end a goal without proving it.
const ADMITTING: [&str; 4] = ["sorry", "admit", "stop", "sorryAx"];

/// True if `text` has `sorry` or one of its kind as a word of its own, outside comments and strings.
pub(crate) fn mentions_sorry(text: &str) -> bool {
    Lexer::new(text).any(|token| {
        token.kind == Kind::Word
            && ADMITTING.contains(&&text[token.start..token.end])
            // `x.1.stop` is a field.
            && !text[..token.start].ends_with('.')
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn place(text: &str, line: u32, character: u32) -> Place {
        place_of(&DocumentText::new(text), Position::new(line, character))
    }

    #[test]
    fn the_nearest_place_is_an_end_of_the_comment() {
        let text = "x /- long one -/ y";
        let at = |character| Position::new(0, character);
        assert_eq!(place(text, 0, 2), Place::Code);
        assert_eq!(place(text, 0, 3), Place::Comment { nearest: at(2) });
        assert_eq!(place(text, 0, 15), Place::Comment { nearest: at(16) });
        assert_eq!(place(text, 0, 16), Place::Code);
    }

    #[test]
    fn the_end_of_a_line_is_code_even_behind_a_comment() {
        assert_eq!(place("x -- y\r\nz", 0, 6), Place::Code);
        assert!(matches!(place("x -- y\r\nz", 0, 5), Place::Comment { .. }));
    }

    #[test]
    fn nothing_runs_behind_what_nothing_closes() {
        let start = Position::new(0, 2);
        assert_eq!(place("x /- y", 0, 6), Place::Comment { nearest: start });
        assert_eq!(place("x \"y", 0, 4), Place::String { nearest: start });
    }

    #[test]
    fn only_words_of_their_own_admit() {
        for text in [
            "sorry",
            "exact (sorry)",
            "· admit",
            "simp; stop\nrfl",
            "by\n  exact sorryAx _",
            r#"s!"{sorry}""#,
        ] {
            assert!(mentions_sorry(text), "{text}");
        }
        for text in [
            "-- sorry",
            "/- sorry -/",
            "\"sorry\"",
            "sorry'",
            "x.sorry",
            "x.1.stop",
            "«sorry»",
            "not_sorry",
            "",
        ] {
            assert!(!mentions_sorry(text), "{text}");
        }
    }

    #[derive(Debug, Clone, Copy, PartialEq)]
    enum Piece {
        Code(&'static str),
        Comment(&'static str),
        String(&'static str),
    }

    fn piece() -> impl Strategy<Value = Piece> {
        use Piece::{Code, Comment, String};
        prop::sample::select(vec![
            Code("exact h' "),
            Code("\n  · "),
            Code("(fun x => '\"') "),
            Code("a - b / c "),
            Comment("/- 😀 \" -/"),
            Comment("/- one /- two -/ -- \n three -/"),
            Comment("/-- doc ' -/"),
            Comment("-- line \" /- \n"),
            String("\"a -- \\\" /- \n\""),
            String("r#\"raw \" -/ \"#"),
            String("\"\""),
        ])
    }

    proptest! {
        #[test]
        fn the_place_is_that_of_the_piece(pieces in prop::collection::vec(piece(), 0..8)) {
            let mut text = std::string::String::new();
            let mut inside = Vec::new();
            for piece in pieces {
                let (Piece::Code(part) | Piece::Comment(part) | Piece::String(part)) = piece;
                let start = text.len();
                text.push_str(part);
                // A line's end is not a part of the comment before it.
                let end = start + part.strip_suffix('\n').filter(|_| part.starts_with("--")).unwrap_or(part).len();
                inside.push((start, end, piece));
                text.push(' ');
            }
            let document = DocumentText::new(text.as_str());
            for (offset, _) in text.char_indices() {
                let around = inside.iter().find(|(start, end, _)| *start < offset && offset < *end);
                let place = place_of(&document, document.position(offset));
                let agrees = match around {
                    Some((_, _, Piece::Comment(_))) => matches!(place, Place::Comment { .. }),
                    Some((_, _, Piece::String(_))) => matches!(place, Place::String { .. }),
                    _ => place == Place::Code,
                };
                prop_assert!(agrees, "{place:?} at {offset} of {text:?}");
                if let Place::Comment { nearest } | Place::String { nearest } = place {
                    prop_assert_eq!(place_of(&document, nearest), Place::Code);
                }
            }
        }

        #[test]
        fn a_word_in_code_is_found(pieces in prop::collection::vec(piece(), 0..8), at in 0usize..8) {
            let parts = pieces.iter().map(|piece| {
                let (Piece::Code(part) | Piece::Comment(part) | Piece::String(part)) = piece;
                *part
            });
            let mut parts: Vec<&str> = parts.collect();
            prop_assert!(!mentions_sorry(&parts.join(" ")));
            parts.insert(at.min(pieces.len()), "sorry");
            prop_assert!(mentions_sorry(&parts.join(" ")));
        }
    }
}
