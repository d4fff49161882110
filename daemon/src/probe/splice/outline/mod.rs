//! The tactics of one command: where each starts and ends, and what contains what.
//!
//! This stands in for Lean's parser. It knows layout, brackets, alternatives and the words that open a
//! block; terms it only scans for blocks inside them. Whatever it gets wrong costs a round trip at most,
//! because every place is checked with Lean before it is used.

mod alternatives;
mod frames;
mod line;
mod nodes;
mod parser;
mod steps;
mod tokens;
mod words;

use super::lexer::Token;

pub(crate) use parser::outline;
pub(crate) use words::{continues_command, is_header, is_modifier, starts_command};

/// A part of a command that Lean has a tactic state for. Parents come before their children.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) kind: NodeKind,
    pub(super) parent: Option<usize>,
    /// Byte offset of its first character.
    pub(super) start: usize,
    /// Byte offset after its last token.
    pub(super) end: usize,
    /// Byte offset of the token after it, or the end of the text.
    pub(super) trail: usize,
    /// Column of its first character, in characters.
    pub(super) column: usize,
}

/// What a node is, and with that how to get at its states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeKind {
    /// A tactic in a block.
    Tactic { block: usize },
    /// One side of `<;>`, or a whole tactic without one.
    Part { block: usize },
    /// A tactic that works on one goal alone, which is shown all over it, such as `case`.
    Focus { block: usize },
    /// `by` and its block.
    Proof { block: usize },
    /// What opens a block, such as `by` or `| name =>`: the state before the block. `·` and its like show
    /// at their first character the state before the tactic instead.
    Opener { block: usize, focuses: bool },
    /// `;`: the state after the tactic before it.
    Separator { tactic: usize },
    /// The start of a tactic that goes on after it, such as `rw [`: the state before the tactic.
    Start,
    /// One rule of a `rw`, with the comma after it; `previous` is the rule before it.
    Rule { previous: Option<usize> },
    /// The bracket after the rules.
    RulesEnd { last: usize },
    /// One argument of a tactic that takes them one by one, such as `intro`.
    Step { previous: Option<usize> },
}

/// A sequence of tactics at one column.
#[derive(Debug, Clone)]
pub(super) struct Block {
    /// Column of its first tactic; for an empty block, where one could start.
    pub(super) column: usize,
    /// Its tactics in order, as nodes.
    pub(super) tactics: Vec<usize>,
    /// Byte offset after what opens it.
    pub(super) opened: usize,
    /// True if it runs again and again until it fails.
    pub(super) repeats: bool,
}

/// All nodes of a command.
#[derive(Debug, Default)]
pub(super) struct Outline {
    pub(super) nodes: Vec<Node>,
    pub(super) blocks: Vec<Block>,
}

impl Outline {
    /// True if what is put before `node` would run for ever unless it fails.
    pub(super) fn starts_loop(&self, node: usize) -> bool {
        let mut present = Some(node);
        while let Some(index) = present {
            let Node { parent, start, .. } = self.nodes[index];
            let first = match self.nodes[index].kind {
                NodeKind::Tactic { block } => {
                    let block = &self.blocks[block];
                    let first = block.tactics.first() == Some(&index);
                    if first && block.repeats {
                        return true;
                    }
                    first
                }
                NodeKind::Part { .. } => {
                    parent.is_some_and(|whole| self.nodes[whole].start == start)
                }
                NodeKind::Proof { .. } => false,
                _ => true,
            };
            present = parent.filter(|_| first);
        }
        false
    }

    /// True if something around `node` runs it again and again.
    pub(super) fn is_in_loop(&self, node: usize) -> bool {
        let mut around = std::iter::successors(Some(node), |index| self.nodes[*index].parent);
        around.any(|index| {
            self.block_of(index)
                .is_some_and(|block| self.blocks[block].repeats)
        })
    }

    /// The block that a node's tactics or places belong to.
    pub(super) fn block_of(&self, node: usize) -> Option<usize> {
        match self.nodes[node].kind {
            NodeKind::Tactic { block }
            | NodeKind::Part { block }
            | NodeKind::Focus { block }
            | NodeKind::Proof { block }
            | NodeKind::Opener { block, .. } => Some(block),
            NodeKind::Separator { tactic } => self.block_of(tactic),
            NodeKind::Start
            | NodeKind::Rule { .. }
            | NodeKind::RulesEnd { .. }
            | NodeKind::Step { .. } => self.nodes[node]
                .parent
                .and_then(|parent| self.block_of(parent)),
        }
    }
}

/// A stretch of tokens together with the text they are in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: &'a [Token],
    /// Where the stretch ends: the token after it, or the end of the text.
    pub(super) end: usize,
}

impl<'a> Source<'a> {
    pub(super) fn word(&self, token: Token) -> &'a str {
        &self.text[token.start..token.end]
    }
}

/// The column of an offset, in characters. Lean ends lines at `\n` alone.
pub(super) fn column_of(text: &str, offset: usize) -> usize {
    text[line_start(text, offset)..offset].chars().count()
}

/// True if nothing but blanks is before `offset` on its line.
pub(super) fn is_line_start(text: &str, offset: usize) -> bool {
    let before = text.as_bytes()[..offset].iter().rev();
    matches!(
        before.copied().find(|byte| *byte != b' '),
        None | Some(b'\n')
    )
}

/// Byte offset of the start of the line of `offset`.
fn line_start(text: &str, offset: usize) -> usize {
    memchr::memrchr(b'\n', &text.as_bytes()[..offset]).map_or(0, |end| end + 1)
}
