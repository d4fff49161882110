//! Where the tactics around a place begin and end.
//!
//! Lean tells the state at a position but not which tactic it belongs to. The outline finds the tactics by
//! Lean's layout rules: a block's tactics start in one column or after `;`, blocks open after `by`, bullets,
//! `=>` and some words. Syntax that it does not know is part of the tactic that it stands in; what
//! follows from a wrong guess is found out by asking Lean.

use std::ops::Range;

use super::{
    parser::Parser,
    tokens::{Token, tokens},
    words::starts_command,
};

/// Every proof in the commands around a place.
#[derive(Debug, Default)]
pub(super) struct Outline {
    /// The blocks that open in terms outside any tactic, in order.
    pub(super) blocks: Vec<Block>,
}

/// A sequence of tactics.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) kind: BlockKind,
    /// What opens it: `by`, `| inl h =>`, `·`, `case x =>`.
    pub(super) opener: Range<usize>,
    /// Its tactics. Empty where none was written yet.
    pub(super) items: Vec<Tactic>,
}

/// What opens a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockKind {
    /// `by` in a term.
    Proof,
    /// A case of `cases`, `induction` or `match`.
    Alternative,
    /// The rest of a tactic that runs other tactics.
    Body,
}

/// One tactic, with everything that belongs to it.
#[derive(Debug)]
pub(super) struct Tactic {
    pub(super) span: Range<usize>,
    /// End of its first token.
    pub(super) head: usize,
    /// Zero-based column in characters.
    pub(super) column: u32,
    pub(super) kind: TacticKind,
    /// The blocks in it, in order.
    pub(super) blocks: Vec<Block>,
    /// The tactics around `<;>`, else empty.
    pub(super) parts: Vec<Tactic>,
    /// From its first character on Lean shows the goal that it chooses, not the state before it.
    pub(super) shows_its_goal: bool,
    /// It goes on when what it runs fails.
    pub(super) catches: bool,
    /// How often it runs what it runs.
    pub(super) runs: Runs,
    /// What it takes for it to fail.
    pub(super) fails: Failure,
    /// Rewrite rules, which have states of their own.
    pub(super) steps: Vec<Range<usize>>,
}

/// How a tactic treats the goals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TacticKind {
    /// It does its work at once; the blocks in it are proofs of terms.
    Plain,
    /// Its blocks have to close one goal: the one named by the tag, else the first.
    Focusing {
        /// The tag of a `case`.
        tag: Option<String>,
    },
    /// It runs its blocks on goals that stay: `try`, `all_goals`, parentheses, `<;>`.
    Wrapping,
}

/// What it takes for a tactic to fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failure {
    /// It cannot do its own work.
    Own,
    /// Something in it fails.
    AnyPart,
    /// Something in each of its blocks fails.
    AllBlocks,
    /// It never does, or nothing is known of it.
    Unknown,
}

/// How often a tactic runs the tactics in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Runs {
    /// Once, on all goals or on one.
    #[default]
    Once,
    /// Again and again.
    Again,
    /// Once for each goal, on that alone.
    EachGoal,
}

impl Block {
    /// First byte after it.
    pub(super) fn end(&self) -> usize {
        self.items
            .last()
            .map_or(self.opener.end, |item| item.span.end)
    }

    /// From its opener to its end.
    pub(super) fn span(&self) -> Range<usize> {
        self.opener.start..self.end()
    }
}

impl Tactic {
    pub(super) fn has_alternatives(&self) -> bool {
        self.blocks
            .iter()
            .any(|block| block.kind == BlockKind::Alternative)
    }
}

impl Outline {
    /// The proofs of the command that contains `offset`.
    pub(super) fn around(text: &str, offset: usize) -> Self {
        Self {
            blocks: Parser::new(text, &segment(text, offset)).term_blocks(),
        }
    }
}

/// The whole commands that `range` touches.
pub(crate) fn commands_around(text: &str, range: Range<usize>) -> Range<usize> {
    let mut start = 0;
    for token in tokens(text).filter(|token| starts_command(text, token)) {
        if token.span.start > range.end {
            return start..token.span.start;
        }
        if token.span.start <= range.start {
            start = token.span.start;
        }
    }
    start..text.len()
}

/// The tokens from the last start of a command up to `offset` to the next one after it.
fn segment(text: &str, offset: usize) -> Vec<Token> {
    let mut kept = Vec::new();
    for token in tokens(text) {
        if starts_command(text, &token) {
            if token.span.start > offset {
                return kept;
            }
            kept.clear();
        }
        kept.push(token);
    }
    kept
}
