//! Finding the tactic that a place means.

use std::ops::Range;

use super::{
    super::{
        outline::{Block, BlockKind, Tactic},
        tokens::next_code,
    },
    Caught, Runs, Target,
    make::rule_target,
};

/// A place in the text.
pub(super) struct Cursor<'a> {
    pub(super) text: &'a str,
    pub(super) offset: usize,
    /// Zero-based column in characters.
    pub(super) column: u32,
    /// Where the first code of the line starts, when the place is in the indentation before it.
    pub(super) indents: Option<usize>,
}

/// Where a tactic stands among its neighbours.
#[derive(Clone, Copy)]
pub(super) struct Siblings<'a> {
    pub(super) block: &'a Block,
    pub(super) number: usize,
    /// The block is in no other tactic.
    pub(super) is_top: bool,
}

impl<'a> Siblings<'a> {
    fn tactic(self) -> &'a Tactic {
        &self.block.items[self.number]
    }

    pub(super) fn next(self) -> Option<&'a Tactic> {
        self.block.items.get(self.number + 1)
    }

    /// The starts of the two tactics before it, the nearest first.
    pub(super) fn earlier_starts(self) -> impl Iterator<Item = usize> {
        self.block.items[..self.number]
            .iter()
            .rev()
            .take(2)
            .map(|item| item.span.start)
    }
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str, offset: usize) -> Self {
        let line_start = text[..offset].rfind('\n').map_or(0, |end| end + 1);
        let before = &text[line_start..offset];
        let blank = before.chars().all(char::is_whitespace);
        let rest = &text[offset..];
        let space = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        Self {
            text,
            offset,
            column: before.chars().count() as u32,
            indents: blank.then_some(offset + space),
        }
    }

    /// The same as if the place were at the start of a tactic.
    fn moved_to(&self, offset: usize) -> Self {
        Self::new(self.text, offset)
    }

    fn is_before(&self, start: usize) -> bool {
        self.indents == Some(start)
    }

    /// True when nothing but space and comments is between `end` and the place.
    pub(super) fn reaches(&self, end: usize) -> bool {
        let next = next_code(self.text, end);
        self.offset <= end || self.offset < next || next == self.text.len()
    }

    // Finding the target.

    pub(super) fn in_block(&self, block: &'a Block, parent: Option<&'a Tactic>) -> Target {
        let is_top = parent.is_none();
        let at = |number| Siblings {
            block,
            number,
            is_top,
        };
        let Some(first) = block.items.first() else {
            return self.block_target(block, is_top);
        };
        if self.offset < first.span.start {
            return if self.is_before(first.span.start) {
                self.moved_to(first.span.start)
                    .in_tactic(first, Some(at(0)))
            } else {
                self.block_target(block, is_top)
            };
        }
        let number = block
            .items
            .partition_point(|item| item.span.start <= self.offset)
            - 1;
        let found = at(number);
        if self.offset <= found.tactic().span.end {
            return self.in_tactic(found.tactic(), Some(found));
        }
        match found.next().filter(|next| self.is_before(next.span.start)) {
            Some(next) => self
                .moved_to(next.span.start)
                .in_tactic(next, Some(at(number + 1))),
            None => self.behind(found),
        }
    }

    /// The place is inside the tactic or right after it. One that `<;>` ties to others has no siblings.
    fn in_tactic(&self, tactic: &'a Tactic, siblings: Option<Siblings<'a>>) -> Target {
        if let Some(part) = tactic.parts.iter().find(|part| self.is_in(&part.span)) {
            return self.in_part(part, tactic);
        }
        if let Some(rule) = tactic.steps.iter().find(|rule| self.is_in(rule)) {
            return rule_target(rule, tactic, self.state_before(tactic).offset);
        }
        let starts_bar = |block: &Block| {
            block.kind == BlockKind::Body
                && block.opener.start > tactic.span.start
                && self.is_before(block.opener.start)
        };
        if tactic.blocks.iter().any(starts_bar) {
            return self.tactic_target(tactic, siblings);
        }
        let block = tactic.blocks.iter().rfind(|block| self.enters(block));
        match block {
            Some(block) if self.offset <= block.end() || self.is_blank_after(block.end()) => {
                let target = self.in_block(block, Some(tactic));
                self.within(target, block, tactic, siblings)
            }
            _ => self.tactic_target(tactic, siblings),
        }
    }

    /// A target in a block of `tactic`, with the note of what the tactic does to it.
    fn within(
        &self,
        mut target: Target,
        block: &'a Block,
        tactic: &'a Tactic,
        siblings: Option<Siblings<'a>>,
    ) -> Target {
        if block.kind != BlockKind::Body {
            return target;
        }
        if tactic.catches {
            let is_first = tactic
                .blocks
                .first()
                .is_some_and(|first| first.opener == block.opener);
            let start = block.items.first().filter(|_| !is_first);
            target.add_caught(Caught {
                by: self.tactic_target(tactic, siblings),
                entry: start.map(|item| self.state_before(item)),
            });
        }
        target.add_runs(tactic.runs);
        target
    }

    /// Nothing can be put before a part of a tactic but before the tactic as a whole.
    fn in_part(&self, part: &'a Tactic, whole: &Tactic) -> Target {
        let mut target = self.in_tactic(part, None);
        if part.span.start > whole.span.start {
            target.add_runs(Runs::EachGoal);
        }
        if target.run_at == self.state_before(part).offset {
            Target {
                run_at: self.state_before(whole).offset,
                ..target
            }
        } else {
            target
        }
    }

    fn is_in(&self, span: &Range<usize>) -> bool {
        (span.start..=span.end).contains(&self.offset)
    }

    /// True when the place is on the opener of a block or behind it. The opener of a body is the tactic's own.
    fn enters(&self, block: &Block) -> bool {
        let start = match block.kind {
            BlockKind::Body => match block.items.first() {
                Some(first) => first.span.start,
                None => return false,
            },
            BlockKind::Proof | BlockKind::Alternative => block.opener.start,
        };
        start <= self.offset || (block.kind != BlockKind::Proof && self.is_before(start))
    }

    fn is_blank_after(&self, end: usize) -> bool {
        self.offset < next_code(self.text, end)
    }

    /// The place is in the space behind the tactic.
    fn behind(&self, found: Siblings<'a>) -> Target {
        let tactic = found.tactic();
        if let Some(part) = tactic
            .parts
            .last()
            .filter(|part| part.column <= self.column)
        {
            return self.moved_to(part.span.end).in_part(part, tactic);
        }
        let last = tactic
            .blocks
            .last()
            .filter(|block| block.end() == tactic.span.end);
        let Some(block) = last else {
            return self.tactic_target(tactic, Some(found));
        };
        match block.items.last() {
            Some(item) if item.column <= self.column => {
                let target = self.behind(Siblings {
                    block,
                    number: block.items.len() - 1,
                    is_top: false,
                });
                self.within(target, block, tactic, Some(found))
            }
            None if self.column > tactic.column && block.kind != BlockKind::Body => {
                self.block_target(block, false)
            }
            _ => self.tactic_target(tactic, Some(found)),
        }
    }
}
