//! Which tactic a position means, and where Lean shows the states around it.

mod cursor;
mod make;

use std::ops::Range;

use super::outline::{Block, Outline};
pub(crate) use super::outline::{Failure, Runs};
use crate::lsp::Side;
use cursor::{Cursor, Siblings};

/// The tactic, block or rewrite rule that an answer is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// Its bytes.
    pub(crate) basis: Range<usize>,
    /// Where Lean shows the state before it, the most exact spot first.
    pub(crate) before: Vec<Spot>,
    /// How to get the state after it.
    pub(crate) after: After,
    /// What in it has targets of its own.
    pub(crate) nested: Vec<Range<usize>>,
    /// Byte offset where a tactic can be put before it, or before the tactic that it is a part of.
    pub(crate) run_at: usize,
    /// The tactic around it that goes on when it fails.
    pub(crate) caught: Option<Box<Caught>>,
    /// How often it is run, by the tactics around it.
    pub(crate) runs: Runs,
    /// What it takes for it to fail.
    pub(crate) fails: Failure,
    /// The starts of the tactics that it runs, block by block.
    pub(crate) inner: Vec<Vec<usize>>,
    /// It is what opens a block, so goals that the block leaves are no failure of it.
    pub(crate) is_block: bool,
}

/// A tactic that goes on when a target in it fails. Lean shows nothing of such a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Caught {
    /// The tactic.
    pub(crate) by: Target,
    /// Where the alternative with the target starts, unless it is the first. Where it was never come to, Lean shows the
    /// state of the tactic around it there.
    pub(crate) entry: Option<Spot>,
}

impl Target {
    /// Adds a tactic around all that are known so far.
    fn add_caught(&mut self, caught: Caught) {
        match &mut self.caught {
            None => self.caught = Some(Box::new(caught)),
            Some(inner) => inner.by.add_caught(caught),
        }
    }

    /// Adds how often a tactic around all that are known so far runs it.
    fn add_runs(&mut self, runs: Runs) {
        if self.runs == Runs::Once {
            self.runs = runs;
        }
        if let Some(inner) = &mut self.caught {
            inner.by.add_runs(runs);
        }
    }
}

/// How to get the state after a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct After {
    /// Where Lean shows it, the most exact spot first.
    pub(crate) at: Vec<Spot>,
    /// Where Lean shows it nowhere: the target closes one goal of those before it.
    pub(crate) closes: Option<Closed>,
}

/// A byte offset where Lean is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) offset: usize,
    /// A state on this side of its tactic is another one than the one that is looked for.
    pub(crate) not: Option<Side>,
}

impl Spot {
    /// Where a tactic starts.
    const fn start(offset: usize) -> Self {
        Self {
            offset,
            not: Some(Side::After),
        }
    }

    /// Inside or behind a tactic.
    const fn end(offset: usize) -> Self {
        Self {
            offset,
            not: Some(Side::Before),
        }
    }
}

/// Which goal a target closes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Closed {
    /// The first one.
    First,
    /// The one with this tag.
    Tagged(String),
}

/// The target at a byte offset; `None` outside proofs.
///
/// Inside and right after a tactic it is the innermost tactic there; in the indentation before one, that
/// tactic; on an empty line or behind the last token of a line, the innermost tactic that ended before and
/// starts no further right than the position. On what opens a block, the block.
pub(crate) fn target_at(text: &str, offset: usize) -> Option<Target> {
    let outline = Outline::around(text, offset);
    let cursor = Cursor::new(text, offset);
    let block = outline
        .blocks
        .iter()
        .rfind(|block| block.opener.start <= offset)?;
    cursor
        .reaches(block.end())
        .then(|| cursor.in_block(block, None))
}

/// Where Lean shows what a block leaves open, for the block whose opener is at `offset`: behind its last tactic.
/// Empty when there is no such block.
pub(crate) fn block_end(text: &str, offset: usize) -> Vec<Spot> {
    let outline = Outline::around(text, offset);
    let cursor = Cursor::new(text, offset);
    let Some((block, is_top)) = opened_at(&outline.blocks, true, offset) else {
        return Vec::new();
    };
    let Some(last) = block.items.last() else {
        return vec![Spot::end(block.opener.end)];
    };
    let siblings = Siblings {
        block,
        number: block.items.len() - 1,
        is_top,
    };
    let mut spots = cursor.after(last, Some(siblings)).at;
    if spots.is_empty() {
        spots.push(cursor.state_before(last));
    }
    spots
}

/// The innermost block with an opener at `offset`, and whether it is in no other tactic.
fn opened_at(blocks: &[Block], is_top: bool, offset: usize) -> Option<(&Block, bool)> {
    let block = blocks.iter().rfind(|block| block.opener.start <= offset)?;
    let inner = block.items.iter().find_map(|item| {
        let parts = item.parts.iter();
        let inner = parts.chain([item]).map(|tactic| tactic.blocks.as_slice());
        inner
            .filter_map(|blocks| opened_at(blocks, false, offset))
            .next()
    });
    inner.or_else(|| block.opener.contains(&offset).then_some((block, is_top)))
}

#[cfg(test)]
mod tests;
