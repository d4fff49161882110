//! The way to a session for everybody else.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::SystemTime,
};

use serde::{Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot, watch};

use super::{
    SessionEnd, SessionError,
    document::{DocumentSnapshot, DocumentWatch},
    inbox::Inbox,
    pending::Reply,
    rpc::RpcSessions,
};
use crate::{
    lsp::{DependencyBuildMode, RequestId, WaitForDiagnostics, method},
    process::StderrRing,
    text::DocumentText,
};

/// Counters that the workspace shows and sums up over its servers.
#[derive(Debug, Default)]
pub(crate) struct SessionCounters {
    pub(crate) lean_requests: AtomicU64,
    pub(crate) overtaken: AtomicU64,
    pub(crate) cancelled: AtomicU64,
    pub(crate) worker_crashes: AtomicU64,
    pub(crate) edits: AtomicU64,
    pub(crate) documents_opened: AtomicU64,
}

impl SessionCounters {
    pub(super) fn add(counter: &AtomicU64) {
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Sets all of them to zero.
    pub(crate) fn reset(&self) {
        for counter in [
            &self.lean_requests,
            &self.overtaken,
            &self.cancelled,
            &self.worker_crashes,
            &self.edits,
            &self.documents_opened,
        ] {
            counter.store(0, Ordering::Relaxed);
        }
    }
}

/// What can be known of a session at any time.
#[derive(Debug, Default, Clone)]
pub(crate) struct SessionState {
    /// Process id of the server, once there is a process.
    pub(crate) pid: Option<u32>,
    /// Name and version of the server, once it answered `initialize`.
    pub(crate) server: Option<String>,
    /// The number of its type of semantic tokens for missing proofs, once it answered `initialize`.
    pub(crate) sorry_type: Option<u32>,
    /// Set when it is over.
    pub(crate) end: Option<Arc<SessionEnd>>,
}

/// When it was last looked for changes of the index on disk, at first when the session was started.
#[derive(Debug, Clone)]
pub(super) struct IndexSeen(
    // Held for single updates only, never across an await.
    Arc<Mutex<SystemTime>>,
);

impl Default for IndexSeen {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(SystemTime::now())))
    }
}

/// A session. Cheap to clone; messages are taken in the order in which they are sent by anybody.
#[derive(Debug, Clone)]
pub(crate) struct SessionHandle {
    pub(super) inbox: mpsc::UnboundedSender<Inbox>,
    pub(super) state: watch::Receiver<SessionState>,
    pub(super) next_id: Arc<AtomicU64>,
    pub(super) rpc: RpcSessions,
    pub(super) index_seen: IndexSeen,
    pub(super) stderr: StderrRing,
}

impl SessionHandle {
    /// Opens a document and returns what follows it. One that is open is closed first, which ends its worker.
    pub(crate) fn open(
        &self,
        uri: &str,
        version: u64,
        text: Arc<DocumentText>,
        mode: DependencyBuildMode,
    ) -> DocumentWatch {
        let (publish, watch) = watch::channel(DocumentSnapshot {
            version,
            ..DocumentSnapshot::default()
        });
        self.rpc.forget(uri);
        self.send(Inbox::Open {
            uri: uri.to_owned(),
            version,
            text,
            mode,
            publish,
        });
        watch
    }

    /// Passes a new text on.
    pub(crate) fn change(&self, uri: &str, version: u64, text: Arc<DocumentText>) {
        self.send(Inbox::Change {
            uri: uri.to_owned(),
            version,
            text,
        });
    }

    /// Tells Lean that the document is on disk.
    pub(crate) fn save(&self, uri: &str) {
        self.send(Inbox::Save {
            uri: uri.to_owned(),
        });
    }

    /// Closes a document.
    pub(crate) fn close(&self, uri: &str) {
        self.rpc.forget(uri);
        self.send(Inbox::Close {
            uri: uri.to_owned(),
        });
    }

    /// Tells Lean something that it does not answer.
    pub(crate) fn tell<P: Serialize>(&self, method: &'static str, params: &P) {
        match serde_json::value::to_raw_value(params) {
            Ok(params) => self.send(Inbox::Notify { method, params }),
            Err(error) => tracing::error!(%error, method, "a message to Lean has no JSON form"),
        }
    }

    /// Asks Lean something about a document, as it is when this request is taken in.
    ///
    /// Dropping the future cancels the request.
    ///
    /// # Errors
    /// See [`SessionError`]. An answer that an edit overtook is [`SessionError::Overtaken`].
    pub(crate) async fn request<P: Serialize, R: DeserializeOwned>(
        &self,
        uri: &str,
        method: &'static str,
        params: &P,
    ) -> Result<R, SessionError> {
        self.request_about(Some(uri), method, params).await
    }

    /// As [`SessionHandle::request`], about a document or about none.
    ///
    /// # Errors
    /// See [`SessionError`].
    pub(crate) async fn request_about<P: Serialize, R: DeserializeOwned>(
        &self,
        uri: Option<&str>,
        method: &'static str,
        params: &P,
    ) -> Result<R, SessionError> {
        let params = serde_json::value::to_raw_value(params)
            .map_err(|error| SessionError::Invalid(format!("{method}: {error}")))?;
        let answer = self.request_raw(uri, method, params).await?;
        serde_json::from_str(answer.get()).map_err(|error| {
            SessionError::Invalid(format!(
                "Lean's answer to {method} is not understood: {error}"
            ))
        })
    }

    /// Waits until Lean has published every diagnostic of `version`.
    ///
    /// # Errors
    /// See [`SessionError`].
    pub(crate) async fn wait_for_diagnostics(
        &self,
        uri: &str,
        version: u64,
    ) -> Result<(), SessionError> {
        let params = WaitForDiagnostics { uri, version };
        self.request::<_, serde::de::IgnoredAny>(uri, method::WAIT_FOR_DIAGNOSTICS, &params)
            .await
            .map(|_| ())
    }

    async fn request_raw(
        &self,
        uri: Option<&str>,
        method: &'static str,
        params: Box<RawValue>,
    ) -> Reply {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (reply, answer) = oneshot::channel();
        self.send(Inbox::Request {
            id,
            uri: uri.map(str::to_owned),
            method,
            params,
            reply,
        });
        let mut guard = CancelGuard {
            session: self,
            id,
            armed: true,
        };
        let answer = answer.await;
        guard.armed = false;
        answer.unwrap_or_else(|_| Err(self.ended()))
    }

    /// When it was last looked for changes of the index on disk, at first when the session was started. From now
    /// on that is `now`.
    pub(crate) fn index_seen(&self, now: SystemTime) -> SystemTime {
        let mut seen = self
            .index_seen
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *seen, now)
    }

    /// What is known of the session now.
    pub(crate) fn state(&self) -> SessionState {
        self.state.borrow().clone()
    }

    /// The server's last lines on standard error.
    pub(crate) fn stderr_tail(&self) -> Vec<String> {
        self.stderr.tail()
    }

    /// Waits until the server has answered `initialize`, or is over.
    pub(crate) async fn ready_or_over(&self) {
        let mut state = self.state.clone();
        let settled = state.wait_for(|state| state.server.is_some() || state.end.is_some());
        // A closed channel is an end, too.
        settled.await.ok();
    }

    /// Waits for the end and tells what it was.
    pub(crate) async fn over(&self) -> Arc<SessionEnd> {
        let mut state = self.state.clone();
        let end = state
            .wait_for(|state| state.end.is_some())
            .await
            .ok()
            .and_then(|state| state.end.clone());
        end.unwrap_or_else(unexplained)
    }

    /// Asks the server to stop and waits until all of its processes are gone.
    pub(crate) async fn stop(&self) {
        self.send(Inbox::Stop);
        self.over().await;
    }

    fn ended(&self) -> SessionError {
        SessionError::of_end(self.state.borrow().end.clone().unwrap_or_else(unexplained))
    }

    fn send(&self, message: Inbox) {
        // Without a receiver the session is over; whoever waits for a reply sees its channel closed.
        self.inbox.send(message).ok();
    }
}

fn unexplained() -> Arc<SessionEnd> {
    Arc::new(SessionEnd {
        phase: super::SessionPhase::Stopping,
        reason: "the Lean server was stopped".to_owned(),
        exit: None,
        stderr: Vec::new(),
        command: Vec::new(),
        option_refused: false,
    })
}

/// Tells the session when the future that waits for a reply is dropped.
struct CancelGuard<'a> {
    session: &'a SessionHandle,
    id: RequestId,
    armed: bool,
}

impl Drop for CancelGuard<'_> {
    fn drop(&mut self) {
        if self.armed {
            self.session.send(Inbox::Cancel { id: self.id });
        }
    }
}
