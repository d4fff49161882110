//! Questions about a position that need no execution.

use serde::{Deserialize, Serialize};

use crate::text::Range;

position_params! {
    /// Parameters of the operations that ask about one position of one version.
    PositionParams {}
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

/// Result of `signature_help`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SignatureHelpResult {
    /// The version that was asked.
    pub version: u64,
    /// The signatures of what is applied at the position; empty where nothing is.
    pub signatures: Vec<Signature>,
    /// Which of them applies, where Lean says so.
    pub active_signature: Option<u32>,
}

/// What a function takes and gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Signature {
    /// The type of what is still to be applied, such as `(n : Nat) → Nat`.
    pub label: String,
    /// Its documentation, where Lean gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documentation: Option<String>,
}

/// A place in a source file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Location {
    /// The file, relative to the root where it lies below it, else absolute.
    pub path: String,
    /// Its `file:` URI.
    pub uri: String,
    /// What is meant.
    pub range: Range,
    /// The name in it; the same as `range` where Lean gives one range only.
    pub selection_range: Range,
    /// True for a file that is not below the root, such as one of Lean's own library.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub outside_root: bool,
}

/// Result of `definition`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DefinitionResult {
    /// The version that was asked.
    pub version: u64,
    /// Where the name at the position is defined; several places for a notation. Empty where there is no name, or
    /// where the source of its module is not known.
    pub locations: Vec<Location>,
}

position_params! {
    /// Parameters of `references`.
    ReferencesParams {
        /// Whether the definition itself is listed too. Default: true.
        #[serde(default = "yes")]
        pub include_declaration: bool,
    }
}

fn yes() -> bool {
    true
}

/// Result of `references`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReferencesResult {
    /// The version that was asked.
    pub version: u64,
    /// Where the name is used, in the order of files and lines; those in the asked file first.
    pub locations: Vec<Location>,
    /// How many there are.
    pub total: usize,
    /// True when `locations` is not all of them.
    pub truncated: bool,
    /// False when uses in other files may be missing or out of place, namely in those of `unindexed`.
    pub complete: bool,
    /// Files that Lean's index lacks, or may hold in an old state: open and not yet elaborated, or not open and never
    /// built or changed since. The first ones when there are many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unindexed: Vec<String>,
}

position_params! {
    /// Parameters of `completions`. The position is right after what is to be
    /// completed.
    CompletionsParams {
        /// How many completions to list at most. Default: 50.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub limit: Option<u32>,
    }
}

/// Result of `completions`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CompletionsResult {
    /// The version that was asked.
    pub version: u64,
    /// The completions, those first that fit best what is written already.
    pub items: Vec<Completion>,
    /// How many Lean gave.
    pub total: usize,
    /// True when `items` is not all of them.
    pub truncated: bool,
}

/// One way to go on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Completion {
    /// The text to write.
    pub label: String,
    /// What it is: `theorem`, `constructor`, `field`, `keyword` and the like.
    pub kind: String,
    /// Its type, for the first ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Its documentation, for the first ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documentation: Option<String>,
}
