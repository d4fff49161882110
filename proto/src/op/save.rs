//! Saving a module: making its artifacts, so that files which import it see it.

use serde::{Deserialize, Serialize};

use super::documents::{DiagnosticScope, DocumentProgress, Readiness, SyncDiagnostics, SyncResult};

/// Parameters of `save` and `close_save`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SaveParams {
    /// The Lean file, relative to the root or absolute.
    pub path: String,
    /// Which diagnostics to show live: `errors` (default) or `all`.
    #[serde(default)]
    pub diagnostic_scope: DiagnosticScope,
}

/// Result of `save`. Paths of artifacts are absolute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SaveResult {
    /// The document, relative to the root.
    pub path: String,
    /// Name of the module, such as `Demo.Basic`.
    pub module: String,
    /// The version that was saved.
    pub version: u64,
    /// Hash of its text, 16 hexadecimal digits.
    pub source_hash: String,
    /// What importers load.
    pub olean: String,
    /// What references and symbols are found in.
    pub ilean: String,
    /// The C code of the module.
    pub c: String,
    /// What the artifacts were made from.
    pub trace: String,
    /// Present only where this Lean makes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub olean_server: Option<String>,
    /// Present only where this Lean makes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub olean_private: Option<String>,
    /// Present only where this Lean makes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ir: Option<String>,
    /// Present only where this Lean makes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bc: Option<String>,
    /// The verdict on the text that was saved.
    pub sync: SavedSync,
    /// How Lean got to that verdict.
    pub document_progress: DocumentProgress,
}

/// The verdict inside a save's result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SavedSync {
    /// The document.
    pub path: String,
    /// The version judged.
    pub version: u64,
    /// Its diagnostics, counted.
    pub diagnostics: SyncDiagnostics,
    /// Always ready.
    pub readiness: Readiness,
}

impl From<SyncResult> for SavedSync {
    fn from(sync: SyncResult) -> Self {
        Self {
            path: sync.path,
            version: sync.version,
            diagnostics: sync.diagnostics,
            readiness: sync.readiness,
        }
    }
}

/// Result of `close_save`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CloseSaveResult {
    /// Always true: the document is closed now.
    pub closed: bool,
    /// What was saved before.
    pub saved: SaveResult,
}
