//! Operations that bring a file from disk to Lean and report the verdict.

use serde::{Deserialize, Serialize};

use crate::{
    event::Progress,
    text::{Diagnostic, DiagnosticCounts},
};

/// Parameters of `update`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UpdateParams {
    /// The Lean file, relative to the root or absolute.
    pub path: String,
}

/// Result of `update`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UpdateResult {
    /// The document, relative to the root where it lies below it.
    pub path: String,
    /// The version that stands for the text now on disk. Pass it to operations on positions.
    pub version: u64,
    /// True when the text differs from what the daemon had, or when it had none.
    pub changed: bool,
}

/// Which diagnostics are shown. Counts are complete either way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum DiagnosticScope {
    /// Errors only.
    #[default]
    Errors,
    /// Errors, warnings, information and hints.
    All,
}

/// Parameters of `sync` and `refresh`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SyncParams {
    /// The Lean file, relative to the root or absolute.
    pub path: String,
    /// Which diagnostics to show, live and in the result: `errors` (default) or `all`.
    #[serde(default)]
    pub diagnostic_scope: DiagnosticScope,
    /// Whether the result lists the diagnostics. Default: false, counts only.
    #[serde(default)]
    pub diagnostics_in_result: bool,
}

/// Result of `sync` and `refresh`: Lean's complete verdict on one version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SyncResult {
    /// The document, relative to the root where it lies below it.
    pub path: String,
    /// The version judged.
    pub version: u64,
    /// How many diagnostics, and which.
    pub diagnostics: SyncDiagnostics,
    /// Whether the module could be saved as it is.
    pub readiness: Readiness,
    /// How Lean got there.
    pub document_progress: DocumentProgress,
}

/// The diagnostics of a verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SyncDiagnostics {
    /// Complete counts.
    pub counts: DiagnosticCounts,
    /// The diagnostics within the scope, in document order; present only on request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<Vec<Diagnostic>>,
    /// True when `items` is not all of them because the result would have been too large.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// Whether the document is complete and free of errors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Readiness {
    /// True only for a complete document without errors whose imports are current.
    pub save_ready: bool,
    /// Why, or why not.
    pub reason: ReadinessReason,
    /// How many things stand in the way.
    pub blocking_error_count: usize,
    /// The errors that stand in the way; the first ones when there are many.
    pub blocking_diagnostics: Vec<Diagnostic>,
    /// What stands in the way and is no diagnostic.
    pub blocking_messages: Vec<String>,
}

/// Why a document is ready, or is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ReadinessReason {
    /// Nothing stands in the way.
    Ok,
    /// Lean reports errors.
    DocumentErrors,
    /// Lean could not get past the imports.
    HeaderFailed,
    /// A reason of a later version.
    #[serde(other)]
    Unknown,
}

/// The last that was seen of Lean's progress with the version judged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DocumentProgress {
    /// How many progress reports Lean made.
    pub updates: u64,
    /// True once nothing is left to elaborate.
    pub done: bool,
    /// First line (zero-based) of the last range that was reported as still to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range_start_line: Option<u32>,
    /// Last line (zero-based) of the last range that was reported as still to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range_end_line: Option<u32>,
}

impl From<&Progress> for DocumentProgress {
    fn from(progress: &Progress) -> Self {
        Self {
            updates: progress.updates,
            done: progress.done,
            range_start_line: progress.range_start_line,
            range_end_line: progress.range_end_line,
        }
    }
}

/// Parameters of `close`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CloseParams {
    /// The Lean file, relative to the root or absolute. It need not exist any more.
    pub path: String,
}

/// Result of `close`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CloseResult {
    /// Always true: the document is closed now.
    pub closed: bool,
    /// Whether it was open before.
    pub was_open: bool,
}

/// Result of `open_files`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OpenFilesResult {
    /// The documents, sorted by path.
    pub files: Vec<OpenFile>,
}

/// One document of a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OpenFile {
    /// The document, relative to the root where it lies below it.
    pub path: String,
    /// Its `file:` URI.
    pub uri: String,
    /// The version that Lean has.
    pub version: u64,
    /// Hash of that text, 16 hexadecimal digits.
    pub hash: String,
    /// How many lines that text has.
    pub lines: u32,
    /// What Lean is doing with it.
    pub state: DocumentState,
    /// The diagnostics known so far; a verdict only when `state` is `done`.
    pub counts: DiagnosticCounts,
}

/// What Lean is doing with a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum DocumentState {
    /// Elaborating.
    Processing,
    /// Everything is elaborated.
    Done,
    /// Lean gave up: the header failed or the worker died.
    Failed,
    /// Known to the daemon, not open in Lean; it is opened again when it is needed.
    Unloaded,
    /// A state of a later version.
    #[serde(other)]
    Unknown,
}
