//! Whether Lean got past the imports of a file: where it did not, it answers every question with nothing.

use lean_beam_proto::{BeamError, ErrorCode};
use serde_json::json;

use super::question::Unanswered;
use crate::{
    session::{DocumentSnapshot, SessionError},
    workspace::DocumentAt,
};

/// How many messages an error carries.
const MESSAGES_SHOWN: usize = 5;

/// Waits until it is known whether Lean got past the imports, and whether its worker still lives. Answers may come before
/// that news, and so may the report that nothing is left to do.
///
/// # Errors
/// As [`crate::session::SessionHandle::request`].
pub(super) async fn settle_header(document: &DocumentAt) -> Result<(), SessionError> {
    let mut watch = document.watch.clone();
    let news = watch
        .wait_for(|snapshot| snapshot.version != document.version || is_told(snapshot))
        .await
        .map_err(|_| SessionError::Overtaken)
        .map(|snapshot| (snapshot.version, snapshot.crashed, is_sure(&snapshot)))?;
    match news {
        (version, ..) if version != document.version => Err(SessionError::Overtaken),
        (_, true, _) => Err(SessionError::WorkerCrashed {
            message: "it was at work on this file".to_owned(),
        }),
        (.., true) => Ok(()),
        // Only a worker that lives answers this, and after everything else that it has to say.
        (version, ..) => {
            let uri = &document.path.uri;
            document.session.wait_for_diagnostics(uri, version).await
        }
    }
}

fn is_told(snapshot: &DocumentSnapshot) -> bool {
    snapshot.past_header || snapshot.fatal || snapshot.crashed || snapshot.done
}

fn is_sure(snapshot: &DocumentSnapshot) -> bool {
    (snapshot.past_header || snapshot.fatal) && !snapshot.is_presumed_dead()
}

/// The error in place of an empty answer about a document whose imports failed: Lean has elaborated nothing
/// of it, so nothing can be said about it.
pub(super) async fn refuse_failed_header(document: &DocumentAt) -> Result<(), Unanswered> {
    settle_header(document).await?;
    let snapshot = document.watch.borrow();
    if !snapshot.fatal || snapshot.past_header {
        return Ok(());
    }
    let shown = &document.path.display;
    let error = BeamError::new(
        ErrorCode::SyncBarrierIncomplete,
        format!("Lean could not get past the imports of {shown}, so it has nothing to say about the rest"),
    )
    .with_hint("`sync` the file to see why; mend or build the imports, then `refresh` it.")
    .with_data(json!({
        "root": *document.path.root,
        "path": shown,
        "version": document.version,
        "completion_blocking_diagnostics": snapshot.diagnostics.iter().take(MESSAGES_SHOWN).collect::<Vec<_>>(),
        "recovery_plan": [{ "op": "refresh", "path": shown }],
    }));
    Err(error.into())
}
