//! Where a text may go so that it sees the tactic state that Lean shows at a position.

use lean_beam_proto::text::Position;

use super::{
    Form, Insertion,
    command::command_around,
    outline::{Block, NodeKind, Outline, column_of, is_line_start, outline},
    state::picks,
};
use crate::text::DocumentText;

/// Most candidates that are given.
const LIMIT: usize = 12;

/// Candidates for the tactic state that Lean shows at `position`, likeliest first, no duplicates, at most 12.
pub(crate) fn tactic_candidates(text: &DocumentText, position: Position) -> Vec<Insertion> {
    let Ok(offset) = text.offset(position) else {
        return Vec::new();
    };
    let source = text.as_str();
    let tokens = command_around(source, offset);
    let outline = outline(tokens.source(source));
    let column = column_of(source, offset);
    let mut found = Candidates {
        text: source,
        outline: &outline,
        list: Vec::new(),
    };
    let picked = picks(&outline, offset, column, source.len());
    for pick in &picked {
        found.side(pick.node, pick.after);
    }
    for pick in &picked {
        found.around(pick.node, pick.after);
    }
    found.list
}

struct Candidates<'a> {
    text: &'a str,
    outline: &'a Outline,
    list: Vec<Insertion>,
}

impl Candidates<'_> {
    fn add(&mut self, insertion: Insertion) {
        if self.list.len() < LIMIT && !self.list.contains(&insertion) {
            self.list.push(insertion);
        }
    }

    /// The state before or after a node.
    fn side(&mut self, node: usize, after: bool) {
        match self.outline.nodes[node].kind {
            NodeKind::Tactic { block } | NodeKind::Part { block } if after => {
                self.after(node, block)
            }
            NodeKind::Tactic { .. } | NodeKind::Part { .. } => self.before(node),
            NodeKind::Proof { block } if after => self.block_end(block),
            NodeKind::Proof { block } | NodeKind::Opener { block } => self.block_start(block),
            NodeKind::Separator { tactic } => self.side(tactic, true),
            NodeKind::Rule if after => self.rule(node),
            NodeKind::Rule => self.rule_before(node),
        }
    }

    fn before(&mut self, node: usize) {
        let node = &self.outline.nodes[node];
        let form = if is_line_start(self.text, node.start) {
            Form::HereBlank
        } else {
            Form::Here
        };
        self.add(Insertion {
            offset: node.start,
            column: node.column,
            form,
            lead: String::new(),
        });
    }

    fn after(&mut self, node: usize, block: usize) {
        self.add(Insertion {
            offset: self.outline.nodes[node].end,
            column: self.outline.blocks[block].column,
            form: Form::OwnLine,
            lead: String::new(),
        });
    }

    fn block_start(&mut self, block: usize) {
        let Block { tactics, .. } = &self.outline.blocks[block];
        match tactics.first() {
            Some(first) => self.before(*first),
            None => self.empty_block(block),
        }
    }

    fn block_end(&mut self, block: usize) {
        match self.outline.blocks[block].tactics.last() {
            Some(last) => self.after(*last, block),
            None => self.empty_block(block),
        }
    }

    fn empty_block(&mut self, block: usize) {
        let Block { column, opened, .. } = self.outline.blocks[block];
        self.add(Insertion {
            offset: opened,
            column,
            form: Form::OwnLine,
            lead: String::new(),
        });
    }

    fn rule(&mut self, _node: usize) {}

    fn rule_before(&mut self, _node: usize) {}

    /// What else it may be: the other side, then what contains the node.
    fn around(&mut self, node: usize, after: bool) {
        self.side(node, !after);
        let mut parent = self.outline.nodes[node].parent;
        while let Some(index) = parent {
            self.side(index, true);
            self.side(index, false);
            parent = self.outline.nodes[index].parent;
        }
    }
}
