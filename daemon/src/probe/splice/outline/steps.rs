//! States in the middle of one tactic: the rules of a `rw`, the arguments of an `intro`, and the start of
//! tactics that show the state before them for a while.

use super::{
    NodeKind,
    frames::{Bracket, Frame, Tactic},
    parser::Parser,
    words::Head,
};
use crate::probe::splice::lexer::{Kind, Token};

/// Where we are in the list of a `rw`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rules {
    /// The rule that is being read, as a node.
    pub(super) current: Option<usize>,
    /// The rule before it.
    previous: Option<usize>,
}

impl Parser<'_> {
    /// Looks at a token that does not start a tactic, before it is taken in.
    pub(super) fn step(&mut self, token: Token) {
        self.start_rule(token);
        self.start_argument(token);
    }

    /// A node from the start of the present tactic through the present token.
    pub(super) fn start_node(&mut self, token: Token) {
        if let Some(part) = self.own_tactic().and_then(|tactic| tactic.part) {
            let node = self.node(NodeKind::Start, token);
            self.stretch(node, part);
        }
    }

    /// The rules that a bracket holds which opens now.
    pub(super) fn rules(&mut self, token: Token, close: &str) -> Option<Rules> {
        let rewrites = matches!(self.own_tactic(), Some(tactic) if tactic.head == Head::Rewrite);
        if !rewrites || close != "]" {
            return None;
        }
        self.start_node(token);
        Some(Rules {
            current: None,
            previous: None,
        })
    }

    fn open_rules(&mut self) -> Option<&mut Rules> {
        match self.frames.last_mut() {
            Some(Frame::Bracket(Bracket { rules, .. })) => rules.as_mut(),
            _ => None,
        }
    }

    fn start_rule(&mut self, token: Token) {
        let Some(Rules {
            current: None,
            previous,
        }) = self.open_rules().copied()
        else {
            return;
        };
        if self.source.word(token) != "]" {
            let rule = self.node(NodeKind::Rule { previous }, token);
            if let Some(rules) = self.open_rules() {
                rules.current = Some(rule);
            }
        }
    }

    /// A rule reaches through to its comma.
    pub(super) fn end_rule(&mut self, comma: Token) {
        let trail = self.following();
        let Some(rules) = self.open_rules() else {
            return;
        };
        rules.previous = rules.current.take();
        if let Some(rule) = rules.previous {
            let node = &mut self.outline.nodes[rule];
            (node.end, node.trail) = (comma.end, trail);
        }
    }

    /// The bracket after the rules shows the state after the last, and behind it that of the whole tactic.
    pub(super) fn close_rules(&mut self) {
        let Some(rules) = self.open_rules().copied() else {
            return;
        };
        if let Some(rule) = rules.current {
            self.finish(rule);
        }
        if let Some(last) = rules.current.or(rules.previous) {
            let close = self.source.tokens[self.index];
            self.node(NodeKind::RulesEnd { last }, close);
        }
    }

    /// `intro` takes its arguments one by one, and shows the state after each.
    fn start_argument(&mut self, token: Token) {
        let starts = match token.kind {
            Kind::Word => true,
            Kind::Symbol => matches!(self.source.word(token), "(" | "⟨" | "@"),
            _ => false,
        };
        let Some(tactic) = self.own_tactic() else {
            return;
        };
        let Tactic {
            part: Some(part),
            step: previous,
            head: Head::Intro,
            ..
        } = *tactic
        else {
            return;
        };
        if !starts {
            return;
        }
        let step = self.node(NodeKind::Step { previous }, token);
        match previous {
            Some(previous) => self.finish(previous),
            // The first reaches back over the word `intro`.
            None => self.stretch(step, part),
        }
        if let Some(tactic) = self.own_tactic() {
            tactic.step = Some(step);
        }
    }
}
