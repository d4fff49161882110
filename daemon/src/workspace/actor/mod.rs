//! The actor of a workspace: the only owner of its mirror and of its server.

mod documents;
mod server;

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use futures_util::future::join_all;
use tokio::sync::mpsc;

use super::{
    Dropped, Freshness, Project, WorkspaceContext,
    config_watch::ConfigWatch,
    handle::WorkspaceHandle,
    inbox::{EnsureReply, Inbox},
    lean_command::Purpose,
    mirror::Mirror,
    restart::CrashHistory,
    servers::Servers,
};
use crate::{
    config::ProbeConfig,
    imports::ImportGraph,
    probe::{DeskLimits, EndReason, Probes},
    save::Builds,
    session::{MemoryKills, SessionEnd, SessionHandle},
};

/// How often an idle workspace is looked at, at most.
const IDLE_TICK: Duration = Duration::from_secs(30);

impl WorkspaceHandle {
    /// Makes the workspace of `project`. Its server starts when it is needed.
    pub(crate) fn start(project: Project, context: &WorkspaceContext) -> Self {
        let (inbox, inbox_rx) = mpsc::unbounded_channel();
        let root = project.root.clone();
        let project = Arc::new(project);
        let servers = Servers::new(Arc::clone(&project), context.clone());
        let probe_servers = servers.clone();
        let probes = Probes::start(
            Arc::new(move || probe_servers.start(Purpose::Probes, Duration::ZERO)),
            desk_limits(&context.config.probe),
            &context.tasks,
            nonce(),
        );
        let handle = Self {
            project,
            inbox: inbox.clone(),
            in_use: Arc::new(AtomicUsize::new(0)),
            graph: Arc::default(),
            kills: Arc::default(),
            config: Arc::new(ConfigWatch::new(root)),
            builds: Arc::new(Builds::new(context.tasks.clone())),
            servers: servers.clone(),
            probes: Arc::new(probes),
        };
        let actor = Actor {
            project: Arc::clone(&handle.project),
            in_use: Arc::clone(&handle.in_use),
            probes: Arc::clone(&handle.probes),
            servers,
            last_use: Instant::now(),
            mirror: Mirror::default(),
            reads: HashMap::new(),
            graph: Arc::clone(&handle.graph),
            config: Arc::clone(&handle.config),
            kills: Arc::clone(&handle.kills),
            server: None,
            leaving: None,
            generation: 0,
            history: CrashHistory::default(),
            last_end: None,
            used: false,
            counters: Counters::default(),
            inbox,
            context: context.clone(),
        };
        context.tasks.spawn(actor.run(inbox_rx));
        handle
    }
}

pub(super) struct Actor {
    pub(super) project: Arc<Project>,
    context: WorkspaceContext,
    inbox: mpsc::UnboundedSender<Inbox>,
    pub(super) in_use: Arc<AtomicUsize>,
    pub(super) last_use: Instant,
    pub(super) mirror: Mirror,
    /// Reads under way, by URI.
    reads: HashMap<String, ReadQueue>,
    /// What sources of the project import.
    graph: Arc<ImportGraph>,
    /// How the project is set up.
    config: Arc<ConfigWatch>,
    /// Workers that were stopped for their memory.
    pub(super) kills: Arc<MemoryKills>,
    pub(super) servers: Servers,
    pub(super) server: Option<SessionHandle>,
    /// The server that was unloaded last, until it is gone.
    pub(super) leaving: Option<SessionHandle>,
    probes: Arc<Probes>,
    /// Number of the current server, so that news of an earlier one is told apart.
    generation: u64,
    pub(super) history: CrashHistory,
    pub(super) last_end: Option<Arc<SessionEnd>>,
    /// False until the first use and after a drop: then the workspace is not listed.
    used: bool,
    pub(super) counters: Counters,
}

/// Who waits for a read of one file. Only a read that starts after a request came may answer it.
#[derive(Debug, Default)]
struct ReadQueue {
    current: Vec<(Freshness, EnsureReply)>,
    next: Vec<(Freshness, EnsureReply)>,
}

#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) servers_started: u64,
    pub(super) server_crashes: u64,
    pub(super) documents_evicted: u64,
    pub(super) workers_recycled: u64,
    pub(super) unloads: u64,
}

impl Actor {
    async fn run(mut self, mut inbox: mpsc::UnboundedReceiver<Inbox>) {
        let span = tracing::info_span!("workspace", root = %self.project.root.display());
        let config = &self.context.config;
        let shortest = config.workspace_idle().min(config.document_idle());
        let period = (shortest / 4).clamp(Duration::from_millis(50), IDLE_TICK);
        let mut ticks = tokio::time::interval(period);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            let message = tokio::select! {
                message = inbox.recv() => message,
                _ = ticks.tick(), if self.server.is_some() => Some(Inbox::IdleTick),
            };
            let Some(message) = message else { return };
            if let Inbox::Drop { reply } = message {
                reply.send(self.forget().await).ok();
                continue;
            }
            let _entered = span.enter();
            self.handle(message);
        }
    }

    fn handle(&mut self, message: Inbox) {
        match message {
            Inbox::Ensure {
                document,
                freshness,
                reply,
            } => self.ensure(document, freshness, reply),
            Inbox::ReadDone { document, read } => self.read_done(&document, &read),
            Inbox::Lookup {
                document,
                version,
                reply,
            } => {
                self.touch();
                answer(reply, self.lookup(&document, version));
            }
            Inbox::Server { reply } => {
                self.touch();
                answer(reply, self.ensure_server());
            }
            Inbox::Text { document, reply } => {
                self.touch();
                answer(reply, self.mirror.text(&document));
            }
            Inbox::Close { document, reply } => answer(reply, self.close(&document)),
            Inbox::OpenFiles { reply } => answer(reply, self.open_files()),
            Inbox::Status { reply } => answer(reply, self.used.then(|| self.status())),
            Inbox::Stats { reply } => answer(reply, self.used.then(|| self.stats())),
            Inbox::ResetStats => {
                self.counters.reset();
                self.servers.counters.reset();
            }
            Inbox::ServerPids { reply } => answer(reply, self.server_pids()),
            Inbox::LastUse { reply } => answer(
                reply,
                (self.in_use.load(Ordering::Relaxed) == 0).then_some(self.last_use.into()),
            ),
            Inbox::Spare { reply } => answer(reply, self.spare()),
            Inbox::Evict { uri, why, reply } => answer(reply, self.evict(&uri, why)),
            Inbox::Unload => self.unload(),
            Inbox::SessionOver { generation } => self.session_over(generation),
            Inbox::IdleTick => self.unload_if_idle(),
            Inbox::Drop { .. } => {} // Handled by `run`: the only message that is waited for.
        }
    }

    fn touch(&mut self) {
        self.used = true;
        self.last_use = Instant::now();
    }

    async fn forget(&mut self) -> Dropped {
        let had_anything = self.used;
        self.generation += 1;
        let invalidated_handles = self.probes.handles.end_all(EndReason::Dropped);
        let servers: Vec<_> = self.servers_left().collect();
        let (servers, probes) = (
            join_all(servers.iter().map(SessionHandle::stop)),
            Arc::clone(&self.probes),
        );
        tokio::join!(servers, probes.stop());
        (self.server, self.leaving) = (None, None);
        self.mirror.clear();
        self.history.clear();
        self.servers.support.forget();
        self.config.forget();
        self.last_end = None;
        self.used = false;
        Dropped {
            had_anything,
            invalidated_handles,
        }
    }
}

impl Counters {
    fn reset(&mut self) {
        *self = Self::default();
    }
}

/// At least one lane, whatever is configured.
fn desk_limits(config: &ProbeConfig) -> DeskLimits {
    DeskLimits {
        lanes_per_document: config.lanes_per_document.max(1),
        lanes: config.lanes.max(1),
        lane_idle: config.lane_idle(),
    }
}

/// Distinguishes the handles of this workspace from those of others and of earlier daemons.
fn nonce() -> String {
    let mut bytes = [0; 8];
    // Without randomness the clock is good enough: handles are no secrets.
    if getrandom::fill(&mut bytes).is_err() {
        let now = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap_or_default();
        bytes = u64::try_from(now.as_nanos() & u128::from(u64::MAX))
            .unwrap_or_default()
            .to_le_bytes();
    }
    format!("{:016x}", u64::from_le_bytes(bytes))
}

fn answer<T>(reply: tokio::sync::oneshot::Sender<T>, value: T) {
    // Whoever asked may have left.
    drop(reply.send(value));
}
