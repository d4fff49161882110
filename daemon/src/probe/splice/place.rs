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
