//! What Lean says: answers, diagnostics, progress, and the silence of a worker that is dead.

use std::{collections::VecDeque, time::Duration};

use serde_json::value::RawValue;

use super::{
    super::{
        SessionCounters, SessionError, SessionPhase, document::OpenDocument, inbox::Inbox,
        launch::INITIALIZE_ID,
    },
    Actor,
};
use crate::{
    incident,
    lsp::{
        FileProgress, Incoming, PublishDiagnostics, RequestId, ResponseError, encode_response,
        method,
    },
};

/// How long requests about a document that Lean gave up may stay unanswered.
const FATAL_GRACE: Duration = Duration::from_secs(1);

impl Actor {
    pub(super) fn handle_lean(&mut self, message: Incoming, waiting: &mut VecDeque<Inbox>) {
        match message {
            Incoming::Response {
                id: INITIALIZE_ID,
                result,
            } if self.phase == SessionPhase::Starting => self.initialized(result, waiting),
            Incoming::Response { id, result } => self.handle_response(id, result),
            Incoming::Notification { method, params } => {
                self.handle_notification(&method, params.as_deref());
            }
            // Registrations and refreshes: accepted, nothing follows from them.
            Incoming::Request { id } => self.send(encode_response(&id)),
            Incoming::Stray(error) => tracing::warn!(
                code = error.code,
                message = error.message,
                "Lean could not read a message"
            ),
        }
    }

    pub(super) fn handle_response(
        &mut self,
        id: RequestId,
        result: Result<Box<RawValue>, ResponseError>,
    ) {
        let document = self
            .pending
            .uri_of(id)
            .and_then(|uri| self.documents.get(uri));
        let reply = match result {
            Ok(value) => {
                if let Some(document) = document.filter(|_| self.pending.is_by_worker(id)) {
                    document.note_answer();
                }
                Ok(value)
            }
            Err(error) => Err(match error.code {
                method::code::WORKER_CRASHED => {
                    if document.is_some_and(OpenDocument::note_crash) {
                        self.record_worker_crash(&error.message);
                    }
                    SessionError::WorkerCrashed {
                        message: error.message,
                    }
                }
                // Not because of a change of ours, which fails what is pending at once: Lean has lost the
                // document, and only opening it again helps.
                method::code::FILE_CLOSED
                | method::code::WORKER_EXITED
                | method::code::CANCELLED => {
                    document.map(OpenDocument::note_crash);
                    SessionError::Overtaken
                }
                _ => SessionError::Refused(error),
            }),
        };
        self.pending.answer(id, reply);
    }

    pub(super) fn handle_notification(&mut self, method: &str, params: Option<&RawValue>) {
        let Some(params) = params else { return };
        let outcome = match method {
            method::PUBLISH_DIAGNOSTICS => serde_json::from_str::<PublishDiagnostics>(params.get())
                .map(|message| {
                    self.option_refused |= message.refuses_option();
                    if let Some(document) = self.documents.get(&message.uri) {
                        document.publish_diagnostics(message);
                    }
                }),
            method::FILE_PROGRESS => {
                serde_json::from_str::<FileProgress>(params.get()).map(|message| {
                    if let Some(document) = self.documents.get(&message.text_document.uri)
                        && document.report_progress(&message)
                    {
                        self.check_later(message.text_document.uri, document.version());
                    }
                })
            }
            _ => Ok(()),
        };
        if let Err(error) = outcome {
            // Going on would mean to judge a document without knowing what Lean said about it.
            self.abandon(format!(
                "{method} of the Lean server is not understood: {error}"
            ));
        } else if self.option_refused && self.failure.is_none() {
            self.abandon("the Lean server does not know one of our options".to_owned());
        }
    }

    /// Lean holds what it is asked about a document whose worker is dead, without a word. A worker that only
    /// failed at the header answers at once.
    pub(super) fn check_later(&self, uri: String, version: u64) {
        let inbox = self.inbox.clone();
        self.tasks.spawn(async move {
            tokio::time::sleep(FATAL_GRACE).await;
            inbox.send(Inbox::FatalCheck { uri, version }).ok();
        });
    }

    pub(super) fn fatal_check(&mut self, uri: &str, version: u64) {
        let Some(document) = self.documents.get(uri) else {
            return;
        };
        if document.version() != version || !document.is_presumed_dead() {
            return;
        }
        let message = "it does not answer any more";
        if document.note_crash() {
            self.record_worker_crash(message);
        }
        let error = SessionError::WorkerCrashed {
            message: message.to_owned(),
        };
        for id in self.pending.fail_document(uri, &error) {
            self.cancel(id);
        }
    }

    pub(super) fn record_worker_crash(&self, message: &str) {
        SessionCounters::add(&self.spec.counters.worker_crashes);
        let root = &self.spec.child.directory;
        incident::record(self.spec.worker, Some(root), message);
    }
}
