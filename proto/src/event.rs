//! What the daemon says while it works on a request.

use serde::{Deserialize, Serialize};

use crate::text::Diagnostic;

/// One line before the final one. A client skips events that it does not know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The request was understood and is being worked on. Always the first line of an accepted request.
    Accepted {
        /// The name by which `cancel` finds this request.
        request_id: String,
    },
    /// How far Lean is with the document.
    Progress(Progress),
    /// Diagnostics of this version that were not sent before on this connection.
    Diagnostics {
        /// The document, relative to the root where it lies below it.
        path: String,
        /// The version that they belong to.
        version: u64,
        /// The new ones. More may follow, and an edit may overtake them: only the final line is a verdict.
        items: Vec<Diagnostic>,
    },
    /// What Lake is doing to prepare the document's imports.
    Setup {
        /// The document.
        path: String,
        /// Lake's own line, cut to a reasonable length.
        message: String,
    },
    /// Something worth knowing that changes nothing about the result.
    Notice {
        /// One sentence.
        message: String,
    },
    /// An event of a later version.
    #[serde(other)]
    Unknown,
}

/// How far Lean is with one version of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// The document, relative to the root where it lies below it.
    pub path: String,
    /// The version that is being elaborated.
    pub version: u64,
    /// How many progress reports Lean made for this version so far.
    pub updates: u64,
    /// True once nothing is left to elaborate.
    pub done: bool,
    /// First line (zero-based) of what is still to do, where Lean said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range_start_line: Option<u32>,
    /// Last line (zero-based) of what is still to do, where Lean said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range_end_line: Option<u32>,
    /// How many lines the document has.
    pub lines: u32,
}
