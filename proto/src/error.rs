//! The one closed list of errors, each with one meaning, on every side of the wire.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What went wrong, for programs. The wire form is the name in camelCase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ErrorCode {
    /// The request has the wrong shape: an undeclared field, a wrong type, a missing or impossible root.
    InvalidInput,
    /// The request has the right shape, but a value does not fit: a position outside the file, a file that
    /// is not UTF-8 (`data.byte_offset`), a path outside every workspace.
    InvalidParams,
    /// The document is not at the version that was asked about. `data`: `reason`
    /// (`documentVersionMismatch`), `expected`, `accepted`, `current`, `uri`.
    ContentModified,
    /// The request was cancelled: by `cancel`, by its client going away, or by a shutdown.
    RequestCancelled,
    /// The deadline passed first. `data` says what is known so far; Lean goes on, and the same call
    /// resumes the wait; only a client's own text is stopped, and runs anew.
    DeadlineExceeded,
    /// The file cannot be judged because an import is missing, stale or broken. `data`:
    /// `stale_direct_deps`, `save_deps`, `recovery_plan`, `completion_blocking_diagnostics`.
    SyncBarrierIncomplete,
    /// The Lean process behind the request died. `data.stderr` holds its last lines.
    WorkerCrashed,
    /// A Lean worker passed its memory ceiling and was stopped. `data` names the file.
    WorkerMemoryLimit,
    /// The handle was valid once; `data.reason` says what ended it.
    HandleInvalidated,
    /// No such handle was ever given out for this workspace.
    HandleNotFound,
    /// The file is not a module of the project.
    SaveTargetNotModule,
    /// The module's configuration cannot be reproduced by a save.
    SaveUnsupportedSetup,
    /// The build of the module failed; `data` holds its output.
    SaveFailed,
    /// Lake files or the toolchain changed since the workspace started; drop it to go on.
    WorkspaceConfigChanged,
    /// Lean or Lake cannot be found or started. `data`: `command`, `exit`, `stderr`.
    RuntimeSetup,
    /// A limit of the daemon is reached.
    ResourceExhausted,
    /// No daemon answers, and none could be started.
    DaemonUnavailable,
    /// Client and daemon speak different protocols. `data`: `client`, `daemon`.
    ProtocolMismatch,
    /// Lean answered something that its protocol does not allow.
    InvalidResult,
    /// A fault of lean-beam itself.
    InternalError,
    /// A code that this version does not know.
    #[serde(other)]
    Unknown,
}

impl ErrorCode {
    /// The wire form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidInput => "invalidInput",
            Self::InvalidParams => "invalidParams",
            Self::ContentModified => "contentModified",
            Self::RequestCancelled => "requestCancelled",
            Self::DeadlineExceeded => "deadlineExceeded",
            Self::SyncBarrierIncomplete => "syncBarrierIncomplete",
            Self::WorkerCrashed => "workerCrashed",
            Self::WorkerMemoryLimit => "workerMemoryLimit",
            Self::HandleInvalidated => "handleInvalidated",
            Self::HandleNotFound => "handleNotFound",
            Self::SaveTargetNotModule => "saveTargetNotModule",
            Self::SaveUnsupportedSetup => "saveUnsupportedSetup",
            Self::SaveFailed => "saveFailed",
            Self::WorkspaceConfigChanged => "workspaceConfigChanged",
            Self::RuntimeSetup => "runtimeSetup",
            Self::ResourceExhausted => "resourceExhausted",
            Self::DaemonUnavailable => "daemonUnavailable",
            Self::ProtocolMismatch => "protocolMismatch",
            Self::InvalidResult => "invalidResult",
            Self::InternalError => "internalError",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A failed request: what happened for people, what to do next, and the facts for programs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct BeamError {
    /// Which error it is.
    pub code: ErrorCode,
    /// What happened, one sentence.
    pub message: String,
    /// What to do next, where there is something to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Facts for programs; the fields depend on `code`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

impl BeamError {
    /// An error with a message only.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hint: None,
            data: None,
        }
    }

    /// The same error with advice on what to do next.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same error with facts for programs.
    #[must_use]
    pub fn with_data(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }

    /// A fault of ours. The hint asks for a report.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InternalError, message)
            .with_hint("This is a fault in lean-beam. `lean-beam logs` shows what led to it.")
    }
}

/// What every fallible operation returns.
pub type BeamResult<T> = Result<T, BeamError>;

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [ErrorCode; 20] = [
        ErrorCode::InvalidInput,
        ErrorCode::InvalidParams,
        ErrorCode::ContentModified,
        ErrorCode::RequestCancelled,
        ErrorCode::DeadlineExceeded,
        ErrorCode::SyncBarrierIncomplete,
        ErrorCode::WorkerCrashed,
        ErrorCode::WorkerMemoryLimit,
        ErrorCode::HandleInvalidated,
        ErrorCode::HandleNotFound,
        ErrorCode::SaveTargetNotModule,
        ErrorCode::SaveUnsupportedSetup,
        ErrorCode::SaveFailed,
        ErrorCode::WorkspaceConfigChanged,
        ErrorCode::RuntimeSetup,
        ErrorCode::ResourceExhausted,
        ErrorCode::DaemonUnavailable,
        ErrorCode::ProtocolMismatch,
        ErrorCode::InvalidResult,
        ErrorCode::InternalError,
    ];

    #[test]
    fn the_wire_form_of_each_code_is_its_name() {
        for code in ALL {
            let json = serde_json::to_string(&code).unwrap();
            assert_eq!(json, format!("\"{}\"", code.as_str()));
            assert_eq!(serde_json::from_str::<ErrorCode>(&json).unwrap(), code);
        }
    }

    #[test]
    fn a_code_of_a_later_version_is_read_as_unknown() {
        assert_eq!(
            serde_json::from_str::<ErrorCode>("\"somethingNew\"").unwrap(),
            ErrorCode::Unknown
        );
    }
}
