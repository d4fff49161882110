//! Asking Lean about one version of a document, whatever happens to the document meanwhile.

use futures_util::future::BoxFuture;
use lean_beam_proto::{BeamError, BeamResult, op::PositionParams, text::Position};

use super::{
    OpContext,
    error::{Rounds, session_error},
    position::locate,
};
use crate::{session::SessionError, workspace::DocumentAt};

/// Why a question has no answer.
#[derive(Debug)]
pub(super) enum Unanswered {
    /// Lean did not answer, or about another text.
    Session(SessionError),
    /// The question makes no sense for this text.
    Beam(BeamError),
}

impl From<SessionError> for Unanswered {
    fn from(error: SessionError) -> Self {
        Self::Session(error)
    }
}

impl From<BeamError> for Unanswered {
    fn from(error: BeamError) -> Self {
        Self::Beam(error)
    }
}

/// A question about one version of a document, with the parameters of its operation.
pub(super) type Question<P, R> =
    for<'a> fn(&'a DocumentAt, &'a P) -> BoxFuture<'a, Result<R, Unanswered>>;

/// Parameters that name one version of a document.
pub(super) trait AboutVersion {
    /// Its path as given, and the version.
    fn document(&self) -> (&str, u64);
}

/// Asks `question` about one version of a document. It may ask Lean several things: its answer counts only
/// when Lean had that very version from the first to the last of them. Otherwise it is asked again, which
/// ends in `contentModified` unless the text is the same.
pub(super) async fn ask<P: AboutVersion, R>(
    context: &OpContext<'_>,
    params: &P,
    question: Question<P, R>,
) -> BeamResult<R> {
    let (path, version) = params.document();
    let path = context.document(path).await?;
    let mut rounds = Rounds::default();
    loop {
        let document = context.workspace()?.lookup(&path, version).await?;
        context.observed.set(&document);
        let answer = question(&document, params).await;
        match answer {
            Err(Unanswered::Session(
                error @ (SessionError::Ended(_) | SessionError::WorkerCrashed { .. }),
            )) => return Err(session_error(&document, error).await),
            Err(Unanswered::Session(SessionError::Overtaken)) => rounds.next(&document)?,
            _ if !document.is_current() => rounds.next(&document)?,
            Ok(answer) => return Ok(answer),
            Err(Unanswered::Session(error)) => return Err(session_error(&document, error).await),
            Err(Unanswered::Beam(error)) => return Err(error),
        }
    }
}

impl AboutVersion for PositionParams {
    fn document(&self) -> (&str, u64) {
        (&self.path, self.version)
    }
}

/// The position that parameters mean in the text of their document.
///
/// # Errors
/// As [`locate`].
pub(super) fn position_in(document: &DocumentAt, params: &PositionParams) -> BeamResult<Position> {
    let anchor = params.anchor.as_deref();
    locate(&document.text, params.line, params.character, anchor)
}
