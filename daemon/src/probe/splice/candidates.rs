//! Where a text may go so that it sees the tactic state that Lean shows at a position.

use lean_beam_proto::text::Position;

use super::{Form, Insertion};
use crate::text::DocumentText;

/// Candidates for the tactic state that Lean shows at `position`, likeliest first, no duplicates, at most 12.
pub(crate) fn tactic_candidates(text: &DocumentText, position: Position) -> Vec<Insertion> {
    let Ok(offset) = text.offset(position) else {
        return Vec::new();
    };
    let line_start = offset
        - text.as_str()[..offset]
            .rsplit('\n')
            .next()
            .map_or(0, str::len);
    let line = text.line(position.line).unwrap_or_default();
    let column = line
        .chars()
        .take_while(|character| *character == ' ')
        .count();
    let blank_before = text.as_str()[line_start..offset].trim().is_empty();
    let before = Insertion {
        offset: line_start + column,
        column,
        form: Form::HereBlank,
        lead: String::new(),
    };
    let after = Insertion {
        offset: line_start + line.trim_end().len(),
        column,
        form: Form::OwnLine,
        lead: String::new(),
    };
    if line.trim().is_empty() {
        vec![Insertion {
            offset: line_start,
            form: Form::HereBlank,
            column: 0,
            lead: String::new(),
        }]
    } else if blank_before && column >= offset - line_start {
        vec![before, after]
    } else {
        vec![after, before]
    }
}
