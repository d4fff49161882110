//! Operations on the daemon and on whole workspaces.

use serde::{Deserialize, Serialize};

/// No parameters, or nothing to tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Empty {}

/// Parameters of `shutdown`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShutdownParams {
    /// Leave the daemon alone, with `resourceExhausted`, when it works for somebody else.
    #[serde(default)]
    pub only_if_idle: bool,
}

/// Result of `shutdown`. The daemon is gone when its life lock is free, which is later than this answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShutdownResult {
    /// Always true.
    pub stopping: bool,
    /// How many requests of other clients are being ended.
    pub cancelled_requests: usize,
}

/// Parameters of `cancel`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CancelParams {
    /// The name from the envelope or from the `accepted` event.
    pub request_id: String,
}

/// Result of `cancel`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CancelResult {
    /// False when no request of that name is in flight (any more).
    pub cancelled: bool,
}

/// Result of `drop_workspace`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DropWorkspaceResult {
    /// False when there was nothing to drop.
    pub dropped: bool,
    /// `notFound` when nothing was dropped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How many handles ended with the workspace.
    pub invalidated_handles: usize,
}
