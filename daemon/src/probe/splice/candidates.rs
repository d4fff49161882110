//! Where a text may go so that it sees the tactic state that Lean shows at a position.

use lean_beam_proto::text::Position;

use super::{
    Candidates, Form, Insertion,
    command::command_around,
    lexer::Kind,
    outline::{Block, Node, NodeKind, Outline, Source, column_of, is_line_start, outline},
    state::picks,
};
use crate::text::DocumentText;

/// Most candidates that are given.
const LIMIT: usize = 12;

/// Candidates for the tactic state that Lean shows at `position`, no duplicates, at most 12.
pub(crate) fn tactic_candidates(text: &DocumentText, position: Position) -> Candidates {
    let Ok(offset) = text.offset(position) else {
        return Candidates::default();
    };
    let source = text.as_str();
    let command = command_around(source, offset);
    let source = command.source(source);
    let outline = outline(source);
    let picked = picks(
        &outline,
        offset,
        column_of(text.as_str(), offset),
        text.as_str().len(),
    );
    let mut found = Search {
        source,
        outline: &outline,
        list: Vec::new(),
    };
    for pick in &picked {
        found.side(pick.node, pick.after);
    }
    if let Some(pick) = picked.first() {
        found.with_tails(pick.node);
    }
    for pick in &picked {
        found.around(pick.node, pick.after);
    }
    Candidates {
        in_loop: picked.iter().any(|pick| outline.is_in_loop(pick.node)),
        insertions: found.list,
    }
}

/// Where tactics of the command around `position` start, the nearest first, at most `most`.
pub(crate) fn tactics_near(text: &DocumentText, position: Position, most: usize) -> Vec<Position> {
    let Ok(offset) = text.offset(position) else {
        return Vec::new();
    };
    let command = command_around(text.as_str(), offset);
    let outline = outline(command.source(text.as_str()));
    let is_tactic = |node: &&Node| matches!(node.kind, NodeKind::Tactic { .. });
    let tactics = outline.nodes.iter().filter(is_tactic);
    let mut starts: Vec<usize> = tactics.map(|node| node.start).collect();
    starts.retain(|start| *start != offset);
    starts.sort_by_key(|start| start.abs_diff(offset));
    starts.dedup();
    starts.truncate(most);
    starts
        .into_iter()
        .map(|start| text.position(start))
        .collect()
}

/// A place with what stands behind the proof that it is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Completed {
    pub(crate) insertion: Insertion,
    /// What is behind declares names that the text may use: in `where`, or as a part of `mutual`.
    pub(crate) declares: bool,
}

/// The insertion with what stands behind the proof that it is in, up to the end of the tactic, or else of the
/// command, that the proof is a part of. `None` where there is nothing, or nothing more than `insertion` has.
pub(crate) fn completed(text: &DocumentText, insertion: &Insertion) -> Option<Completed> {
    let command = command_around(text.as_str(), insertion.offset);
    let source = command.source(text.as_str());
    let outline = outline(source);
    let proof = outline.proof_of(insertion)?;
    let declares = declares_behind(source, proof.end);
    let mut around = std::iter::successors(proof.parent, |index| outline.nodes[*index].parent);
    let tactic = around.find(|index| matches!(outline.nodes[*index].kind, NodeKind::Tactic { .. }));
    let end = match tactic {
        Some(tactic) if !declares => outline.nodes[tactic].end,
        _ => source.tokens.last()?.end,
    };
    let tail = source.text.get(proof.end..end)?;
    let is_more = !tail.trim().is_empty() && tail != insertion.tail;
    is_more.then(|| Completed {
        insertion: Insertion {
            tail: tail.to_owned(),
            ..insertion.clone()
        },
        declares,
    })
}

fn declares_behind(source: Source<'_>, offset: usize) -> bool {
    let mut words = source
        .tokens
        .iter()
        .map(|token| (token, source.word(*token)));
    let is_mutual = words
        .clone()
        .next()
        .is_some_and(|(_, word)| word == "mutual");
    is_mutual || words.any(|(token, word)| token.start >= offset && word == "where")
}

impl Outline {
    /// The innermost proof that a text at `insertion` belongs to.
    fn proof_of(&self, insertion: &Insertion) -> Option<&Node> {
        let holds = |node: &&Node| match node.kind {
            // A proof may end where a tactic around it does.
            NodeKind::Proof { block } => {
                node.start < insertion.offset
                    && insertion.offset <= node.end
                    && self.blocks[block].column <= insertion.column
            }
            _ => false,
        };
        let proofs = self.nodes.iter().filter(holds);
        proofs.max_by_key(|proof| proof.start)
    }
}

struct Search<'a> {
    source: Source<'a>,
    outline: &'a Outline,
    list: Vec<Insertion>,
}

impl Search<'_> {
    fn add(&mut self, insertion: Insertion) {
        if self.list.len() < LIMIT && !self.list.contains(&insertion) {
            self.list.push(insertion);
        }
    }

    /// The state before or after a node.
    fn side(&mut self, node: usize, after: bool) {
        match self.outline.nodes[node].kind {
            NodeKind::Tactic { block } | NodeKind::Part { block } if after => {
                self.after(node, block);
            }
            NodeKind::Tactic { .. } | NodeKind::Part { .. } => self.before(node),
            NodeKind::Proof { block } | NodeKind::Focus { block } if after => self.block_end(block),
            NodeKind::Opener { focuses: true, .. } if !after => self.parent(node, false),
            NodeKind::Proof { block }
            | NodeKind::Focus { block }
            | NodeKind::Opener { block, .. } => {
                self.block_start(block);
            }
            NodeKind::Separator { tactic } => self.side(tactic, true),
            NodeKind::Start => self.parent(node, false),
            NodeKind::Rule { .. } if after => self.rule(node),
            NodeKind::RulesEnd { .. } if after => self.parent(node, true),
            NodeKind::RulesEnd { last } => self.side(last, true),
            NodeKind::Step { .. } if after => self.step(node),
            NodeKind::Rule { previous } | NodeKind::Step { previous } => match previous {
                Some(previous) => self.side(previous, true),
                None => self.parent(node, false),
            },
        }
    }

    fn parent(&mut self, node: usize, after: bool) {
        if let Some(parent) = self.outline.nodes[node].parent {
            self.side(parent, after);
        }
    }

    fn before(&mut self, node: usize) {
        // A `skip` at the start of what `repeat` repeats would never end.
        if !self.outline.starts_loop(node) {
            self.add(self.just_before(node));
        }
    }

    fn just_before(&self, node: usize) -> Insertion {
        let block = self.outline.block_of(node);
        let node = &self.outline.nodes[node];
        // What follows `<;>` may start a line without starting a tactic of its block.
        let heads_line = is_line_start(self.source.text, node.start)
            && block.is_some_and(|block| self.outline.blocks[block].column == node.column);
        Insertion {
            offset: node.start,
            column: node.column,
            form: if heads_line {
                Form::HereBlank
            } else {
                Form::Here
            },
            lead: String::new(),
            tail: String::new(),
        }
    }

    fn after(&mut self, node: usize, block: usize) {
        self.add(Insertion {
            offset: self.outline.nodes[node].end,
            column: self.outline.blocks[block].column,
            form: Form::OwnLine,
            lead: String::new(),
            tail: String::new(),
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
            tail: String::new(),
        });
    }

    /// After one argument of a tactic.
    fn step(&mut self, node: usize) {
        if let Some(block) = self.outline.block_of(node) {
            self.after(node, block);
        }
    }

    /// After some rules of a `rw`: the tactic is done again with those alone.
    fn rule(&mut self, node: usize) {
        let nodes = &self.outline.nodes;
        let Some(parent) = nodes[node].parent else {
            return;
        };
        let tactic = &nodes[parent];
        let last = nodes.iter().rfind(|other| {
            other.parent == Some(parent) && matches!(other.kind, NodeKind::Rule { .. })
        });
        let list_end = last
            .map_or(tactic.end, |last| last.trail + 1)
            .min(tactic.end);
        let begun = self.source.text[tactic.start..nodes[node].end].trim_end_matches(',');
        let location = self
            .source
            .text
            .get(list_end..tactic.end)
            .unwrap_or_default()
            .trim();
        self.add(Insertion {
            lead: rewrite_lead(begun, location),
            ..self.just_before(parent)
        });
    }

    /// The first candidate again, followed by what is behind the proof that it is in. Before `:`, which
    /// says what that proves, this comes first.
    fn with_tails(&mut self, node: usize) {
        let (Some(first), Some(proof)) = (self.list.first().cloned(), self.proof_around(node))
        else {
            return;
        };
        let end = self.outline.nodes[proof].end;
        let behind = self
            .source
            .tokens
            .partition_point(|token| token.start < end);
        let Some(next) = self.source.tokens.get(behind) else {
            return;
        };
        let tails = [
            self.bracket_end(behind),
            self.source.tokens.last().map(|last| last.end),
        ];
        let plain = (self.source.word(*next) == ":").then(|| self.list.remove(0));
        for tail_end in tails.into_iter().flatten() {
            self.add(Insertion {
                tail: self.source.text[end..tail_end].to_owned(),
                ..first.clone()
            });
        }
        plain.into_iter().for_each(|plain| self.add(plain));
    }

    fn proof_around(&self, node: usize) -> Option<usize> {
        let nodes = &self.outline.nodes;
        std::iter::successors(Some(node), |index| nodes[*index].parent)
            .find(|index| matches!(nodes[*index].kind, NodeKind::Proof { .. }))
    }

    /// The end of the bracket that is open before the token at `index`, with the projections behind it:
    /// without them, what is in it would prove something else than is wanted.
    fn bracket_end(&self, index: usize) -> Option<usize> {
        let mut depth = 0usize;
        for (number, token) in self.source.tokens.iter().enumerate().skip(index) {
            match self.source.word(*token) {
                "(" | "[" | "{" | "⟨" | "@[" => depth += 1,
                ")" | "]" | "}" | "⟩" if depth == 0 => return Some(self.projections_end(number)),
                ")" | "]" | "}" | "⟩" => depth -= 1,
                _ => {}
            }
        }
        None
    }

    /// The end of the projections that follow a token without a space, such as `.left.right`, else its own.
    fn projections_end(&self, index: usize) -> usize {
        let mut end = self.source.tokens[index].end;
        let mut behind = self.source.tokens[index + 1..].iter();
        while let (Some(dot), Some(field)) = (behind.next(), behind.next()) {
            let is_projection = self.source.word(*dot) == "."
                && (dot.start, field.start) == (end, dot.end)
                && !matches!(field.kind, Kind::Symbol);
            if !is_projection {
                break;
            }
            end = field.end;
        }
        end
    }

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

/// A `rw` that was read up to some rule, as a tactic of its own. `rw` itself would try to close the goal.
fn rewrite_lead(begun: &str, location: &str) -> String {
    let word_end = begun.find([' ', '[', '\n', '\r']).unwrap_or(begun.len());
    let (word, rest) = begun.split_at(word_end);
    let word = match word {
        "rw" | "rwa" => "rewrite",
        "nth_rw" => "nth_rewrite",
        "grw" => "grewrite",
        other => other,
    };
    let location = if location.starts_with("at ") {
        location
    } else {
        ""
    };
    format!("{word}{rest}] {location}").trim_end().to_owned()
}

#[cfg(test)]
mod tests;
