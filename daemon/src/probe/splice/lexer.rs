//! Lean's tokens, as far as layout needs them: what is comment, what is string, what is code.

/// One token. Offsets are bytes; both lie between characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name or a keyword, with all its dotted parts.
    Word,
    Number,
    /// A string literal, or one piece of an interpolated one: the code in its holes is code.
    String,
    Character,
    /// Brackets, operators and everything else.
    Symbol,
    /// `-- …`, without the line's end.
    LineComment,
    /// `/- … -/`.
    BlockComment,
    /// `/-- … -/`, which belongs to what follows it, and `/-! … -/`, which is a command.
    DocComment,
    /// A comment or string that nothing closes: it reaches to the end of the text.
    OpenComment,
    /// The same for a string.
    OpenString,
}

impl Kind {
    /// True for what Lean skips between tokens.
    pub(super) fn is_space(self) -> bool {
        matches!(
            self,
            Self::LineComment | Self::BlockComment | Self::OpenComment
        )
    }

    pub(super) fn is_comment(self) -> bool {
        self.is_space() || self == Self::DocComment
    }

    pub(super) fn is_string(self) -> bool {
        matches!(self, Self::String | Self::OpenString)
    }

    /// True for what reaches to the end of the text because nothing closes it.
    pub(super) fn is_open(self) -> bool {
        matches!(self, Self::OpenComment | Self::OpenString)
    }
}

/// Symbols of several characters that mean something here, longest first.
const LONG_SYMBOLS: [&str; 13] = [
    "<;>", "<|>", "|||", "|>.", "...", ":=", "=>", "||", "|>", "|-", "<|", "..", "@[",
];

/// Reads tokens one by one. Linear in the length of the text.
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    /// For each interpolated string around us, how many braces are open in its hole.
    holes: Vec<usize>,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            holes: Vec::new(),
        }
    }

    fn rest(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.at..]
    }

    fn skip_whitespace(&mut self) {
        let blank = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
        self.at += self.rest().iter().take_while(|byte| blank(byte)).count();
    }

    /// Reads one token of a non-empty rest; returns its kind and moves past it.
    fn read(&mut self) -> Kind {
        let rest = self.rest();
        match rest[0] {
            b'-' if rest.starts_with(b"--") => self.line_comment(),
            b'/' if rest.starts_with(b"/-") => self.block_comment(),
            b'"' => self.string(false),
            b'\'' => self.character(),
            b'0'..=b'9' => self.number(),
            b'r' if raw_string_hashes(rest).is_some() => self.raw_string(),
            b'}' if self.holes.last() == Some(&0) => {
                self.holes.pop();
                self.string(true)
            }
            _ => self.word_or_symbol(),
        }
    }

    fn line_comment(&mut self) -> Kind {
        let length = memchr::memchr2(b'\n', b'\r', self.rest()).unwrap_or(self.rest().len());
        self.at += length;
        Kind::LineComment
    }

    fn block_comment(&mut self) -> Kind {
        let rest = self.rest();
        let doc = matches!(rest.get(2), Some(b'-' | b'!'));
        let mut depth = 1usize;
        let mut at = 2;
        while let Some(found) = memchr::memchr2(b'-', b'/', &rest[at..]) {
            at += found;
            match &rest[at..] {
                [b'-', b'/', ..] => (depth, at) = (depth - 1, at + 2),
                [b'/', b'-', ..] => (depth, at) = (depth + 1, at + 2),
                _ => at += 1,
            }
            if depth == 0 {
                self.at += at;
                return if doc {
                    Kind::DocComment
                } else {
                    Kind::BlockComment
                };
            }
        }
        self.at = self.text.len();
        Kind::OpenComment
    }

    /// A string from its quote on, or (`in_hole`) from the brace that ends a hole on.
    fn string(&mut self, in_hole: bool) -> Kind {
        let interpolated = in_hole || self.text[..self.at].ends_with('!');
        let rest = self.rest();
        let mut at = 1;
        while let Some(byte) = rest.get(at) {
            at += 1;
            match byte {
                b'\\' => at += 1,
                b'"' => {
                    self.at += at;
                    return Kind::String;
                }
                b'{' if interpolated => {
                    self.at += at;
                    self.holes.push(0);
                    return Kind::String;
                }
                _ => {}
            }
        }
        self.at = self.text.len();
        Kind::OpenString
    }

    fn raw_string(&mut self) -> Kind {
        let rest = self.rest();
        let hashes = raw_string_hashes(rest).unwrap_or(0);
        let mut at = hashes + 2;
        while let Some(found) = memchr::memchr(b'"', &rest[at..]) {
            at += found + 1;
            let closing = rest[at..].iter().take_while(|byte| **byte == b'#').count();
            if closing >= hashes {
                self.at += at + hashes;
                return Kind::String;
            }
        }
        self.at = self.text.len();
        Kind::OpenString
    }

    /// A character literal, or the quote alone.
    fn character(&mut self) -> Kind {
        let inside = &self.text[self.at + 1..];
        let mut characters = inside.chars();
        let length = match characters.next() {
            Some('\\') => escape_length(inside.as_bytes()),
            Some(character) if character != '\'' => character.len_utf8(),
            _ => 0,
        };
        if length > 0 && inside.as_bytes().get(length) == Some(&b'\'') {
            self.at += length + 2;
            Kind::Character
        } else {
            self.at += 1;
            Kind::Symbol
        }
    }

    fn number(&mut self) -> Kind {
        let rest = self.rest();
        let digits = |from: usize| {
            rest[from..]
                .iter()
                .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
                .count()
        };
        let mut length = digits(0);
        if rest.get(length) == Some(&b'.') && rest.get(length + 1).is_some_and(u8::is_ascii_digit) {
            length += 1 + digits(length + 1);
        }
        self.at += length;
        Kind::Number
    }

    fn word_or_symbol(&mut self) -> Kind {
        let rest = &self.text[self.at..];
        let length = word_length(rest);
        if length > 0 {
            self.at += length;
            return Kind::Word;
        }
        self.at += symbol_length(rest);
        self.count_brace(rest.as_bytes()[0]);
        Kind::Symbol
    }

    fn count_brace(&mut self, byte: u8) {
        if let Some(open) = self.holes.last_mut() {
            match byte {
                b'{' => *open += 1,
                b'}' => *open -= 1,
                _ => {}
            }
        }
    }
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        self.skip_whitespace();
        if self.at >= self.text.len() {
            return None;
        }
        let start = self.at;
        let kind = self.read();
        // An escape at the very end of the text may count one byte too many.
        self.at = self.at.min(self.text.len());
        Some(Token {
            kind,
            start,
            end: self.at,
        })
    }
}

/// The number of `#` of a raw string that starts here.
fn raw_string_hashes(rest: &[u8]) -> Option<usize> {
    let hashes = rest[1..].iter().take_while(|byte| **byte == b'#').count();
    (rest.get(hashes + 1) == Some(&b'"')).then_some(hashes)
}

/// Length of an escape such as `\n`, `\x41` or `\u{1f600}`, which starts with its backslash.
fn escape_length(inside: &[u8]) -> usize {
    let tail = &inside[1..];
    match tail.first() {
        Some(b'x') => 4,
        Some(b'u') => 2 + tail[1..].iter().take_while(|byte| **byte != b'\'').count(),
        Some(byte) if byte.is_ascii() => 2,
        _ => 0,
    }
}

fn symbol_length(rest: &str) -> usize {
    let first = rest.chars().next().map_or(1, char::len_utf8);
    if !matches!(rest.as_bytes()[0], b'<' | b'|' | b'.' | b':' | b'=' | b'@') {
        return first;
    }
    LONG_SYMBOLS
        .iter()
        .find(|symbol| rest.starts_with(**symbol))
        .map_or(first, |symbol| symbol.len())
}

/// Length of the name or keyword at the start of `rest`, 0 if there is none.
fn word_length(rest: &str) -> usize {
    let mut length = 0;
    loop {
        let part = part_length(&rest[length..]);
        if part == 0 {
            // A name does not end in a dot: `h.` is `h` and a dot.
            return length.saturating_sub(1);
        }
        length += part;
        if !rest[length..].starts_with('.') {
            return length;
        }
        length += 1;
    }
}

fn part_length(rest: &str) -> usize {
    if let Some(inside) = rest.strip_prefix('«') {
        return match inside.find(['»', '«', '\n']) {
            Some(length) if inside[length..].starts_with('»') => {
                '«'.len_utf8() + length + '»'.len_utf8()
            }
            _ => 0,
        };
    }
    let mut characters = rest.char_indices();
    match characters.next() {
        Some((_, first)) if starts_word(first) => {}
        _ => return 0,
    }
    characters
        .find(|(_, character)| !continues_word(*character))
        .map_or(rest.len(), |(end, _)| end)
}

/// Lean's `isIdFirst`.
fn starts_word(character: char) -> bool {
    character.is_ascii_alphabetic()
        || character == '_'
        || (!character.is_ascii() && is_letter_like(character))
}

/// Lean's `isIdRest`.
fn continues_word(character: char) -> bool {
    character.is_ascii_alphanumeric()
        || matches!(character, '_' | '\'' | '!' | '?')
        || (!character.is_ascii() && (is_letter_like(character) || is_subscript(character)))
}

fn is_letter_like(character: char) -> bool {
    matches!(character,
        '\u{3b1}'..='\u{3c9}' if character != 'λ')
        || matches!(character, '\u{391}'..='\u{3a9}' if character != 'Π' && character != 'Σ')
        || matches!(character, '\u{c0}'..='\u{17f}' if character != '×' && character != '÷')
        || matches!(character,
            '\u{3ca}'..='\u{3fb}' | '\u{1f00}'..='\u{1ffe}' | '\u{2100}'..='\u{214f}' | '\u{1d49c}'..='\u{1d59f}')
}

fn is_subscript(character: char) -> bool {
    matches!(character,
        '\u{2080}'..='\u{2089}' | '\u{2090}'..='\u{209c}' | '\u{1d62}'..='\u{1d6a}' | '\u{2c7c}')
}

#[cfg(test)]
mod tests;
