//! How a request to Lean can fail.

use std::sync::Arc;

use crate::lsp::ResponseError;

/// Why a request got no usable answer.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum SessionError {
    /// The document changed, was closed or reopened between request and answer.
    #[error("the document changed before Lean answered")]
    Overtaken,
    /// The worker of the document died.
    #[error("the Lean worker of the document died: {message}")]
    WorkerCrashed {
        /// Lean's text.
        message: String,
    },
    /// The server died.
    #[error("{}", .0.reason)]
    Ended(Arc<SessionEnd>),
    /// Lean refused the request.
    #[error("Lean answered error {}: {}", .0.code, .0.message)]
    Refused(ResponseError),
    /// The parameters or the answer do not fit the protocol.
    #[error("{0}")]
    Invalid(String),
}

impl SessionError {
    /// What the end of the server means for a request. A server that refused an option is started again
    /// without it, and is asked again.
    pub(super) fn of_end(end: Arc<SessionEnd>) -> Self {
        if end.option_refused {
            Self::Overtaken
        } else {
            Self::Ended(end)
        }
    }
}

/// How far a server was when it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionPhase {
    /// It had not answered `initialize`.
    Starting,
    /// It was working.
    Running,
    /// It was asked to stop.
    Stopping,
}

/// What is known about the end of a server.
#[derive(Debug)]
pub(crate) struct SessionEnd {
    /// When it happened in the server's life.
    pub(crate) phase: SessionPhase,
    /// One sentence.
    pub(crate) reason: String,
    /// Exit status for people, where there is one.
    pub(crate) exit: Option<String>,
    /// Its last lines on standard error.
    pub(crate) stderr: Vec<String>,
    /// The command line.
    pub(crate) command: Vec<String>,
    /// It did not know an option on its command line, and would work without.
    pub(crate) option_refused: bool,
}
