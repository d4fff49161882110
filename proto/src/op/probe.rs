//! Speculative execution: would this text work here? Neither the file nor the document notices.

use serde::{Deserialize, Serialize};

use super::goals::ProofState;
use crate::text::{Range, Severity};

position_params! {
    /// Parameters of `run_at` and `run_at_handle`.
    RunAtParams {
        /// Tactics to run in the proof state at the position, or commands where there is no proof or behind one.
        pub text: String,
    }
}

/// Parameters of `run_with` and `run_with_linear`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunWithParams {
    /// The Lean file that the handle belongs to.
    pub path: String,
    /// The handle, from a `next_handle`.
    pub handle: String,
    /// Tactics or commands to run after those of the handle.
    pub text: String,
}

/// Parameters of `release`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReleaseParams {
    /// The Lean file that the handle belongs to.
    pub path: String,
    /// The handle to give up.
    pub handle: String,
}

/// Result of `release`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReleaseResult {
    /// False when the handle had ended already.
    pub released: bool,
}

/// Result of `run_at`, `run_at_handle`, `run_with` and `run_with_linear`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunResult {
    /// True when no error belongs to the text.
    pub success: bool,
    /// What Lean says about the text, in document order.
    pub messages: Vec<RunMessage>,
    /// Output of trace classes (`set_option trace.…`), apart from the messages.
    pub traces: Vec<RunMessage>,
    /// The state after the text, or before it when it failed; null for commands.
    pub proof_state: Option<ProofState>,
    /// Continues after the text; null unless a handle was asked for and the text succeeded.
    pub next_handle: Option<String>,
    /// Present, and true, when the text succeeded with the help of `sorry` or the like.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uses_sorry: bool,
}

/// One message about a text that was run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunMessage {
    /// How serious it is.
    pub severity: Severity,
    /// Lean's text, several lines perhaps.
    pub text: String,
    /// Where, relative to the supplied text: zero-based, UTF-16.
    pub range: Range,
}

/// Parameters of `check_axioms`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckAxiomsParams {
    /// The Lean file, relative to the root or absolute.
    pub path: String,
    /// The document version, from `update` or `sync`.
    pub version: u64,
    /// Full name of a declaration that is visible at the end of the file.
    pub name: String,
}

/// Result of `check_axioms`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckAxiomsResult {
    /// The declaration.
    pub name: String,
    /// The axioms that it rests on, directly or through others.
    pub axioms: Vec<String>,
    /// True when `sorryAx` is among them: something is not proved.
    pub uses_sorry: bool,
    /// True when there are none but `propext`, `Classical.choice` and `Quot.sound`.
    pub standard_only: bool,
}

position_params! {
    /// Parameters of `try`.
    TryParams {
        /// The texts to try, each on its own in the same state; 1 to 256.
        pub candidates: Vec<String>,
        /// Stop at the first candidate that closes all goals without `sorry`. Default: false.
        #[serde(default)]
        pub stop_on_first: bool,
        /// How long each candidate may take, in milliseconds. Default: 10000.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub per_candidate_ms: Option<u64>,
    }
}

/// Result of `try`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TryResult {
    /// One entry for each candidate that was run, in the order given.
    pub items: Vec<TryItem>,
    /// Index of the first candidate that closed all goals, else of the first that succeeded, else null. What
    /// uses `sorry` comes after all that does not.
    pub first_success: Option<usize>,
}

/// What came of one candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TryItem {
    /// Zero-based index in `candidates`.
    pub index: usize,
    /// What came of it.
    pub status: TryStatus,
    /// What Lean says about it.
    pub messages: Vec<RunMessage>,
    /// The state after it, or before it when it failed; null for commands, timeouts and crashes.
    pub proof_state: Option<ProofState>,
    /// How long it took, in milliseconds.
    pub elapsed_ms: u64,
    /// Present, and true, when it succeeded with the help of `sorry` or the like.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uses_sorry: bool,
}

/// What came of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum TryStatus {
    /// It succeeded; goals remain, or it was a command.
    Ok,
    /// It succeeded, and no goal remains.
    Closed,
    /// Lean reports an error that belongs to it.
    Failed,
    /// It left the block that it was put into: an unbalanced bracket, a new command, an open comment.
    Escaped,
    /// It was still running when its time was over, and was stopped.
    Timeout,
    /// The Lean worker that ran it died.
    Crashed,
    /// A status of a later version.
    #[serde(other)]
    Unknown,
}

impl TryStatus {
    /// The word for it, as on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Closed => "closed",
            Self::Failed => "failed",
            Self::Escaped => "escaped",
            Self::Timeout => "timeout",
            Self::Crashed => "crashed",
            Self::Unknown => "unknown",
        }
    }
}
