//! Which tactic state Lean shows at a position, by its own rule.
//!
//! The innermost part of a proof around the position counts, where a part reaches through the blanks and
//! comments after it. In those blanks an outer part takes over when the position is further left than
//! all inner ones. At its first character a part shows the state before it; further on the state after
//! it, unless it contains a tactic that the position has not passed.

use super::outline::{NodeKind, Outline};

/// A node and the side of it whose state is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pick {
    pub(super) node: usize,
    pub(super) after: bool,
    /// True if the position is just behind the node and something else begins there.
    touching: bool,
}

/// What Lean shows at `offset`, which is at `column`. `end` is the end of the text.
pub(super) fn picks(outline: &Outline, offset: usize, column: usize, end: usize) -> Vec<Pick> {
    let nodes = &outline.nodes;
    let mut found: Vec<Vec<Pick>> = vec![Vec::new(); nodes.len()];
    let mut roots = Vec::new();
    for index in (0..nodes.len()).rev() {
        let node = &nodes[index];
        let mut inner = std::mem::take(&mut found[index]);
        let reach = node.trail.max(node.end + 1);
        if node.start <= offset && (offset < reach || node.trail >= end) {
            let outranks =
                offset >= node.end && inner.iter().all(|pick| nodes[pick.node].column > column);
            if inner.is_empty() || outranks {
                inner = vec![Pick {
                    node: index,
                    after: offset > node.start && !has_tactic_ahead(outline, index, offset),
                    touching: offset == node.trail,
                }];
            }
        }
        match node.parent {
            Some(parent) => found[parent].splice(0..0, inner),
            None => roots.splice(0..0, inner),
        };
    }
    if roots.iter().any(|pick| !pick.touching) {
        roots.retain(|pick| !pick.touching);
    }
    roots
}

/// True if `node` contains a tactic that ends after `offset`, other than in a proof inside a term.
fn has_tactic_ahead(outline: &Outline, node: usize, offset: usize) -> bool {
    let nodes = &outline.nodes;
    let (start, end) = (nodes[node].start, nodes[node].end);
    let mut inside = vec![node];
    for (index, child) in nodes.iter().enumerate().skip(node + 1) {
        let Some(parent) = child.parent else { break };
        if !inside.contains(&parent) {
            if parent < node {
                break;
            }
            continue;
        }
        if matches!(child.kind, NodeKind::Proof { .. } | NodeKind::Rule) {
            continue;
        }
        if child.end > offset && (child.start, child.end) != (start, end) {
            return true;
        }
        inside.push(index);
    }
    false
}
