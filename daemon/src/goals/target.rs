//! Which tactic a position means, and where Lean shows the states around it.

use std::ops::Range;

use super::{
    outline::{Block, BlockKind, Outline, Tactic, TacticKind},
    tokens::next_code,
};
use crate::lsp::Side;

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
    /// It is what opens a block, so goals that the block leaves are no failure of it.
    pub(crate) is_block: bool,
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

/// A place in the text.
struct Cursor<'a> {
    text: &'a str,
    offset: usize,
    /// Zero-based column in characters.
    column: u32,
    /// Where the first code of the line starts, when the place is in the indentation before it.
    indents: Option<usize>,
}

/// Where a tactic stands among its neighbours.
#[derive(Clone, Copy)]
struct Siblings<'a> {
    block: &'a Block,
    number: usize,
    /// The block is in no other tactic.
    is_top: bool,
}

impl<'a> Siblings<'a> {
    fn tactic(self) -> &'a Tactic {
        &self.block.items[self.number]
    }

    fn next(self) -> Option<&'a Tactic> {
        self.block.items.get(self.number + 1)
    }

    /// The starts of the two tactics before it, the nearest first.
    fn earlier_starts(self) -> impl Iterator<Item = usize> {
        self.block.items[..self.number]
            .iter()
            .rev()
            .take(2)
            .map(|item| item.span.start)
    }
}

impl<'a> Cursor<'a> {
    fn new(text: &'a str, offset: usize) -> Self {
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
    fn reaches(&self, end: usize) -> bool {
        let next = next_code(self.text, end);
        self.offset <= end || self.offset < next || next == self.text.len()
    }

    // Finding the target.

    fn in_block(&self, block: &'a Block, parent: Option<&'a Tactic>) -> Target {
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
                self.in_block(block, Some(tactic))
            }
            _ => self.tactic_target(tactic, siblings),
        }
    }

    /// Nothing can be put before a part of a tactic but before the tactic as a whole.
    fn in_part(&self, part: &'a Tactic, whole: &Tactic) -> Target {
        let target = self.in_tactic(part, None);
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
            Some(item) if item.column <= self.column => self.behind(Siblings {
                block,
                number: block.items.len() - 1,
                is_top: false,
            }),
            None if self.column > tactic.column && block.kind != BlockKind::Body => {
                self.block_target(block, false)
            }
            _ => self.tactic_target(tactic, Some(found)),
        }
    }

    // Making it.

    fn tactic_target(&self, tactic: &'a Tactic, siblings: Option<Siblings<'a>>) -> Target {
        let mut before = vec![self.state_before(tactic), Spot::start(tactic.span.start)];
        // Where a tactic does not start after all, the one before it goes on.
        before.extend(
            siblings
                .iter()
                .flat_map(|found| found.earlier_starts())
                .map(Spot::start),
        );
        Target {
            basis: tactic.span.clone(),
            before,
            after: self.after(tactic, siblings),
            nested: nested(tactic),
            run_at: self.state_before(tactic).offset,
            is_block: false,
        }
    }

    fn after(&self, tactic: &'a Tactic, siblings: Option<Siblings<'a>>) -> After {
        let next = siblings.and_then(Siblings::next);
        let behind = match next {
            Some(next) => Some(self.state_before(next)),
            None => siblings
                .and_then(|found| self.space_behind(tactic, found.is_top))
                .map(Spot::end),
        };
        let closes = closed(tactic);
        let at = match (&tactic.kind, behind, &closes) {
            (TacticKind::Plain, behind, _) => own_ends(tactic).into_iter().chain(behind).collect(),
            (_, Some(behind), _) => vec![behind],
            (_, None, Some(_)) => Vec::new(),
            (_, None, None) => vec![Spot::end(tactic.span.end)],
        };
        After { at, closes }
    }

    /// Where Lean shows the state before a tactic: at its first character, except that a `case` shows its own
    /// goal from there on, and all goals in the space in front of it.
    fn state_before(&self, tactic: &Tactic) -> Spot {
        let start = tactic.span.start;
        let spaced = self.text[..start].ends_with([' ', '\n']);
        if tactic.shows_its_goal && spaced {
            Spot {
                offset: start - 1,
                not: None,
            }
        } else {
            Spot::start(start)
        }
    }

    /// An offset in the space behind a tactic where Lean shows the state after it, not after one in it: at a
    /// column where those in it are further right, and it is not.
    fn space_behind(&self, tactic: &Tactic, is_last_of_all: bool) -> Option<usize> {
        let right = inner_column(tactic)?;
        let left = match is_last_of_all {
            true => 0,
            // Lean takes an alternative for a tactic that starts at its bar.
            false if tactic.has_alternatives() => return None,
            false => tactic.column,
        };
        if left >= right {
            return None;
        }
        let end = next_code(self.text, tactic.span.end);
        let space = &self.text[tactic.span.end..end];
        space.match_indices('\n').find_map(|(at, _)| {
            let line = tactic.span.end + at + 1;
            let offset = line + left as usize;
            let indent = self.text.get(line..offset)?;
            let exists = offset < end || (end == self.text.len() && offset == end);
            (exists && indent.bytes().all(|byte| byte == b' ')).then_some(offset)
        })
    }

    fn block_target(&self, block: &'a Block, is_top: bool) -> Target {
        let number = block.items.len().checked_sub(1);
        let after = match number {
            None => After {
                at: vec![Spot::start(block.opener.start)],
                closes: None,
            },
            Some(number) => self.after(
                &block.items[number],
                Some(Siblings {
                    block,
                    number,
                    is_top,
                }),
            ),
        };
        let start = block
            .items
            .first()
            .map_or(Spot::start(block.opener.start), |first| {
                self.state_before(first)
            });
        // What fails the last tactic fails the block.
        let (last, others) = block
            .items
            .split_last()
            .map_or((Vec::new(), &[][..]), |(last, others)| {
                (nested(last), others)
            });
        let others = others.iter().map(|item| item.span.clone());
        Target {
            basis: block.span(),
            before: vec![start, Spot::start(block.opener.start)],
            after,
            nested: others.chain(last).collect(),
            run_at: if block.items.is_empty() {
                block.opener.end
            } else {
                start.offset
            },
            is_block: true,
        }
    }
}

/// Offsets in a tactic where Lean shows the state after it: its end, unless a proof in it ends there, and the
/// second character.
fn own_ends(tactic: &Tactic) -> Vec<Spot> {
    let end = tactic.span.end;
    let is_nested = tactic.blocks.iter().any(|block| block.end() == end);
    if tactic.kind != TacticKind::Plain {
        return vec![Spot::end(end)];
    }
    // Every first token ends on a character boundary, and so does its first character.
    let inside = tactic.head;
    let ends = (!is_nested).then_some(end).into_iter().chain([inside]);
    ends.map(Spot::end).collect()
}

fn closed(tactic: &Tactic) -> Option<Closed> {
    match &tactic.kind {
        TacticKind::Focusing { tag: Some(tag) } => Some(Closed::Tagged(tag.clone())),
        TacticKind::Focusing { tag: None } => Some(Closed::First),
        TacticKind::Plain | TacticKind::Wrapping => None,
    }
}

fn nested(tactic: &Tactic) -> Vec<Range<usize>> {
    let parts = tactic.parts.iter().map(|part| part.span.clone());
    let blocks = tactic.blocks.iter().flat_map(|block| match block.kind {
        BlockKind::Body => block.items.iter().map(|item| item.span.clone()).collect(),
        BlockKind::Proof | BlockKind::Alternative => vec![block.span()],
    });
    parts.chain(blocks).collect()
}

/// The column of the leftmost tactic in `tactic` that ends where it does.
fn inner_column(tactic: &Tactic) -> Option<u32> {
    let block = tactic
        .blocks
        .last()
        .filter(|block| block.end() == tactic.span.end)?;
    block.items.last().map(|item| item.column)
}

fn rule_target(rule: &Range<usize>, tactic: &Tactic, run_at: usize) -> Target {
    Target {
        basis: rule.clone(),
        before: vec![Spot::start(rule.start), Spot::start(tactic.span.start)],
        after: After {
            at: vec![Spot::end(rule.end)],
            closes: None,
        },
        nested: Vec::new(),
        run_at,
        is_block: false,
    }
}
