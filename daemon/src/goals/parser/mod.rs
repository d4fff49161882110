//! From tokens to the outline of the tactics.

mod rules;
mod tactics;

use std::ops::Range;

use super::{
    outline::{Block, BlockKind},
    tokens::{Token, TokenKind},
    words::{CLAUSES, CONTINUING, starts_command},
};

/// How deep blocks may be nested. What is deeper counts as part of the tactic around it.
const DEPTH: u32 = 100;

/// A recursive reader of tokens.
pub(super) struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Token],
    at: usize,
    depth: u32,
}

/// What ends a stretch of tokens.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// Column of the block, or of the command, that it stands in: a line that starts further left is outside, and a
    /// block in it starts further right. `None` inside brackets, where lines start anywhere.
    column: Option<u32>,
    /// The block is inside brackets, so a comma ends it.
    bracketed: bool,
}

/// What a stretch of tokens has seen so far.
#[derive(Debug, Default)]
struct Stretch {
    blocks: Vec<Block>,
    /// `if`s whose `else` is to come.
    conditions: u32,
    holds: Holds,
}

/// What a stretch of tokens may hold that ends others.
#[derive(Debug, Clone, Copy, Default)]
struct Holds {
    /// A bar between alternatives of a pattern.
    bars: bool,
    /// A colon before a type.
    colons: bool,
}

impl Holds {
    const ALL: Self = Self {
        bars: true,
        colons: true,
    };
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str, tokens: &'a [Token]) -> Self {
        Self {
            text,
            tokens,
            at: 0,
            depth: 0,
        }
    }

    /// The blocks in terms, to the end of the tokens.
    pub(super) fn term_blocks(mut self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut open = 0_usize;
        let mut command = 0;
        while let Some(token) = self.peek() {
            if starts_command(self.text, token) {
                (open, command) = (0, token.column);
            }
            match token.kind {
                TokenKind::Open => open += 1,
                TokenKind::Close => open = open.saturating_sub(1),
                TokenKind::Word if self.opens_proof() => {
                    let limits = Limits {
                        column: (open == 0).then_some(command),
                        bracketed: open > 0,
                    };
                    blocks.push(self.block(BlockKind::Proof, limits));
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
        blocks
    }

    // Tokens.

    fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at)
    }

    fn word(&self) -> &'a str {
        self.peek()
            .map_or("", |token| &self.text[token.span.clone()])
    }

    /// End of the token before the current one.
    fn last_end(&self) -> usize {
        self.at
            .checked_sub(1)
            .map_or(0, |last| self.tokens[last].span.end)
    }

    fn opens_proof(&self) -> bool {
        self.depth < DEPTH && matches!(self.word(), "by" | "decreasing_by")
    }

    /// A `|` between alternatives has space on both sides; one around an absolute value has not.
    fn is_bar(&self) -> bool {
        let Some(token) = self.peek().filter(|_| self.word() == "|") else {
            return false;
        };
        let blank = |character: Option<char>| character.is_none_or(char::is_whitespace);
        blank(self.text[..token.span.start].chars().next_back())
            && blank(self.text[token.span.end..].chars().next())
    }

    // Blocks.

    /// Reads an opener of one token and the tactics after it.
    fn block(&mut self, kind: BlockKind, limits: Limits) -> Block {
        let opener = self.peek().map_or(0..0, |token| token.span.clone());
        self.at += 1;
        self.tactics(kind, opener, limits)
    }

    /// Reads the tactics after an opener.
    fn tactics(&mut self, kind: BlockKind, opener: Range<usize>, limits: Limits) -> Block {
        let mut items = Vec::new();
        let first = self
            .peek()
            .filter(|first| self.starts_tactic() && self.is_inside(first, limits.column));
        if let Some(first) = first {
            let column = first.column;
            let inner = Limits {
                column: Some(column),
                ..limits
            };
            self.depth += 1;
            while self.depth <= DEPTH {
                items.push(self.tactic(inner));
                if !self.next_item(column) {
                    break;
                }
            }
            self.depth -= 1;
        }
        Block {
            kind,
            opener,
            items,
        }
    }

    /// Moves to the next tactic of a block, if there is one.
    fn next_item(&mut self, column: u32) -> bool {
        let mut separated = false;
        while self.word() == ";" {
            self.at += 1;
            separated = true;
        }
        self.peek().is_some_and(|token| {
            let aligned = token.first_on_line && token.column == column;
            let follows = separated && (!token.first_on_line || token.column >= column);
            (aligned || follows) && self.starts_tactic() && !self.is_outside(token)
        })
    }

    fn is_inside(&self, token: &Token, column: Option<u32>) -> bool {
        !self.is_outside(token) && (!token.first_on_line || Some(token.column) > column)
    }

    /// True for what cannot be part of any tactic.
    fn is_outside(&self, token: &Token) -> bool {
        starts_command(self.text, token)
            || (token.first_on_line && CLAUSES.contains(&&self.text[token.span.clone()]))
    }

    /// True after an operator, which no tactic ends with.
    fn awaits_more(&self) -> bool {
        self.at.checked_sub(1).is_some_and(|last| {
            let last = &self.tokens[last];
            let word = &self.text[last.span.clone()];
            last.kind == TokenKind::Symbol
                && !matches!(word, "*" | "⊢" | "·" | "." | "!" | "?" | ";")
        })
    }

    fn starts_tactic(&self) -> bool {
        let Some(token) = self.peek() else {
            return false;
        };
        let word = self.word();
        match token.kind {
            TokenKind::Word => !CONTINUING.contains(&word),
            TokenKind::Open => matches!(word, "(" | "{"),
            TokenKind::Symbol => matches!(word, "·" | "."),
            _ => false,
        }
    }

    // Terms.

    /// Reads on to what ends a tactic, or to one of `stops`. Gives the blocks on the way.
    fn stretch(&mut self, limits: Limits, holds: Holds, stops: &[&str]) -> Vec<Block> {
        let mut stretch = Stretch {
            holds,
            ..Stretch::default()
        };
        let mut open = 0_usize;
        while let Some(token) = self.peek() {
            let ends = stops.contains(&self.word()) || self.ends_tactic(token, limits, &stretch);
            if self.is_outside(token) || (open == 0 && ends) {
                break;
            }
            if self.opens_proof() {
                let limits = Limits {
                    column: limits.column.filter(|_| open == 0),
                    bracketed: open > 0 || limits.bracketed,
                };
                stretch.blocks.push(self.block(BlockKind::Proof, limits));
                continue;
            }
            match token.kind {
                TokenKind::Open => open += 1,
                TokenKind::Close if open == 0 => break,
                TokenKind::Close => open -= 1,
                TokenKind::Word | TokenKind::Symbol if open == 0 => stretch.note(self.word()),
                _ => {}
            }
            self.at += 1;
        }
        stretch.blocks
    }

    fn ends_tactic(&self, token: &Token, limits: Limits, stretch: &Stretch) -> bool {
        let word = self.word();
        if token.first_on_line {
            let left = Some(token.column) < limits.column && token.kind != TokenKind::Close;
            let next = Some(token.column) == limits.column && self.starts_tactic();
            if left || (next && !self.awaits_more()) {
                return true;
            }
        }
        match word {
            ";" | "<;>" => true,
            "," => limits.bracketed,
            ":" => limits.bracketed && !stretch.holds.colons,
            "|" => !stretch.holds.bars && self.is_bar(),
            "then" | "else" => stretch.conditions == 0,
            _ => false,
        }
    }
}

impl Stretch {
    fn note(&mut self, word: &str) {
        match word {
            "if" => self.conditions += 1,
            "else" => self.conditions = self.conditions.saturating_sub(1),
            "match" => self.holds.bars = true,
            "fun" | "λ" => self.holds = Holds::ALL,
            "=>" => self.holds.colons = false,
            "∀" | "∃" | "Σ" | "Π" | "∑" | "∏" => self.holds.colons = true,
            _ => {}
        }
    }
}
