//! What Lean has to be asked about a tactic that was found.

use std::ops::Range;

use super::{
    super::{
        outline::{Block, BlockKind, Tactic, TacticKind},
        tokens::next_code,
    },
    After, Closed, Failure, Runs, Spot, Target,
    cursor::{Cursor, Siblings},
};

impl<'a> Cursor<'a> {
    pub(super) fn tactic_target(
        &self,
        tactic: &'a Tactic,
        siblings: Option<Siblings<'a>>,
    ) -> Target {
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
            caught: None,
            runs: Runs::Once,
            fails: tactic.fails,
            inner: inner(tactic),
            is_block: false,
        }
    }

    pub(super) fn after(&self, tactic: &'a Tactic, siblings: Option<Siblings<'a>>) -> After {
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
    pub(super) fn state_before(&self, tactic: &Tactic) -> Spot {
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

    pub(super) fn block_target(&self, block: &'a Block, is_top: bool) -> Target {
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
            caught: None,
            runs: Runs::Once,
            fails: Failure::Unknown,
            inner: Vec::new(),
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

/// The starts of the tactics that a tactic runs, block by block.
fn inner(tactic: &Tactic) -> Vec<Vec<usize>> {
    let starts = |items: &[Tactic]| items.iter().map(|item| item.span.start).collect();
    if !tactic.parts.is_empty() {
        return vec![starts(&tactic.parts)];
    }
    let blocks = tactic.blocks.iter();
    blocks
        .filter(|block| block.kind != BlockKind::Proof)
        .map(|block| starts(&block.items))
        .collect()
}

/// The column of the leftmost tactic in `tactic` that ends where it does.
fn inner_column(tactic: &Tactic) -> Option<u32> {
    let block = tactic
        .blocks
        .last()
        .filter(|block| block.end() == tactic.span.end)?;
    block.items.last().map(|item| item.column)
}

pub(super) fn rule_target(rule: &Range<usize>, tactic: &Tactic, run_at: usize) -> Target {
    Target {
        basis: rule.clone(),
        before: vec![Spot::start(rule.start), Spot::start(tactic.span.start)],
        after: After {
            at: vec![Spot::end(rule.end)],
            closes: None,
        },
        nested: Vec::new(),
        run_at,
        caught: None,
        runs: Runs::Once,
        fails: Failure::Own,
        inner: Vec::new(),
        is_block: false,
    }
}
