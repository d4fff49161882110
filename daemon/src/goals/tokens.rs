//! Lean source as a sequence of tokens: enough to see where tactics begin and end, not a grammar.

use std::ops::Range;

/// Symbols of several characters that must not be taken apart.
const SYMBOLS: [&str; 13] = [
    "<;>", "<|>", "|||", "|>.", "=>", ":=", "||", "|>", "|-", "<|", "|=", "->", "<-",
];

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A name or a keyword, dots included.
    Word,
    /// A number, a string or a character.
    Literal,
    /// An opening bracket.
    Open,
    /// A closing bracket.
    Close,
    /// Anything else that is code.
    Symbol,
    /// A documentation comment, which starts a command or a part of one.
    Doc,
}

/// One token. White space and ordinary comments are none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    /// Bytes in the text.
    pub(super) span: Range<usize>,
    /// Zero-based column in characters, by which Lean aligns tactics.
    pub(super) column: u32,
    /// Nothing but white space and comments comes before it on its line.
    pub(super) first_on_line: bool,
}

/// The tokens of `text`, in order.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = Token> {
    let mut lexer = Lexer {
        text,
        offset: 0,
        column: 0,
        fresh_line: true,
    };
    std::iter::from_fn(move || lexer.next_token())
}

/// Where a word stands alone in code, in order: not in comments, strings or longer names.
pub(crate) fn words<'a>(
    text: &'a str,
    wanted: &'a [&str],
) -> impl Iterator<Item = Range<usize>> + 'a {
    tokens(text)
        .filter(|token| token.kind == TokenKind::Word)
        .map(|token| token.span)
        .filter(|span| wanted.contains(&&text[span.clone()]))
}

/// Where the first token at or after `offset` starts; the end of the text when there is none. `offset` must
/// not be inside a token.
pub(super) fn next_code(text: &str, offset: usize) -> usize {
    let mut lexer = Lexer {
        text,
        offset,
        column: 0,
        fresh_line: false,
    };
    lexer.skip_blank();
    lexer.offset
}

struct Lexer<'a> {
    text: &'a str,
    offset: usize,
    column: u32,
    fresh_line: bool,
}

impl Lexer<'_> {
    fn next_token(&mut self) -> Option<Token> {
        self.skip_blank();
        let rest = &self.text[self.offset..];
        let first = rest.chars().next()?;
        let (kind, length) = classify(rest, first);
        let token = Token {
            kind,
            span: self.offset..self.offset + length,
            column: self.column,
            first_on_line: self.fresh_line,
        };
        self.advance(length);
        self.fresh_line = false;
        Some(token)
    }

    /// Skips white space and ordinary comments.
    fn skip_blank(&mut self) {
        loop {
            let rest = &self.text[self.offset..];
            let Some(first) = rest.chars().next() else {
                return;
            };
            let length = if first.is_whitespace() {
                first.len_utf8()
            } else if rest.starts_with("--") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/-") && !is_doc(rest) {
                comment_length(rest)
            } else {
                return;
            };
            self.advance(length);
        }
    }

    fn advance(&mut self, length: usize) {
        let passed = &self.text[self.offset..self.offset + length];
        match passed.rfind('\n') {
            Some(end) => {
                self.column = count(&passed[end + 1..]);
                self.fresh_line = true;
            }
            None => self.column += count(passed),
        }
        self.offset += length;
    }
}

fn count(text: &str) -> u32 {
    if text.is_ascii() {
        text.len() as u32
    } else {
        text.chars().count() as u32
    }
}

fn classify(rest: &str, first: char) -> (TokenKind, usize) {
    match first {
        '/' if rest.starts_with("/-") => (TokenKind::Doc, comment_length(rest)),
        '"' => (TokenKind::Literal, string_length(rest)),
        '\'' => match character_length(rest) {
            Some(length) => (TokenKind::Literal, length),
            None => (TokenKind::Symbol, 1),
        },
        'r' if raw_string_length(rest).is_some() => {
            (TokenKind::Literal, raw_string_length(rest).unwrap_or(1))
        }
        'λ' => (TokenKind::Word, first.len_utf8()),
        '(' | '[' | '{' | '⟨' | '⦃' | '⟪' | '⌊' | '⌈' | '‹' => {
            (TokenKind::Open, first.len_utf8())
        }
        ')' | ']' | '}' | '⟩' | '⦄' | '⟫' | '⌋' | '⌉' | '›' => {
            (TokenKind::Close, first.len_utf8())
        }
        _ if first.is_ascii_digit() => (TokenKind::Literal, number_length(rest)),
        _ if starts_name(first) => (TokenKind::Word, name_length(rest)),
        _ => {
            let long = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol));
            (
                TokenKind::Symbol,
                long.map_or(first.len_utf8(), |symbol| symbol.len()),
            )
        }
    }
}

/// `/--` and `/-!`, but not the empty comment `/--/`.
fn is_doc(rest: &str) -> bool {
    (rest.starts_with("/--") && !rest.starts_with("/--/")) || rest.starts_with("/-!")
}

/// Length of a block comment, which may hold others; to the end where it is left open.
fn comment_length(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let (mut depth, mut at) = (1, 2);
    while at < bytes.len() && depth > 0 {
        match &bytes[at..(at + 2).min(bytes.len())] {
            b"/-" => (depth, at) = (depth + 1, at + 2),
            b"-/" => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
    }
    at
}

fn string_length(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// `r"…"` and `r#"…"#` with any number of `#`.
fn raw_string_length(rest: &str) -> Option<usize> {
    let body = rest.strip_prefix('r')?;
    let marks = body.bytes().take_while(|byte| *byte == b'#').count();
    let content = body[marks..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(marks));
    let length = content
        .find(&end)
        .map_or(content.len(), |at| at + end.len());
    Some(1 + marks + 1 + length)
}

/// `'x'` and `'\n'`; `None` when the quote is something else.
fn character_length(rest: &str) -> Option<usize> {
    let mut characters = rest.char_indices().skip(1);
    let (_, first) = characters.next()?;
    if first == '\\' {
        let end = rest.get(3..)?.find('\'').filter(|end| *end <= 8)?;
        return Some(3 + end + 1);
    }
    let (at, quote) = characters.next()?;
    (first != '\'' && quote == '\'').then_some(at + 1)
}

fn number_length(rest: &str) -> usize {
    let digits = |text: &str| {
        text.bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            .count()
    };
    let whole = digits(rest);
    let fraction = rest[whole..].strip_prefix('.').map_or(0, |fraction| {
        if fraction.starts_with(|first: char| first.is_ascii_digit()) {
            1 + digits(fraction)
        } else {
            0
        }
    });
    whole + fraction
}

fn starts_name(first: char) -> bool {
    first == '_' || first == '«' || first == '#' || first == '@' || first.is_alphabetic()
}

fn continues_name(character: char) -> bool {
    character.is_alphanumeric()
        || matches!(character, '_' | '\'' | '!' | '?')
        || ('\u{2080}'..='\u{209c}').contains(&character)
        || ('\u{1d62}'..='\u{1d6a}').contains(&character)
}

/// A name with its dots. `#eval` and `@[simp` count as words so that commands are seen by their first token.
fn name_length(rest: &str) -> usize {
    let mut length = match rest.chars().next() {
        Some('#') => 1,
        Some('@') if rest.starts_with("@[") => return 2,
        Some('@') => 1,
        _ => 0,
    };
    loop {
        length += part_length(&rest[length..]);
        let after = &rest[length..];
        let goes_on = after.strip_prefix('.').is_some_and(|next| {
            next.starts_with(|first: char| first == '_' || first == '«' || first.is_alphabetic())
        });
        if !goes_on {
            return length.max(1);
        }
        length += 1;
    }
}

fn part_length(rest: &str) -> usize {
    if rest.starts_with('«') {
        return rest
            .find('»')
            .map_or(rest.len(), |end| end + '»'.len_utf8());
    }
    rest.find(|character| !continues_name(character))
        .unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        tokens(text).map(|token| &text[token.span]).collect()
    }

    #[test]
    fn code_is_cut_where_lean_cuts_it() {
        assert_eq!(
            texts("have h' := h.left.1; exact ⟨h₁, by simp?⟩ <;> rfl"),
            [
                "have", "h'", ":=", "h.left", ".", "1", ";", "exact", "⟨", "h₁", ",", "by",
                "simp?", "⟩", "<;>", "rfl"
            ]
        );
        assert_eq!(
            texts("fun | .inl x => x"),
            ["fun", "|", ".", "inl", "x", "=>", "x"]
        );
        assert_eq!(
            texts("@[simp] #eval «a b».c 0x1F 2.5"),
            ["@[", "simp", "]", "#eval", "«a b».c", "0x1F", "2.5"]
        );
    }

    #[test]
    fn comments_and_literals_hide_what_is_in_them() {
        let text = "a -- by\nb /- by /- by -/ by -/ c \"by \\\" by\" r#\"by \" by\"# 'b' '\\'' d'\n/-- by -/ e";
        let doc = "/-- by -/";
        assert_eq!(
            texts(text),
            [
                "a",
                "b",
                "c",
                "\"by \\\" by\"",
                "r#\"by \" by\"#",
                "'b'",
                "'\\''",
                "d'",
                doc,
                "e"
            ]
        );
        assert_eq!(texts("a /- by"), ["a"]);
        assert_eq!(texts("a \"by"), ["a", "\"by"]);
    }

    #[test]
    fn columns_count_characters_and_lines_start_after_comments_too() {
        let text = "∀∀ x\n  /- c -/ y z";
        let found: Vec<_> = tokens(text)
            .map(|token| (token.column, token.first_on_line))
            .collect();
        assert_eq!(
            found,
            [(0, true), (1, false), (3, false), (10, true), (12, false)]
        );
    }

    proptest! {
        #[test]
        fn any_text_is_cut_into_pieces_in_order(text in "[a-z'\"\\\\/\\-.r#@«»\n ∧λ(⟩<;>|]{0,60}") {
            let mut end = 0;
            for token in tokens(&text) {
                prop_assert!(token.span.start >= end && token.span.end > token.span.start);
                prop_assert!(text.get(token.span.clone()).is_some());
                end = token.span.end;
            }
        }
    }
}
