//! What an operation has at hand.

use std::sync::{Mutex, PoisonError};

use lean_beam_proto::{
    BeamError, BeamResult,
    event::{Event, Progress},
    op::DocumentProgress,
    text::DiagnosticCounts,
};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::{
    control::{Admission, Services},
    session::DocumentSnapshot,
    workspace::{DocumentAt, DocumentPath, WorkspaceHandle},
};

/// One request, from the operation's side.
#[derive(Debug)]
pub(crate) struct OpContext<'a> {
    pub(crate) services: &'a Services,
    pub(crate) admission: &'a Admission,
    pub(crate) events: EventSink,
    pub(crate) observed: &'a Observed,
    workspace: Option<WorkspaceHandle>,
}

impl<'a> OpContext<'a> {
    pub(crate) fn new(
        services: &'a Services,
        admission: &'a Admission,
        events: EventSink,
        observed: &'a Observed,
        workspace: Option<WorkspaceHandle>,
    ) -> Self {
        Self {
            services,
            admission,
            events,
            observed,
            workspace,
        }
    }

    /// The workspace of an operation that needs one.
    pub(crate) fn workspace(&self) -> BeamResult<&WorkspaceHandle> {
        self.workspace
            .as_ref()
            .ok_or_else(|| BeamError::internal("an operation on a workspace was run without one"))
    }

    /// Finds the file that the request names, and notes it for `status`.
    pub(crate) async fn document(&self, path: &str) -> BeamResult<DocumentPath> {
        let document = self.workspace()?.resolve(path).await?;
        self.admission.set_path(&document.display);
        Ok(document)
    }
}

/// Where events go. A client that reads slowly slows down its own request only.
#[derive(Debug, Clone)]
pub(crate) struct EventSink {
    events: mpsc::Sender<Event>,
}

impl EventSink {
    pub(crate) fn new(events: mpsc::Sender<Event>) -> Self {
        Self { events }
    }

    /// Sends an event that must not be lost.
    pub(crate) async fn send(&self, event: Event) {
        // Without a receiver the client is gone, and this operation is about to be dropped.
        self.events.send(event).await.ok();
    }

    /// Sends an event that a later one makes up for.
    pub(crate) fn try_send(&self, event: Event) {
        self.events.try_send(event).ok();
    }
}

/// What is known so far, for the error when the deadline passes.
#[derive(Debug, Default)]
pub(crate) struct Observed {
    // Held for single updates only, never across an await.
    document: Mutex<Option<DocumentAt>>,
}

impl Observed {
    /// The operation waits for this document.
    pub(crate) fn set(&self, document: &DocumentAt) {
        *self.document.lock().unwrap_or_else(PoisonError::into_inner) = Some(document.clone());
    }

    /// Path, version, progress and counts so far.
    pub(crate) fn data(&self) -> Option<Value> {
        let document = self.document.lock().unwrap_or_else(PoisonError::into_inner);
        let document = document.as_ref()?;
        let snapshot = document.watch.borrow();
        Some(json!({
            "path": document.path.display,
            "version": document.version,
            "document_progress": document_progress(&snapshot),
            "lines": document.text.line_count(),
            "counts_so_far": DiagnosticCounts::of(snapshot.diagnostics.iter().map(|diagnostic| diagnostic.severity)),
        }))
    }
}

/// The progress of a snapshot, for results.
pub(crate) fn document_progress(snapshot: &DocumentSnapshot) -> DocumentProgress {
    DocumentProgress {
        updates: snapshot.updates,
        done: snapshot.done,
        range_start_line: snapshot.start_line,
        range_end_line: snapshot.end_line,
    }
}

/// The progress of a snapshot, for events.
pub(crate) fn progress_event(document: &DocumentAt, snapshot: &DocumentSnapshot) -> Event {
    Event::Progress(Progress {
        path: document.path.display.clone(),
        version: snapshot.version,
        updates: snapshot.updates,
        done: snapshot.done,
        range_start_line: snapshot.start_line,
        range_end_line: snapshot.end_line,
        lines: document.text.line_count(),
    })
}
