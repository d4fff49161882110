//! Starts a server: its process, its pipes and the actor that owns them.

use std::{
    collections::{HashMap, VecDeque},
    ffi::OsString,
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};

use tokio::sync::{mpsc, watch};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    SessionCounters, SessionEnd, SessionPhase,
    actor::Actor,
    handle::{IndexSeen, SessionHandle, SessionState},
    inbox::Inbox,
    io,
    pending::PendingTable,
    rpc::RpcSessions,
};
use crate::{
    incident,
    lsp::RequestId,
    process::{ChildSpec, Pipes, ProcessHandle, StderrRing, spawn},
};

/// How long a server may take to answer `initialize`. Lake may have to elaborate a lakefile first.
pub(super) const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(120);
/// Id of the `initialize` request; those of callers start after it.
pub(super) const INITIALIZE_ID: RequestId = 0;

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

/// The command line of a child, for people.
pub(crate) fn command_line(child: &ChildSpec) -> Vec<String> {
    std::iter::once(child.program.as_os_str().to_owned())
        .chain(child.args.iter().cloned())
        .map(|part: OsString| part.to_string_lossy().into_owned())
        .collect()
}
