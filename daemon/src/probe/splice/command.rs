//! Which command is around a position, and where it ends.

use lean_beam_proto::text::Position;

use super::{
    lexer::{Kind, Lexer, Token},
    outline::{Source, continues_command, is_line_start, is_modifier, starts_command},
};
use crate::text::DocumentText;

/// Most candidates that are given.
const LIMIT: usize = 6;

/// The tokens of one command, without comments.
#[derive(Debug, Default)]
pub(super) struct Command {
    tokens: Vec<Token>,
    /// Where the next command starts, or the end of the text.
    end: usize,
}

impl Command {
    pub(super) fn source<'a>(&'a self, text: &'a str) -> Source<'a> {
        Source {
            text,
            tokens: &self.tokens,
            end: self.end,
        }
    }
}

/// The command that contains `offset`; one that has ended contains the blanks behind it.
pub(super) fn command_around(text: &str, offset: usize) -> Command {
    let mut command = Command {
        tokens: Vec::new(),
        end: text.len(),
    };
    let mut starts = Starts::new(text);
    for token in Lexer::new(text).filter(|token| !token.kind.is_space()) {
        if starts.is_start(token) {
            if token.start > offset {
                command.end = token.start;
                break;
            }
            command.tokens.clear();
        }
        command.tokens.push(token);
    }
    command
}

/// Tells where commands start, token by token.
struct Starts<'a> {
    text: &'a str,
    /// Brackets that are open since the last start.
    depth: usize,
    previous: Option<Token>,
}

impl<'a> Starts<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            depth: 0,
            previous: None,
        }
    }

    fn is_start(&mut self, token: Token) -> bool {
        let word = &self.text[token.start..token.end];
        let starts = match token.kind {
            Kind::DocComment => true,
            Kind::Word => self.word_starts(word, token),
            Kind::Symbol => matches!(word, "@[" | "#") && self.is_flush(token),
            _ => false,
        };
        self.count(word, starts);
        self.previous = Some(token);
        starts
    }

    fn word_starts(&self, word: &str, token: Token) -> bool {
        if starts_command(word) {
            // `@[instance]`, `deriving instance`
            let previous = self
                .previous
                .map_or("", |token| &self.text[token.start..token.end]);
            return !matches!(previous, "@[" | "[" | "deriving" | "`");
        }
        self.is_flush(token) && !continues_command(word)
    }

    /// True at the very start of a line, outside brackets.
    fn is_flush(&self, token: Token) -> bool {
        self.depth == 0 && (token.start == 0 || self.text[..token.start].ends_with('\n'))
    }

    fn count(&mut self, word: &str, starts: bool) {
        if starts {
            self.depth = 0;
        }
        match word {
            "(" | "[" | "{" | "⟨" | "@[" => self.depth += 1,
            ")" | "]" | "}" | "⟩" => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }
}

/// Byte offsets where the command that contains `position` may end, likeliest first, no duplicates.
pub(crate) fn command_candidates(text: &DocumentText, position: Position) -> Vec<usize> {
    let offset = text.offset(position).unwrap_or(text.as_str().len());
    let mut found = Vec::new();
    let mut previous = 0;
    for token in Lexer::new(text.as_str()).filter(|token| !token.kind.is_space()) {
        let first_of_line = token.start == 0 || text.as_str()[..token.start].ends_with('\n');
        if first_of_line && token.start > offset {
            found.push(previous);
        }
        previous = token.end;
        if found.len() == LIMIT {
            return found;
        }
    }
    found.push(previous);
    found.dedup();
    found.truncate(LIMIT);
    found
}
