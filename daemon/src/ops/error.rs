//! From a failed request to Lean to an error of ours.

use std::time::Duration;

use lean_beam_proto::{BeamError, BeamResult, ErrorCode};
use serde_json::json;

use crate::{
    session::{SessionEnd, SessionError, SessionPhase},
    workspace::DocumentAt,
};

/// What a dying worker still writes to standard error arrives a little later than the news of its death.
const STDERR_GRACE: Duration = Duration::from_millis(50);

/// How often a question is asked again because the document changed before the answer came.
const ROUNDS: u32 = 100;

/// Counts the rounds of a question that edits overtake.
#[derive(Debug, Default)]
pub(crate) struct Rounds(u32);

impl Rounds {
    /// One more round.
    ///
    /// # Errors
    /// `contentModified` when there were too many.
    pub(crate) fn next(&mut self, document: &DocumentAt) -> BeamResult<()> {
        self.0 += 1;
        if self.0 < ROUNDS {
            return Ok(());
        }
        let message = format!(
            "{} changed {ROUNDS} times before Lean could answer",
            document.path.display
        );
        Err(BeamError::new(ErrorCode::ContentModified, message)
            .with_hint("Let the file rest, then ask again."))
    }
}

/// The error for a request about `document`. [`SessionError::Overtaken`] is for the caller to handle: here
/// it becomes `contentModified` without versions.
pub(crate) async fn session_error(document: &DocumentAt, error: SessionError) -> BeamError {
    match error {
        SessionError::Overtaken => BeamError::new(
            ErrorCode::ContentModified,
            format!("{} changed before Lean answered", document.path.display),
        )
        .with_hint("Call `sync` for the file and ask again."),
        SessionError::WorkerCrashed { message } => {
            match document
                .kills
                .error(&document.path.uri, &document.path.display)
            {
                Some(error) => error,
                None => worker_crashed(document, &message).await,
            }
        }
        SessionError::Ended(end) => ended(Some(document), &end),
        SessionError::Refused(error) => refused(&error.message, error.code),
        SessionError::Invalid(message) => BeamError::new(ErrorCode::InvalidResult, message),
    }
}

/// The error for a request that is about no document.
pub(super) fn server_error(error: SessionError) -> BeamError {
    match error {
        SessionError::Ended(end) => ended(None, &end),
        SessionError::Overtaken | SessionError::WorkerCrashed { .. } => BeamError::new(
            ErrorCode::ContentModified,
            "a document changed before Lean answered",
        )
        .with_hint("Ask again."),
        SessionError::Refused(error) => refused(&error.message, error.code),
        SessionError::Invalid(message) => BeamError::new(ErrorCode::InvalidResult, message),
    }
}

fn refused(message: &str, code: i64) -> BeamError {
    let message = format!("Lean refused the request: {message} ({code})");
    BeamError::new(ErrorCode::InvalidResult, message)
}

async fn worker_crashed(document: &DocumentAt, message: &str) -> BeamError {
    tokio::time::sleep(STDERR_GRACE).await;
    BeamError::new(ErrorCode::WorkerCrashed, format!("the Lean worker of {} died: {message}", document.path.display))
        .with_hint("The next call opens the file in a new worker. A stack overflow or a killed process is the usual cause.")
        .with_data(json!({ "path": document.path.display, "version": document.version, "stderr": document.session.stderr_tail() }))
}

fn ended(document: Option<&DocumentAt>, end: &SessionEnd) -> BeamError {
    let path = document.map(|document| &document.path.display);
    let data =
        json!({ "path": path, "command": end.command, "exit": end.exit, "stderr": end.stderr });
    let (code, hint) = match end.phase {
        SessionPhase::Starting => (
            ErrorCode::RuntimeSetup,
            "Run the command by hand in the project's directory to see what is wrong; `lean-beam logs` has more.",
        ),
        SessionPhase::Running => (
            ErrorCode::WorkerCrashed,
            "The next call starts a new Lean server.",
        ),
        SessionPhase::Stopping => (
            ErrorCode::RequestCancelled,
            "The workspace was dropped or the daemon is stopping. Ask again.",
        ),
    };
    BeamError::new(code, end.reason.clone())
        .with_hint(hint)
        .with_data(data)
}
