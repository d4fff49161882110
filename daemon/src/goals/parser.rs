//! From tokens to the outline of the tactics.

use std::ops::Range;

use super::{
    outline::{Block, BlockKind, Tactic, TacticKind, starts_command},
    tokens::{Token, TokenKind},
};

/// How deep blocks may be nested. What is deeper counts as part of the tactic around it.
const DEPTH: u32 = 100;

/// Tactics that run the tactics after them.
const WRAPPING: [&str; 16] = [
    "try",
    "repeat",
    "repeat'",
    "repeat1",
    "repeat1'",
    "all_goals",
    "any_goals",
    "focus",
    "classical",
    "fail_if_success",
    "show_term",
    "with_reducible",
    "with_reducible_and_instances",
    "with_unfolding_all",
    "unhygienic",
    "stop",
];
/// Tactics that run what comes after `=>`.
const ARROWED: [&str; 7] = [
    "case", "case'", "next", "conv", "conv_lhs", "conv_rhs", "on_goal",
];
/// Tactics with alternatives after `with`.
const MATCHING: [&str; 5] = ["cases", "induction", "match", "fun_cases", "fun_induction"];
/// Tactics whose arguments may hold `|`.
const PATTERNED: [&str; 6] = ["rcases", "obtain", "rintro", "intro", "rcases?", "obtain?"];
/// Tactics with rewrite rules in brackets, each with a state of its own.
const REWRITING: [&str; 6] = ["rw", "rewrite", "rwa", "erw", "nth_rw", "nth_rewrite"];
/// Tactics that run one tactic after `in`.
const SCOPED: [&str; 2] = ["set_option", "open"];
/// Words that no tactic starts with.
const CONTINUING: [&str; 17] = [
    "with",
    "at",
    "using",
    "from",
    "then",
    "else",
    "in",
    "generalizing",
    "only",
    "_",
    "fun",
    "λ",
    "by",
    "do",
    "return",
    "deriving",
    "extends",
];
/// Words that end every block when a line starts with them.
const CLAUSES: [&str; 3] = ["where", "termination_by", "decreasing_by"];

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
    /// Column of the block; a line that starts further left is outside.
    column: u32,
    /// The block is inside brackets, so a comma ends it.
    bracketed: bool,
}

/// What a stretch of tokens has seen so far.
#[derive(Debug, Default)]
struct Stretch {
    blocks: Vec<Block>,
    /// `if`s whose `else` is to come.
    conditions: u32,
    /// A bar does not end it.
    bars: bool,
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
        while let Some(token) = self.peek() {
            match token.kind {
                TokenKind::Open => open += 1,
                TokenKind::Close => open = open.saturating_sub(1),
                TokenKind::Word if self.opens_proof() => {
                    let limits = Limits {
                        column: 0,
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
            let inner = Limits { column, ..limits };
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

    fn is_inside(&self, token: &Token, column: u32) -> bool {
        !self.is_outside(token) && (!token.first_on_line || token.column >= column)
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

    // Tactics.

    /// Reads a tactic with everything that `<;>` ties to it.
    fn tactic(&mut self, limits: Limits) -> Tactic {
        let mut first = self.part(limits);
        if self.word() != "<;>" {
            self.leftover(limits, &mut first);
            return first;
        }
        let mut tactic = Tactic {
            kind: TacticKind::Wrapping,
            ..Tactic::from_to(&first, first.span.end)
        };
        tactic.parts.push(first);
        while self.word() == "<;>" {
            self.at += 1;
            if self.starts_tactic() {
                let part = self.part(limits);
                tactic.parts.push(part);
            }
            self.leftover(limits, &mut tactic);
        }
        tactic
    }

    /// What stands behind the last block of a tactic and still belongs to it.
    fn leftover(&mut self, limits: Limits, tactic: &mut Tactic) {
        tactic.blocks.extend(self.stretch(limits, false, &[]));
        tactic.span.end = self.last_end();
    }

    fn part(&mut self, limits: Limits) -> Tactic {
        let Some(first) = self.peek() else {
            // Callers look before they call.
            return Tactic::empty(self.last_end());
        };
        let start = self.at;
        let word = &self.text[first.span.clone()];
        let (kind, blocks) = self.shape(limits);
        let end = self.last_end();
        let steps = if REWRITING.contains(&word) {
            rewrite_rules(self.text, &self.tokens[start..self.at])
        } else {
            Vec::new()
        };
        Tactic {
            shows_its_goal: matches!(word, "case" | "case'"),
            span: first.span.start..end,
            head: first.span.end,
            column: first.column,
            kind,
            blocks,
            parts: Vec::new(),
            steps,
        }
    }

    /// Reads one tactic by what its first word says about the rest.
    fn shape(&mut self, limits: Limits) -> (TacticKind, Vec<Block>) {
        let word = self.word();
        match word {
            "·" | "." => {
                let body = self.block(BlockKind::Body, limits);
                (TacticKind::Focusing { tag: None }, vec![body])
            }
            "(" | "{" => self.bracketed(),
            "first" | "solve" => {
                self.at += 1;
                (
                    TacticKind::Wrapping,
                    self.alternatives(BlockKind::Body, limits),
                )
            }
            "if" => self.conditional(limits),
            "iterate" => {
                self.at += 1;
                if self
                    .peek()
                    .is_some_and(|token| token.kind == TokenKind::Literal)
                {
                    self.at += 1;
                }
                self.body(self.at, limits)
            }
            _ if WRAPPING.contains(&word) => {
                self.at += 1;
                self.body(self.at - 1, limits)
            }
            _ if ARROWED.contains(&word) => self.arrowed(limits),
            _ if SCOPED.contains(&word) => self.scoped(limits),
            _ if MATCHING.contains(&word) => self.matching(limits),
            _ => {
                self.at += 1;
                let bars = PATTERNED.contains(&word);
                (TacticKind::Plain, self.stretch(limits, bars, &[]))
            }
        }
    }

    /// The tactics after an opener that ends before the current token.
    fn body(&mut self, from: usize, limits: Limits) -> (TacticKind, Vec<Block>) {
        let opener = self.tokens[from.min(self.at - 1)].span.start..self.last_end();
        let body = self.tactics(BlockKind::Body, opener, limits);
        (TacticKind::Wrapping, vec![body])
    }

    /// `(a; b)`
    fn bracketed(&mut self) -> (TacticKind, Vec<Block>) {
        let limits = Limits {
            column: 0,
            bracketed: true,
        };
        let body = self.block(BlockKind::Body, limits);
        self.skip_to_close();
        (TacticKind::Wrapping, vec![body])
    }

    /// Behind the bracket that closes the current one; stays where it is when there is none.
    fn skip_to_close(&mut self) {
        let mut open = 0_usize;
        for (number, token) in self.tokens.iter().enumerate().skip(self.at) {
            match token.kind {
                TokenKind::Open => open += 1,
                TokenKind::Close if open == 0 => {
                    self.at = number + 1;
                    return;
                }
                TokenKind::Close => open -= 1,
                _ if self.is_outside(token) => return,
                _ => {}
            }
        }
    }

    /// `case x =>`, `next =>`, `conv at h =>`
    fn arrowed(&mut self, limits: Limits) -> (TacticKind, Vec<Block>) {
        let start = self.at;
        let word = self.word();
        self.at += 1;
        let mut blocks = self.stretch(limits, true, &["=>"]);
        if self.word() != "=>" {
            return (TacticKind::Plain, blocks);
        }
        let kind = match word {
            "case" | "case'" => TacticKind::Focusing {
                tag: self
                    .tokens
                    .get(start + 1)
                    .map(|tag| self.text[tag.span.clone()].to_owned())
                    .filter(|tag| tag != "_"),
            },
            "next" => TacticKind::Focusing { tag: None },
            _ => TacticKind::Wrapping,
        };
        self.at += 1;
        let opener = self.tokens[start].span.start..self.last_end();
        blocks.push(self.tactics(BlockKind::Body, opener, limits));
        (kind, blocks)
    }

    /// `set_option x y in tactic`
    fn scoped(&mut self, limits: Limits) -> (TacticKind, Vec<Block>) {
        let start = self.at;
        self.at += 1;
        let mut blocks = self.stretch(limits, false, &["in"]);
        if self.word() != "in" {
            return (TacticKind::Plain, blocks);
        }
        self.at += 1;
        let opener = self.tokens[start].span.start..self.last_end();
        blocks.push(self.tactics(BlockKind::Body, opener, limits));
        (TacticKind::Wrapping, blocks)
    }

    /// `cases h with | a => … | b => …`
    fn matching(&mut self, limits: Limits) -> (TacticKind, Vec<Block>) {
        self.at += 1;
        let mut blocks = self.stretch(limits, false, &["with"]);
        if self.word() != "with" {
            return (TacticKind::Plain, blocks);
        }
        self.at += 1;
        // A tactic for all cases may come before the first alternative.
        if !self.is_bar() {
            blocks.extend(self.stretch(limits, false, &[]));
        }
        let cases = self.alternatives(BlockKind::Alternative, limits);
        let complete = !cases.is_empty() && cases.iter().all(|case| !case.items.is_empty());
        blocks.extend(cases);
        if complete {
            (TacticKind::Focusing { tag: None }, blocks)
        } else {
            (TacticKind::Wrapping, blocks)
        }
    }

    /// Alternatives, each from its bar on. One further left than the first belongs to a tactic around this one.
    fn alternatives(&mut self, kind: BlockKind, limits: Limits) -> Vec<Block> {
        let mut blocks = Vec::new();
        let column = self.peek().map_or(0, |bar| bar.column);
        while let Some(bar) = self.peek().filter(|_| self.is_bar()) {
            let least = if blocks.is_empty() {
                limits.column
            } else {
                column
            };
            if bar.first_on_line && bar.column < least {
                break;
            }
            let start = bar.span.start;
            self.at += 1;
            if kind == BlockKind::Alternative {
                blocks.extend(self.stretch(limits, true, &["=>"]));
                if self.word() != "=>" {
                    break;
                }
                self.at += 1;
            }
            let opener = start..self.last_end();
            let block = self.tactics(kind, opener, limits);
            if block.items.is_empty() {
                // A hole in place of tactics.
                self.stretch(limits, false, &[]);
            }
            blocks.push(block);
        }
        blocks
    }

    /// `if h : p then … else …`
    fn conditional(&mut self, limits: Limits) -> (TacticKind, Vec<Block>) {
        self.at += 1;
        let mut blocks = self.stretch(limits, false, &["then"]);
        for word in ["then", "else"] {
            if self.word() != word {
                return (TacticKind::Wrapping, blocks);
            }
            blocks.push(self.block(BlockKind::Body, limits));
        }
        (TacticKind::Focusing { tag: None }, blocks)
    }

    // Terms.

    /// Reads on to what ends a tactic, or to one of `stops`. Gives the blocks on the way.
    fn stretch(&mut self, limits: Limits, bars: bool, stops: &[&str]) -> Vec<Block> {
        let mut stretch = Stretch {
            bars,
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
                    column: if open > 0 { 0 } else { limits.column },
                    bracketed: open > 0 || limits.bracketed,
                };
                stretch.blocks.push(self.block(BlockKind::Proof, limits));
                continue;
            }
            match token.kind {
                TokenKind::Open => open += 1,
                TokenKind::Close if open == 0 => break,
                TokenKind::Close => open -= 1,
                TokenKind::Word if open == 0 => stretch.note(self.word()),
                _ => {}
            }
            self.at += 1;
        }
        stretch.blocks
    }

    fn ends_tactic(&self, token: &Token, limits: Limits, stretch: &Stretch) -> bool {
        let word = self.word();
        if token.first_on_line {
            let left = token.column < limits.column && token.kind != TokenKind::Close;
            let next = token.column == limits.column && self.starts_tactic();
            if left || (next && !self.awaits_more()) {
                return true;
            }
        }
        match word {
            ";" | "<;>" => true,
            "," => limits.bracketed,
            "|" => !stretch.bars && self.is_bar(),
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
            "match" | "fun" | "λ" => self.bars = true,
            _ => {}
        }
    }
}

impl Tactic {
    fn empty(at: usize) -> Self {
        Self {
            span: at..at,
            head: at,
            column: 0,
            kind: TacticKind::Plain,
            blocks: Vec::new(),
            parts: Vec::new(),
            shows_its_goal: false,
            steps: Vec::new(),
        }
    }

    /// A tactic that starts as `first` does.
    fn from_to(first: &Self, end: usize) -> Self {
        Self {
            span: first.span.start..end,
            head: first.head,
            column: first.column,
            ..Self::empty(end)
        }
    }
}

/// The rules between the brackets of a rewriting tactic.
fn rewrite_rules(text: &str, tokens: &[Token]) -> Vec<Range<usize>> {
    let mut rules: Vec<Range<usize>> = Vec::new();
    let mut open = 0_usize;
    let mut fresh = true;
    for token in &tokens[rules_start(text, tokens)..] {
        match token.kind {
            TokenKind::Close if open == 0 => break,
            TokenKind::Symbol if open == 0 && &text[token.span.clone()] == "," => {
                fresh = true;
                continue;
            }
            TokenKind::Open => open += 1,
            TokenKind::Close => open -= 1,
            _ => {}
        }
        match rules.last_mut().filter(|_| !fresh) {
            Some(rule) => rule.end = token.span.end,
            None => rules.push(token.span.clone()),
        }
        fresh = false;
    }
    rules
}

/// Number of the token behind the first `[` that is in no other bracket; the number of tokens without one.
fn rules_start(text: &str, tokens: &[Token]) -> usize {
    let mut open = 0_usize;
    for (number, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Open if open == 0 && &text[token.span.clone()] == "[" => return number + 1,
            TokenKind::Open => open += 1,
            TokenKind::Close => open = open.saturating_sub(1),
            _ => {}
        }
    }
    tokens.len()
}
