//! The actor: the only owner of a server's pending requests and open documents.

use std::{
    collections::{HashMap, VecDeque},
    ffi::OsString,
    process::ExitStatus,
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};

use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::{mpsc, watch};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    SessionCounters, SessionEnd, SessionError, SessionPhase,
    document::OpenDocument,
    handle::{IndexSeen, SessionHandle, SessionState},
    inbox::Inbox,
    io,
    pending::PendingTable,
    rpc::RpcSessions,
};
use crate::{
    incident,
    lsp::{
        DependencyBuildMode, DidChange, DidClose, DidOpen, DidSave, FileProgress, Incoming,
        InitializeResult, PublishDiagnostics, RequestId, ResponseError, encode_notification,
        encode_request, encode_response, initialize_params, method,
    },
    process::{ChildSpec, Pipes, ProcessHandle, StderrRing, spawn},
    text::{DocumentText, minimal_edit},
};

/// How long a server may take to answer `initialize`. Lake may have to elaborate a lakefile first.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(120);
/// How long requests about a document that Lean gave up may stay unanswered.
const FATAL_GRACE: Duration = Duration::from_secs(1);
/// Id of the `initialize` request; those of callers start after it.
const INITIALIZE_ID: RequestId = 0;
/// Id of the `shutdown` request, which nothing waits for.
const SHUTDOWN_ID: RequestId = RequestId::MAX >> 12;

/// What a session is started with.
#[derive(Debug, Clone)]
pub(crate) struct SessionSpec {
    /// The process.
    pub(crate) child: ChildSpec,
    /// URI of the workspace root.
    pub(crate) root_uri: String,
    /// How long to wait before starting, after a crash.
    pub(crate) delay: Duration,
    /// Where the work is counted.
    pub(crate) counters: Arc<SessionCounters>,
    /// What it means when one of its workers dies.
    pub(crate) worker: incident::Kind,
}

/// Starts a session. Returns at once: messages wait for the server to be ready, and fail if it never is.
/// Once `hurry` is cancelled a stop skips to SIGKILL.
pub(crate) fn start(
    spec: SessionSpec,
    tasks: &TaskTracker,
    hurry: CancellationToken,
) -> SessionHandle {
    let (inbox, inbox_rx) = mpsc::unbounded_channel();
    let (state, state_rx) = watch::channel(SessionState::default());
    let stderr = StderrRing::default();
    let handle = SessionHandle {
        inbox: inbox.clone(),
        state: state_rx,
        next_id: Arc::new(AtomicU64::new(INITIALIZE_ID + 1)),
        rpc: RpcSessions::default(),
        index_seen: IndexSeen::default(),
        stderr: stderr.clone(),
    };
    let launch = Launch {
        spec,
        tasks: tasks.clone(),
        inbox,
        inbox_rx,
        state,
        stderr,
        hurry,
    };
    tasks.spawn(launch.run());
    handle
}

/// A session before its process exists.
struct Launch {
    spec: SessionSpec,
    tasks: TaskTracker,
    inbox: mpsc::UnboundedSender<Inbox>,
    inbox_rx: mpsc::UnboundedReceiver<Inbox>,
    state: watch::Sender<SessionState>,
    stderr: StderrRing,
    hurry: CancellationToken,
}

impl Launch {
    async fn run(mut self) {
        // Messages that come in the meantime keep their order in `early`.
        let mut early = VecDeque::new();
        let delay = tokio::time::sleep(self.spec.delay);
        tokio::pin!(delay);
        loop {
            tokio::select! {
                biased;
                () = &mut delay => break,
                message = self.inbox_rx.recv() => match message {
                    Some(Inbox::Stop) | None => return self.finish_unstarted(SessionPhase::Stopping, "the Lean server was stopped before it started".to_owned()),
                    Some(message) => early.push_back(message),
                },
            }
        }
        match spawn(&self.spec.child, &self.tasks) {
            Ok((process, pipes)) => self.attach(process, pipes).run(early).await,
            Err(error) => {
                let reason = format!(
                    "cannot start {}: {error}",
                    self.spec.child.program.display()
                );
                self.finish_unstarted(SessionPhase::Starting, reason);
            }
        }
    }

    fn finish_unstarted(self, phase: SessionPhase, reason: String) {
        let end = SessionEnd {
            phase,
            reason,
            exit: None,
            stderr: Vec::new(),
            command: command_line(&self.spec.child),
            option_refused: false,
        };
        self.state
            .send_modify(|state| state.end = Some(Arc::new(end)));
    }

    fn attach(self, process: ProcessHandle, pipes: Pipes) -> Actor {
        let pid = process.pid();
        let (frames, frames_rx) = mpsc::unbounded_channel();
        self.tasks.spawn(io::write(pipes.stdin, frames_rx));
        let output = self.tasks.spawn(io::read(pipes.stdout, self.inbox.clone()));
        let errors = self
            .tasks
            .spawn(self.stderr.clone().read_all(pipes.stderr, pid));
        let (exit_process, exit_inbox) = (process.clone(), self.inbox.clone());
        self.tasks.spawn(async move {
            let status = exit_process.exited().await;
            // Everything that it wrote comes before the news of its end.
            let drained = async { (output.await.ok(), errors.await.ok()) };
            tokio::time::timeout(Duration::from_secs(1), drained)
                .await
                .ok();
            exit_inbox.send(Inbox::Exited(status)).ok();
        });
        let overdue_inbox = self.inbox.clone();
        let mut started = self.state.subscribe();
        self.tasks.spawn(async move {
            let ready = started.wait_for(|state| state.server.is_some() || state.end.is_some());
            if tokio::time::timeout(HANDSHAKE_TIMEOUT, ready)
                .await
                .is_err()
            {
                overdue_inbox.send(Inbox::HandshakeOverdue).ok();
            }
        });
        self.state.send_modify(|state| state.pid = Some(pid));
        Actor {
            spec: self.spec,
            tasks: self.tasks,
            inbox: self.inbox,
            inbox_rx: self.inbox_rx,
            state: self.state,
            stderr: self.stderr,
            hurry: self.hurry,
            process,
            frames: Some(frames),
            pending: PendingTable::default(),
            documents: HashMap::new(),
            phase: SessionPhase::Starting,
            failure: None,
            option_refused: false,
            output_ended: false,
        }
    }
}

struct Actor {
    spec: SessionSpec,
    tasks: TaskTracker,
    inbox: mpsc::UnboundedSender<Inbox>,
    inbox_rx: mpsc::UnboundedReceiver<Inbox>,
    state: watch::Sender<SessionState>,
    stderr: StderrRing,
    hurry: CancellationToken,
    process: ProcessHandle,
    /// `None` once Lean's input is closed.
    frames: Option<mpsc::UnboundedSender<Vec<u8>>>,
    pending: PendingTable,
    documents: HashMap<String, OpenDocument>,
    phase: SessionPhase,
    /// Why we gave the server up before it exited.
    failure: Option<String>,
    /// Its output is at its end.
    output_ended: bool,
    /// That reason was an option on its command line.
    option_refused: bool,
}

impl Actor {
    async fn run(mut self, early: VecDeque<Inbox>) {
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
                self.pending.insert(id, uri, reply);
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

    // Documents.

    fn open(
        &mut self,
        uri: String,
        version: u64,
        text: Arc<DocumentText>,
        mode: DependencyBuildMode,
        publish: watch::Sender<super::DocumentSnapshot>,
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

    // Messages of Lean.

    fn handle_lean(&mut self, message: Incoming, waiting: &mut VecDeque<Inbox>) {
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

    fn handle_response(&mut self, id: RequestId, result: Result<Box<RawValue>, ResponseError>) {
        let document = self
            .pending
            .uri_of(id)
            .and_then(|uri| self.documents.get(uri));
        let reply = match result {
            Ok(value) => {
                if let Some(document) = document {
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

    fn handle_notification(&mut self, method: &str, params: Option<&RawValue>) {
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
    fn check_later(&self, uri: String, version: u64) {
        let inbox = self.inbox.clone();
        self.tasks.spawn(async move {
            tokio::time::sleep(FATAL_GRACE).await;
            inbox.send(Inbox::FatalCheck { uri, version }).ok();
        });
    }

    fn fatal_check(&mut self, uri: &str, version: u64) {
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

    fn record_worker_crash(&self, message: &str) {
        SessionCounters::add(&self.spec.counters.worker_crashes);
        let root = &self.spec.child.directory;
        incident::record(self.spec.worker, Some(root), message);
    }

    // Life.

    fn initialize(&mut self) {
        let params = initialize_params(&self.spec.root_uri, std::process::id());
        self.send(encode_request(INITIALIZE_ID, method::INITIALIZE, &params));
    }

    fn initialized(
        &mut self,
        result: Result<Box<RawValue>, ResponseError>,
        waiting: &mut VecDeque<Inbox>,
    ) {
        let parsed = result.map_err(|error| error.message).and_then(|value| {
            serde_json::from_str::<InitializeResult>(value.get()).map_err(|error| error.to_string())
        });
        let result = match parsed {
            Ok(result) => result,
            Err(reason) => {
                return self.abandon(format!("the Lean server refused `initialize`: {reason}"));
            }
        };
        self.notify(method::INITIALIZED, &serde_json::json!({}));
        self.phase = SessionPhase::Running;
        let server = result
            .server()
            .unwrap_or_else(|| "unnamed server".to_owned());
        tracing::info!(server, pid = self.process.pid(), "the Lean server is ready");
        let sorry_type = result.sorry_type();
        self.state.send_modify(|state| {
            state.server = Some(server);
            state.sorry_type = sorry_type;
        });
        for message in waiting.drain(..) {
            self.handle_command(message);
        }
    }

    /// Nothing more can come of this process, whether it knows that or not.
    fn end_of_output(&mut self) {
        self.output_ended = true;
        if self.phase != SessionPhase::Stopping {
            let process = self.process.clone();
            self.tasks.spawn(async move { process.kill().await });
        }
    }

    /// Gives a server up that cannot be worked with. Its exit ends the session.
    fn abandon(&mut self, reason: String) {
        if self.failure.is_none() {
            tracing::warn!(reason, pid = self.process.pid(), "giving a Lean server up");
            self.failure = Some(reason);
        }
        self.frames = None;
        let process = self.process.clone();
        self.tasks.spawn(async move { process.kill().await });
    }

    fn stop(&mut self) {
        if self.phase == SessionPhase::Running {
            self.request(SHUTDOWN_ID, method::SHUTDOWN, RawValue::NULL);
            self.send(encode_notification(method::EXIT, &()));
        }
        self.phase = SessionPhase::Stopping;
        // Closing its input is the last way of asking.
        self.frames = None;
        let (process, hurry) = (self.process.clone(), self.hurry.clone());
        self.tasks
            .spawn(async move { process.finish(&hurry).await });
    }

    fn finish(mut self, status: Option<ExitStatus>, waiting: VecDeque<Inbox>) {
        let exit = status.map(|status| status.to_string());
        let reason = self.failure.take().unwrap_or_else(|| match self.phase {
            SessionPhase::Stopping => "the Lean server was stopped".to_owned(),
            SessionPhase::Starting => format!(
                "the Lean server ended while starting ({})",
                exit.as_deref().unwrap_or("unknown exit")
            ),
            SessionPhase::Running => format!(
                "the Lean server died ({})",
                exit.as_deref().unwrap_or("unknown exit")
            ),
        });
        let end = Arc::new(SessionEnd {
            phase: self.phase,
            reason,
            exit,
            stderr: self.stderr.tail(),
            command: command_line(&self.spec.child),
            option_refused: self.option_refused,
        });
        if end.phase != SessionPhase::Stopping && !end.option_refused {
            let root = &self.spec.child.directory;
            incident::record(incident::Kind::Server, Some(root), &end.reason);
        }
        tracing::info!(
            reason = end.reason,
            pending = self.pending.len(),
            "a Lean server is gone"
        );
        self.state
            .send_modify(|state| state.end = Some(Arc::clone(&end)));
        let was_running = self.output_ended && self.phase == SessionPhase::Running;
        for message in waiting {
            if let Inbox::Request { reply, .. } = message {
                let error = if was_running {
                    SessionError::Overtaken
                } else {
                    SessionError::of_end(Arc::clone(&end))
                };
                reply.send(Err(error)).ok();
            }
        }
        self.pending.fail_all(&SessionError::of_end(end));
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

/// The command line of a child, for people.
pub(crate) fn command_line(child: &ChildSpec) -> Vec<String> {
    std::iter::once(child.program.as_os_str().to_owned())
        .chain(child.args.iter().cloned())
        .map(|part: OsString| part.to_string_lossy().into_owned())
        .collect()
}
