//! What Lean's messages say is left to do.

use lean_beam_proto::{
    op::TodoKind,
    text::{Diagnostic, Range, Severity},
};

use super::super::tactic_state::is_unsolved;
use super::{
    draft::{Draft, Place},
    overlap::overlaps,
};
use crate::{
    goals::{block_end, target_at},
    workspace::DocumentAt,
};

/// Everything of the `wanted` kinds in `asked` that Lean has a message about, and the messages. They must be complete.
pub(super) fn drafts(document: &DocumentAt, asked: Range, wanted: &[TodoKind]) -> Vec<Draft> {
    let mut drafts = Vec::new();
    let snapshot = document.watch.borrow();
    for diagnostic in &snapshot.diagnostics {
        let found = [
            wanted
                .contains(&TodoKind::Hole)
                .then(|| hole(document, diagnostic))
                .flatten(),
            wanted
                .contains(&TodoKind::Diagnostic)
                .then(|| message(document, diagnostic)),
            wanted
                .contains(&TodoKind::IncompleteProof)
                .then(|| incomplete(document, diagnostic))
                .flatten(),
        ];
        let within = |draft: &Draft| overlaps(draft.range, asked);
        drafts.extend(found.into_iter().flatten().filter(within));
    }
    drafts
}

/// An error about nothing but a placeholder.
fn hole(document: &DocumentAt, diagnostic: &Diagnostic) -> Option<Draft> {
    if diagnostic.severity != Severity::Error {
        return None;
    }
    let start = document.text.offset(diagnostic.range.start).ok()?;
    let end = document.text.offset(diagnostic.range.end).ok()?;
    let text = document.text.as_str().get(start..end)?;
    is_placeholder(text).then(|| Draft {
        kind: TodoKind::Hole,
        range: diagnostic.range,
        diagnostic: Some(diagnostic.clone()),
        place: Place::at(document, start..end),
        offer: None,
    })
}

/// `_`, `?_` and `?name`.
fn is_placeholder(text: &str) -> bool {
    let name = |text: &str| {
        !text.is_empty()
            && text.chars().all(|character| {
                character.is_alphanumeric() || "_'!?₀₁₂₃₄₅₆₇₈₉".contains(character)
            })
    };
    text == "_" || text.strip_prefix('?').is_some_and(name)
}

fn message(document: &DocumentAt, diagnostic: &Diagnostic) -> Draft {
    let range = whole_range(diagnostic);
    let offset = document.text.offset(range.start).ok();
    let target = offset.and_then(|offset| target_at(document.text.as_str(), offset));
    Draft {
        kind: TodoKind::Diagnostic,
        range,
        diagnostic: Some(diagnostic.clone()),
        place: match target {
            Some(target) => Place::Tactic(target.run_at),
            None => Place::Command(range.start),
        },
        offer: None,
    }
}

/// A block that leaves goals.
fn incomplete(document: &DocumentAt, diagnostic: &Diagnostic) -> Option<Draft> {
    if diagnostic.severity != Severity::Error || !is_unsolved(diagnostic) {
        return None;
    }
    let range = whole_range(diagnostic);
    let offset = document.text.offset(range.start).ok()?;
    let spots = block_end(document.text.as_str(), offset);
    let place = if spots.is_empty() {
        Place::at(document, offset..offset)
    } else {
        Place::End(spots)
    };
    Some(Draft {
        kind: TodoKind::IncompleteProof,
        range,
        diagnostic: Some(diagnostic.clone()),
        place,
        offer: None,
    })
}

fn whole_range(diagnostic: &Diagnostic) -> Range {
    diagnostic.full_range.unwrap_or(diagnostic.range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_told_from_other_terms() {
        for text in ["_", "?_", "?h", "?h₁", "?a'"] {
            assert!(is_placeholder(text), "{text}");
        }
        for text in ["", "?", "x", "_ + 1", "?a b", "__"] {
            assert!(!is_placeholder(text), "{text}");
        }
    }
}
