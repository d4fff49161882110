//! Where the command around a position ends.

use lean_beam_proto::text::Position;

use super::lexer::Lexer;
use crate::text::DocumentText;

/// Most candidates that are given.
const LIMIT: usize = 6;

/// Byte offsets where the command that contains `position` may end, likeliest first, no duplicates.
pub(crate) fn command_candidates(text: &DocumentText, position: Position) -> Vec<usize> {
    let offset = text.offset(position).unwrap_or(text.as_str().len());
    let mut found = Vec::new();
    let mut previous = 0;
    for token in Lexer::new(text.as_str()).filter(|token| !token.kind.is_space()) {
        let first_of_line = token.start == 0 || text.as_str()[..token.start].ends_with('\n');
        if first_of_line && token.start > offset {
            found.push(previous);
        }
        previous = token.end;
        if found.len() == LIMIT {
            return found;
        }
    }
    found.push(previous);
    found.dedup();
    found.truncate(LIMIT);
    found
}
