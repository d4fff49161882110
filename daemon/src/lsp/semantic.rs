//! Semantic tokens: what Lean knows about each word. Only the words that stand for a missing proof are looked for.

use lean_beam_proto::text::{Position, Range};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::types::LspRange;

/// By this type Lean marks words that stand for a missing proof, such as `sorry`.
const SORRY_LIKE: &str = "leanSorryLike";
/// Numbers for each token: lines from the token before, columns from there or from the line's start, length, type,
/// modifiers.
const NUMBERS: usize = 5;

/// Parameters of a question for the tokens of a stretch.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SemanticTokensQuestion<'a> {
    text_document: Document<'a>,
    range: LspRange,
}

#[derive(Debug, Serialize)]
struct Document<'a> {
    uri: &'a str,
}

impl<'a> SemanticTokensQuestion<'a> {
    pub(crate) fn new(uri: &'a str, range: LspRange) -> Self {
        Self {
            text_document: Document { uri },
            range,
        }
    }
}

/// Lean's answer to that.
#[derive(Debug, Deserialize)]
pub(crate) struct SemanticTokens {
    data: Vec<u32>,
}

impl SemanticTokens {
    /// Where tokens of a type stand, by Lean's count, in their order.
    pub(crate) fn of_type(&self, wanted: u32) -> Vec<Range> {
        let mut start = Position::new(0, 0);
        let mut found = Vec::new();
        for token in self.data.chunks_exact(NUMBERS) {
            let &[lines, columns, length, kind, _] = token else {
                break;
            };
            start = match lines {
                0 => Position::new(start.line, start.character.saturating_add(columns)),
                lines => Position::new(start.line.saturating_add(lines), columns),
            };
            if kind == wanted {
                let end = Position::new(start.line, start.character.saturating_add(length));
                found.push(Range::new(start, end));
            }
        }
        found
    }
}

/// The number of the type for missing proofs in what a server says about itself; `None` for one that does not mark them.
pub(super) fn sorry_type(capabilities: &Value) -> Option<u32> {
    let types = capabilities
        .pointer("/semanticTokensProvider/legend/tokenTypes")?
        .as_array()?;
    let number = types.iter().position(|name| name == SORRY_LIKE)?;
    u32::try_from(number).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn tokens_are_counted_from_the_one_before() {
        let tokens: SemanticTokens = serde_json::from_value(json!({
            "data": [2, 4, 5, 23, 0, 0, 8, 3, 1, 0, 0, 4, 5, 23, 0, 1, 2, 4, 23, 0]
        }))
        .unwrap();
        let at = |line, from, to| Range::new(Position::new(line, from), Position::new(line, to));
        assert_eq!(
            tokens.of_type(23),
            [at(2, 4, 9), at(2, 16, 21), at(3, 2, 6)]
        );
        assert_eq!(tokens.of_type(7), []);
    }

    #[test]
    fn a_server_says_which_type_stands_for_missing_proofs() {
        let of = |types: Value| {
            sorry_type(&json!({"semanticTokensProvider": {"legend": {"tokenTypes": types}}}))
        };
        assert_eq!(of(json!(["keyword", "leanSorryLike"])), Some(1));
        assert_eq!(of(json!(["keyword"])), None);
        assert_eq!(sorry_type(&json!({})), None);
    }
}
