//! What is left to do in a stretch of a file, and the edits that Lean offers for it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::goals::ProofState;
use crate::text::{Diagnostic, Position, Range, Severity};

/// What kind of thing is left to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum TodoKind {
    /// A word by which a proof is given up: `sorry` in a proof or in a term, `admit`, `stop`.
    Sorry,
    /// A `_`, `?_` or `?name` that Lean cannot fill.
    Hole,
    /// A message of Lean of any severity.
    Diagnostic,
    /// An edit that Lean offers.
    CodeAction,
    /// A proof or a part of one that leaves goals.
    IncompleteProof,
}

impl TodoKind {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Sorry,
        Self::Hole,
        Self::Diagnostic,
        Self::CodeAction,
        Self::IncompleteProof,
    ];
}

/// Whether `todo` proposes texts to run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum TodoSuggest {
    /// No texts.
    #[default]
    None,
    /// A text that is worth a try where there is one: a search for the goal, or what a code action would write.
    Basic,
}

/// Parameters of `todo`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TodoParams {
    /// The Lean file, relative to the root or absolute.
    pub path: String,
    /// The document version that the range refers to, from `update` or `sync`.
    pub version: u64,
    /// Zero-based line of the first position inside the range.
    pub start_line: u32,
    /// Its zero-based column in UTF-16 code units.
    pub start_character: u32,
    /// Zero-based line of the first position after the range. Where it is the start, the range is a point: what
    /// contains the point is listed.
    pub end_line: u32,
    /// Its zero-based column in UTF-16 code units.
    pub end_character: u32,
    /// Which kinds to list: `sorry`, `hole`, `diagnostic`, `code_action`, `incomplete_proof`. Default: all.
    #[serde(default = "all_kinds")]
    pub kinds: Vec<TodoKind>,
    /// Whether to propose texts to run: `none` (default) or `basic`.
    #[serde(default)]
    pub suggest: TodoSuggest,
}

fn all_kinds() -> Vec<TodoKind> {
    TodoKind::ALL.to_vec()
}

/// Result of `todo`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TodoResult {
    /// The version that was asked.
    pub version: u64,
    /// The range that was asked about.
    pub range: Range,
    /// What is left to do in it, in the order of the file.
    pub items: Vec<TodoItem>,
    /// How many items there are.
    pub total: usize,
    /// True when `items` is not all of them.
    pub truncated: bool,
}

/// One thing that is left to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TodoItem {
    /// What kind of thing it is.
    pub kind: TodoKind,
    /// Where it stands.
    pub range: Range,
    /// Where `run_at` can try something for it: in a proof, before the tactic in question or behind the last one;
    /// elsewhere, where commands can be run.
    pub run_at_position: Position,
    /// A text that is worth a try there, when `suggest` asks for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_at_text: Option<String>,
    /// Lean's message about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// How serious Lean takes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// Lean's diagnostic as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diagnostic: Option<Diagnostic>,
    /// The edit that Lean offers. `code_action_resolve` takes it as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code_action: Option<CodeAction>,
    /// What is to be proved at `run_at_position`, or by the term in question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof_state: Option<ProofState>,
}

/// An edit that Lean offers. It is never applied by lean-beam.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CodeAction {
    /// What it does, for people.
    pub title: String,
    /// What kind of edit it is, such as `quickfix`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Lean recommends it over others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_preferred: bool,
    /// The changes by file. Absent where Lean works them out only when the action is resolved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit: Option<Vec<DocumentEdit>>,
    /// What Lean needs to resolve it; it means nothing to anybody else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

/// Changes of one file, to be made all at once: every range is about the text before the changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DocumentEdit {
    /// The file, relative to the root where it lies below it, else absolute.
    pub path: String,
    /// Its `file:` URI.
    pub uri: String,
    /// The version that the ranges refer to, where Lean says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// The changes.
    pub edits: Vec<TextEdit>,
}

/// One change of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TextEdit {
    /// What goes; an empty range only takes in.
    pub range: Range,
    /// What comes in its place.
    pub new_text: String,
}

/// Parameters of `code_action_resolve`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CodeActionResolveParams {
    /// The Lean file, relative to the root or absolute.
    pub path: String,
    /// The document version for which `todo` gave the code action.
    pub version: u64,
    /// A `code_action` of an item of `todo`, as it is.
    pub code_action: Map<String, Value>,
}

/// Result of `code_action_resolve`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CodeActionResolveResult {
    /// The version that the edit refers to.
    pub version: u64,
    /// The action with its edit, which is returned and not applied.
    pub code_action: CodeAction,
}
