//! Questions about a position that need no execution.

use serde::{Deserialize, Serialize};

use crate::text::Range;

/// Parameters of the operations that ask about one position of one version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PositionParams {
    /// The Lean file, relative to the root or absolute.
    pub path: String,
    /// The document version that the position refers to, from `update` or `sync`.
    pub version: u64,
    /// Zero-based line.
    pub line: u32,
    /// Zero-based column in UTF-16 code units. May be left out when `anchor` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub character: Option<u32>,
    /// Text that occurs exactly once on the line; the position is its first character.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<String>,
}

/// Result of `hover`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HoverResult {
    /// The version that was asked.
    pub version: u64,
    /// Markdown, or null when there is nothing to say about the position.
    pub contents: Option<String>,
    /// What the text is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
}
