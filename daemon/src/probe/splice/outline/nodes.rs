//! The nodes of an outline, as the parser makes and ends them.

use super::{Node, NodeKind, frames::Frame, parser::Parser};
use crate::probe::splice::lexer::Token;

impl Parser<'_> {
    pub(super) fn node(&mut self, kind: NodeKind, token: Token) -> usize {
        let parent = self.frames.iter().rev().find_map(|frame| match frame {
            Frame::Block {
                tactic: Some(tactic),
                ..
            } => tactic.focus.or(tactic.part).or(Some(tactic.whole)),
            Frame::Proof { node } => Some(*node),
            _ => None,
        });
        self.child(kind, token, parent)
    }

    pub(super) fn child(&mut self, kind: NodeKind, token: Token, parent: Option<usize>) -> usize {
        self.outline.nodes.push(Node {
            kind,
            parent,
            start: token.start,
            end: token.end,
            trail: self.following(),
            column: self.line.column,
        });
        self.outline.nodes.len() - 1
    }

    /// Makes a node reach back to the start of another.
    pub(super) fn stretch(&mut self, node: usize, from: usize) {
        let Node { start, column, .. } = self.outline.nodes[from];
        let node = &mut self.outline.nodes[node];
        (node.start, node.column) = (start, column);
    }

    /// A node for the present token alone, which opens `block`.
    pub(super) fn opener(&mut self, block: usize, token: Token, focuses: bool) -> usize {
        self.node(NodeKind::Opener { block, focuses }, token)
    }

    /// Ends a node before the present token.
    pub(super) fn finish(&mut self, node: usize) {
        let trail = self.present();
        let node = &mut self.outline.nodes[node];
        (node.end, node.trail) = (self.last_end.max(node.end), trail);
    }

    /// Where the present token starts.
    pub(super) fn present(&self) -> usize {
        self.source
            .tokens
            .get(self.index)
            .map_or(self.source.end, |token| token.start)
    }

    /// Where the token after the present one starts.
    pub(super) fn following(&self) -> usize {
        self.source
            .tokens
            .get(self.index + 1)
            .map_or(self.source.end, |token| token.start)
    }
}
