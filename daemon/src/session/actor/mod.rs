//! The actor: the only owner of a server's pending requests and open documents.

mod lean;
mod life;

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use serde::Serialize;
use tokio::sync::{mpsc, watch};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    DocumentSnapshot, SessionCounters, SessionError, SessionPhase,
    document::OpenDocument,
    handle::SessionState,
    inbox::Inbox,
    launch::{HANDSHAKE_TIMEOUT, SessionSpec},
    pending::PendingTable,
};
use crate::{
    lsp::{
        DependencyBuildMode, DidChange, DidClose, DidOpen, DidSave, RequestId, encode_notification,
        encode_request, method,
    },
    process::{ProcessHandle, StderrRing},
    text::{DocumentText, minimal_edit},
};

pub(super) struct Actor {
    pub(super) spec: SessionSpec,
    pub(super) tasks: TaskTracker,
    pub(super) inbox: mpsc::UnboundedSender<Inbox>,
    pub(super) inbox_rx: mpsc::UnboundedReceiver<Inbox>,
    pub(super) state: watch::Sender<SessionState>,
    pub(super) stderr: StderrRing,
    pub(super) hurry: CancellationToken,
    pub(super) process: ProcessHandle,
    /// `None` once Lean's input is closed.
    pub(super) frames: Option<mpsc::UnboundedSender<Vec<u8>>>,
    pub(super) pending: PendingTable,
    pub(super) documents: HashMap<String, OpenDocument>,
    pub(super) phase: SessionPhase,
    /// Why we gave the server up before it exited.
    pub(super) failure: Option<String>,
    /// Its output is at its end.
    pub(super) output_ended: bool,
    /// That reason was an option on its command line.
    pub(super) option_refused: bool,
}

impl Actor {
    pub(super) async fn run(mut self, early: VecDeque<Inbox>) {
        self.initialize();
        let mut waiting = early;
        let status = loop {
            let Some(message) = self.inbox_rx.recv().await else {
                break None;
            };
            match message {
                Inbox::Exited(status) => break status,
                Inbox::Lean(message) => self.handle_lean(message, &mut waiting),
                Inbox::Unreadable(reason) => self.abandon(format!(
                    "the Lean server wrote something that is no message: {reason}"
                )),
                Inbox::HandshakeOverdue => self.abandon(format!(
                    "the Lean server did not answer `initialize` within {} s",
                    HANDSHAKE_TIMEOUT.as_secs()
                )),
                Inbox::Stop => self.stop(),
                Inbox::OutputEnded => self.end_of_output(),
                // What comes after the end of its output never reached this server, and is for the next.
                message if self.phase == SessionPhase::Starting || self.output_ended => {
                    waiting.push_back(message);
                }
                message => self.handle_command(message),
            }
        };
        self.finish(status, waiting);
    }

    fn handle_command(&mut self, message: Inbox) {
        match message {
            Inbox::Open {
                uri,
                version,
                text,
                mode,
                publish,
            } => self.open(uri, version, text, mode, publish),
            Inbox::Change { uri, version, text } => self.change(&uri, version, &text),
            Inbox::Save { uri } => self.notify(method::DID_SAVE, &DidSave::new(&uri)),
            Inbox::Close { uri } => self.close(&uri),
            Inbox::Request {
                id,
                uri,
                method,
                params,
                reply,
            } => {
                SessionCounters::add(&self.spec.counters.lean_requests);
                let by_worker = method::is_for_worker(method);
                self.pending.insert(id, uri, by_worker, reply);
                self.request(id, method, &params);
            }
            Inbox::Notify { method, params } => self.notify(method, &params),
            Inbox::Cancel { id } => {
                if self.pending.cancel(id) {
                    SessionCounters::add(&self.spec.counters.cancelled);
                    self.cancel(id);
                }
            }
            Inbox::FatalCheck { uri, version } => self.fatal_check(&uri, version),
            // Handled by `run`, whatever the phase.
            Inbox::Lean(_)
            | Inbox::Unreadable(_)
            | Inbox::HandshakeOverdue
            | Inbox::Exited(_)
            | Inbox::OutputEnded
            | Inbox::Stop => {}
        }
    }

    fn open(
        &mut self,
        uri: String,
        version: u64,
        text: Arc<DocumentText>,
        mode: DependencyBuildMode,
        publish: watch::Sender<DocumentSnapshot>,
    ) {
        // A second didOpen would leak a worker.
        self.close(&uri);
        SessionCounters::add(&self.spec.counters.documents_opened);
        self.notify(
            method::DID_OPEN,
            &DidOpen::new(&uri, version, text.as_str(), mode),
        );
        self.documents
            .insert(uri, OpenDocument::new(version, text, publish));
    }

    fn change(&mut self, uri: &str, version: u64, text: &Arc<DocumentText>) {
        let Some(document) = self.documents.get_mut(uri) else {
            return;
        };
        let old = document.change(version, Arc::clone(text));
        let edit = minimal_edit(&old, text);
        let frame = encode_notification(
            method::DID_CHANGE,
            &DidChange::new(uri, version, edit.range, edit.text),
        );
        self.send(frame);
        SessionCounters::add(&self.spec.counters.edits);
        self.overtake(uri);
    }

    fn close(&mut self, uri: &str) {
        if self.documents.remove(uri).is_some() {
            self.notify(method::DID_CLOSE, &DidClose::new(uri));
            self.overtake(uri);
        }
    }

    /// Whatever Lean still answers about `uri` is about a text that is gone: those who wait are told now.
    fn overtake(&mut self, uri: &str) {
        for id in self.pending.fail_document(uri, &SessionError::Overtaken) {
            SessionCounters::add(&self.spec.counters.overtaken);
            self.cancel(id);
        }
    }

    // Sending.

    fn request<P: Serialize + ?Sized>(&self, id: RequestId, method: &str, params: &P) {
        self.send(encode_request(id, method, params));
    }

    fn cancel(&self, id: RequestId) {
        self.notify(method::CANCEL, &serde_json::json!({ "id": id }));
    }

    fn notify<P: Serialize + ?Sized>(&self, method: &str, params: &P) {
        self.send(encode_notification(method, params));
    }

    fn send(&self, frame: Result<Vec<u8>, serde_json::Error>) {
        match (frame, &self.frames) {
            // Without a writer the process is about to be gone, and its exit answers everybody.
            (Ok(frame), Some(frames)) => drop(frames.send(frame)),
            (Ok(_), None) => {}
            (Err(error), _) => tracing::error!(%error, "a message to Lean has no JSON form"),
        }
    }
}
