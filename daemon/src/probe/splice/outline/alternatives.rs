//! Alternatives: `| pattern => …`, `first | … | …`, `if … then … else …`.

use super::{
    NodeKind,
    frames::{Arms, Body, Frame, Pending, Tactic},
    parser::Parser,
    words::Head,
};
use crate::probe::splice::lexer::Token;

/// What a `|` is to the tactic that it may belong to.
enum Bar {
    /// It starts alternatives.
    Starts(Body),
    /// It is a part of a pattern or of a list of names.
    Pattern,
    /// It belongs to something further out.
    Outer,
}

impl Parser<'_> {
    pub(super) fn push_arms(&mut self, body: Body, open: bool) {
        self.open(Frame::Arms(Arms {
            column: None,
            body,
            open,
            waiting: false,
            arm: None,
        }));
    }

    pub(super) fn with(&mut self) {
        match self.frames.last_mut() {
            Some(Frame::Arms(arms)) => arms.open = true,
            Some(Frame::Block {
                tactic: Some(tactic),
                ..
            }) => tactic.with = true,
            _ => {}
        }
    }

    /// `then` and `else`.
    pub(super) fn branch(&mut self, last: bool) {
        let base = self.bracket_base();
        let found = self.frames[base..]
            .iter()
            .rposition(|frame| matches!(frame, Frame::If { .. }));
        let Some(at) = found.map(|at| at + base) else {
            return;
        };
        let tactics = matches!(self.frames[at], Frame::If { tactics: true });
        self.close_to(if last { at } else { at + 1 });
        if tactics {
            let least = self.saved_column().unwrap_or(0);
            self.expect_block(least);
        }
    }

    pub(super) fn arrow(&mut self, token: Token) {
        let least = self.saved_column().unwrap_or(0);
        match self.frames.last_mut() {
            Some(Frame::Binder) => {
                self.frames.pop();
            }
            Some(Frame::Arms(arms)) => {
                arms.waiting = false;
                if let Some(arm) = arms.arm.take() {
                    self.arm_body(arm, token, least);
                }
            }
            Some(Frame::Block {
                tactic: Some(tactic),
                ..
            }) if !tactic.arrow && matches!(tactic.head, Head::Case | Head::Conv | Head::Plain) => {
                tactic.arrow = true;
                let (focus, part) = (
                    tactic.focus,
                    tactic.part.filter(|_| tactic.head == Head::Conv),
                );
                if let Some(focus) = focus {
                    self.arm_body(focus, token, least);
                } else {
                    let block = self.expect_block(least);
                    let opener = self.opener(block, token, false);
                    if let Some(part) = part {
                        self.stretch(opener, part);
                    }
                }
            }
            _ => {}
        }
    }

    /// The `=>` of an alternative.
    fn arm_body(&mut self, arm: usize, token: Token, least: usize) {
        let trail = self.following();
        let node = &mut self.outline.nodes[arm];
        (node.end, node.trail) = (token.end, trail);
        if let NodeKind::Opener { block, .. } | NodeKind::Focus { block } = node.kind {
            self.outline.blocks[block].opened = token.end;
            self.pending = Some(Pending { block, least });
        }
    }

    pub(super) fn bar(&mut self, token: Token) {
        let Some((at, starts)) = self.bar_owner(token) else {
            return;
        };
        self.close_to(at + 1);
        if let Some(body) = starts {
            self.push_arms(body, true);
        }
        self.start_arm(token);
    }

    /// The frame that a `|` belongs to, and the alternatives that it starts there if they are new.
    fn bar_owner(&mut self, token: Token) -> Option<(usize, Option<Body>)> {
        if !self.is_spaced(token) {
            return None;
        }
        if matches!(self.frames.last(), Some(Frame::Binder)) {
            // `fun | pattern => …`
            self.frames.pop();
            self.push_arms(Body::Terms, true);
        }
        let column = self.line.column;
        for at in (0..self.frames.len()).rev() {
            match &self.frames[at] {
                Frame::Bracket(_) => return None,
                Frame::Arms(arms)
                    if arms.open && arms.column.is_none_or(|least| column >= least) =>
                {
                    return Some((at, None));
                }
                Frame::Block {
                    column: least,
                    tactic: Some(tactic),
                    ..
                } if column >= *least => match self.bar_of(tactic) {
                    Bar::Starts(body) => return Some((at, Some(body))),
                    Bar::Pattern => return None,
                    Bar::Outer => {}
                },
                _ => {}
            }
        }
        if self.frames.is_empty() {
            // The equations of a definition.
            self.push_arms(Body::Terms, true);
            return Some((0, None));
        }
        None
    }

    /// A `|` with blanks on both sides; without them it may be an absolute value.
    fn is_spaced(&self, token: Token) -> bool {
        let text = self.source.text;
        let after = text[token.end..].starts_with([' ', '\n', '\r']);
        (after && text[..token.start].ends_with([' ', '\n'])) || self.line.first
    }

    fn bar_of(&self, tactic: &Tactic) -> Bar {
        let previous = self
            .index
            .checked_sub(1)
            .map(|index| self.source.word(self.source.tokens[index]));
        match tactic.head {
            Head::First => Bar::Starts(Body::Choices),
            Head::Cases if tactic.with => Bar::Starts(Body::Tactics),
            Head::Patterns if tactic.with => Bar::Pattern,
            Head::Obtain if !tactic.assigned => Bar::Pattern,
            Head::Case if !tactic.arrow => Bar::Pattern,
            Head::Let if !tactic.assigned => Bar::Starts(Body::Terms),
            Head::Intro if previous == Some("intro") => Bar::Starts(Body::Tactics),
            _ if previous == Some("with") => Bar::Starts(Body::Tactics),
            _ => Bar::Outer,
        }
    }

    fn start_arm(&mut self, token: Token) {
        let column = self.line.column;
        let Some(Frame::Arms(arms)) = self.frames.last_mut() else {
            return;
        };
        let least = *arms.column.get_or_insert(column);
        if arms.waiting {
            // `| one | two => …`
            return;
        }
        let body = arms.body;
        arms.waiting = body != Body::Choices;
        match body {
            Body::Terms => {}
            Body::Choices => {
                let block = self.expect_block(least);
                self.opener(block, token, false);
            }
            Body::Tactics => {
                let block = self.new_block(least);
                let node = self.opener(block, token, false);
                if let Some(Frame::Arms(arms)) = self.frames.last_mut() {
                    arms.arm = Some(node);
                }
            }
        }
    }
}
