//! The actor of a workspace: the only owner of its mirror and of its server.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use lean_beam_proto::{BeamError, BeamResult, ErrorCode, op::CloseResult};
use serde_json::json;
use tokio::sync::mpsc;

use super::{
    DocumentPath, Dropped, Ensured, Freshness, Project, WorkspaceContext,
    config_watch::ConfigWatch,
    disk::{self, DiskRead},
    handle::{DocumentAt, WorkspaceHandle},
    inbox::{EnsureReply, Inbox},
    lean_command::Purpose,
    memory::MemoryKills,
    mirror::{Change, Document, Mirror},
    restart::{CrashHistory, Verdict},
    servers::Servers,
};
use crate::{
    config::ProbeConfig,
    imports::ImportGraph,
    lsp::DependencyBuildMode,
    probe::{DeskLimits, EndReason, Probes},
    save::Builds,
    session::{SessionEnd, SessionHandle, SessionPhase},
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
    kills: Arc<MemoryKills>,
    pub(super) servers: Servers,
    pub(super) server: Option<SessionHandle>,
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
}

impl Actor {
    async fn run(mut self, mut inbox: mpsc::UnboundedReceiver<Inbox>) {
        let span = tracing::info_span!("workspace", root = %self.project.root.display());
        let period =
            (self.context.config.workspace_idle() / 4).clamp(Duration::from_millis(50), IDLE_TICK);
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
            Inbox::ServerPid { reply } => answer(
                reply,
                self.server.as_ref().and_then(|server| server.state().pid),
            ),
            Inbox::LastUse { reply } => answer(
                reply,
                (self.in_use.load(Ordering::Relaxed) == 0).then_some(self.last_use.into()),
            ),
            Inbox::Shed { reply } => {
                let uri = self
                    .mirror
                    .least_recently_used()
                    .map(|document| document.path.uri.clone());
                answer(reply, uri.is_some_and(|uri| self.evict(&uri)));
            }
            Inbox::Evict { uri, reply } => answer(reply, self.evict(&uri)),
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

    // Documents.

    fn ensure(&mut self, document: DocumentPath, freshness: Freshness, reply: EnsureReply) {
        self.touch();
        match self.reads.get_mut(&document.uri) {
            Some(queue) => queue.next.push((freshness, reply)),
            None => {
                self.reads.insert(
                    document.uri.clone(),
                    ReadQueue {
                        current: vec![(freshness, reply)],
                        next: Vec::new(),
                    },
                );
                self.start_read(document);
            }
        }
    }

    fn start_read(&self, document: DocumentPath) {
        let (inbox, limit) = (self.inbox.clone(), self.context.config.limits.file_bytes);
        let (project, graph) = (Arc::clone(&self.project), Arc::clone(&self.graph));
        self.context.tasks.spawn_blocking(move || {
            let read = disk::read_with_imports(&document, limit, &project, &graph);
            inbox.send(Inbox::ReadDone { document, read }).ok();
        });
    }

    fn read_done(&mut self, document: &DocumentPath, read: &BeamResult<DiskRead>) {
        let Some(mut queue) = self.reads.remove(&document.uri) else {
            return;
        };
        for (freshness, reply) in std::mem::take(&mut queue.current) {
            let outcome = read
                .clone()
                .and_then(|read| self.apply(document, read, freshness));
            answer(reply, outcome);
        }
        if !queue.next.is_empty() {
            queue.current = std::mem::take(&mut queue.next);
            self.reads.insert(document.uri.clone(), queue);
            self.start_read(document.clone());
        }
    }

    /// Brings a text to Lean: an edit where the document is open, alive and has loaded what its imports are
    /// now; a new worker otherwise.
    fn apply(
        &mut self,
        path: &DocumentPath,
        read: DiskRead,
        freshness: Freshness,
    ) -> BeamResult<Ensured> {
        let server = self.ensure_server()?;
        let DiskRead { text, chain } = read;
        if self
            .mirror
            .get_by_uri(&path.uri)
            .is_none_or(|document| document.open.is_none())
        {
            self.make_room();
        }
        let (document, change) = self.mirror.put(path, text);
        // With stale imports there will be no verdict: a new worker would be for nothing.
        let can_load = chain.cycle.is_none() && chain.stale().next().is_none();
        let loads_others =
            freshness != Freshness::Text && can_load && document.loaded != chain.signature;
        if loads_others || needs_new_worker(document, freshness) {
            if change == Change::Same {
                document.raise_version();
            }
            // Only an explicit refresh may make Lake build imports.
            let mode = if freshness == Freshness::Worker {
                DependencyBuildMode::Once
            } else {
                DependencyBuildMode::Never
            };
            let was_open = document.open.is_some();
            self.kills.forget(&path.uri);
            open_in(&server, document, mode);
            document.loaded = chain.signature;
            if was_open {
                // Its imports are loaded anew; so must those of its lanes be.
                self.probes.reopened(&path.uri);
            }
            if change == Change::Edited {
                server.save(&path.uri);
            }
        } else if change == Change::Edited {
            server.change(&path.uri, document.version, Arc::clone(&document.text));
            server.save(&path.uri);
        }
        let document = at(document, &server, &self.kills)?;
        Ok(Ensured {
            document,
            changed: change != Change::Same,
            chain,
        })
    }

    fn lookup(&mut self, path: &DocumentPath, version: u64) -> BeamResult<DocumentAt> {
        let is_open = self.mirror.at_version(path, version)?.open.is_some();
        let server = self.ensure_server()?;
        if !is_open {
            self.make_room();
        }
        let document = self.mirror.at_version(path, version)?;
        let dead = document
            .open
            .as_ref()
            .is_none_or(|watch| watch.borrow().is_presumed_dead());
        if dead {
            document.raise_version();
            self.kills.forget(&path.uri);
            open_in(&server, document, DependencyBuildMode::Never);
            // What it loads now was not looked at: the next verdict does.
            document.loaded = 0;
        }
        at(document, &server, &self.kills)
    }

    fn close(&mut self, path: &DocumentPath) -> CloseResult {
        let was_open = self.mirror.remove(&path.uri).is_some();
        self.probes.closed(&path.uri);
        if let Some(server) = &self.server {
            server.close(&path.uri);
        }
        CloseResult {
            closed: true,
            was_open,
        }
    }

    // The server.

    /// The running server, or a new one.
    fn ensure_server(&mut self) -> BeamResult<SessionHandle> {
        if let Some(server) = &self.server {
            if server.state().end.is_none() {
                return Ok(server.clone());
            }
            // Its end is known, the news of it is still on the way.
            self.session_over(self.generation);
        }
        let delay = match self.history.verdict(Instant::now()) {
            Verdict::StartAfter(delay) => delay,
            Verdict::GivenUp { retry_in, crashes } => return Err(self.given_up(retry_in, crashes)),
        };
        let server = self.servers.start(Purpose::Documents, delay)?;
        self.generation += 1;
        self.counters.servers_started += 1;
        self.follow(server.clone());
        self.server = Some(server.clone());
        Ok(server)
    }

    fn follow(&self, server: SessionHandle) {
        let (inbox, generation) = (self.inbox.clone(), self.generation);
        self.context.tasks.spawn(async move {
            server.over().await;
            inbox.send(Inbox::SessionOver { generation }).ok();
        });
    }

    fn session_over(&mut self, generation: u64) {
        if generation != self.generation {
            return;
        }
        let Some(server) = self.server.take() else {
            return;
        };
        self.mirror.mark_all_closed();
        if let Some(end) = server
            .state()
            .end
            .filter(|end| end.phase != SessionPhase::Stopping)
        {
            if end.option_refused {
                self.servers.support.note_refusal();
                return;
            }
            self.history.record(Instant::now());
            self.counters.server_crashes += 1;
            self.last_end = Some(end);
        }
    }

    fn unload_if_idle(&mut self) {
        if self.last_use.elapsed() >= self.context.config.workspace_idle() {
            return self.unload();
        }
        let limit = self.context.config.document_idle();
        while let Some(uri) = self
            .mirror
            .least_recently_used()
            .filter(|document| document.last_use.elapsed() >= limit)
            .map(|document| document.path.uri.clone())
        {
            self.evict(&uri);
        }
    }

    /// Stops the servers, unless a request is at work. What clients hold stays valid.
    fn unload(&mut self) {
        if self.in_use.load(Ordering::Relaxed) > 0 {
            return;
        }
        if let Some(server) = self.server.take() {
            tracing::info!("unloading an idle workspace");
            self.generation += 1;
            self.mirror.mark_all_closed();
            self.config.forget();
            let probes = Arc::clone(&self.probes);
            self.context.tasks.spawn(async move {
                tokio::join!(server.stop(), probes.stop());
            });
        }
    }

    /// Closes a document in Lean, unless a request works with it. It is opened again when it is needed, and
    /// its version stays valid.
    fn evict(&mut self, uri: &str) -> bool {
        let Some(document) = self
            .mirror
            .get_by_uri(uri)
            .filter(|document| document.open.is_some() && !document.is_in_use())
        else {
            return false;
        };
        document.open = None;
        if let Some(server) = &self.server {
            server.close(uri);
        }
        tracing::debug!(uri, "let a document go");
        true
    }

    /// Makes room for one more open document.
    fn make_room(&mut self) {
        let limit = self.context.config.limits.open_documents.max(1);
        while self.mirror.open_count() >= limit {
            let Some(uri) = self
                .mirror
                .least_recently_used()
                .map(|document| document.path.uri.clone())
            else {
                return;
            };
            self.evict(&uri);
        }
    }

    async fn forget(&mut self) -> Dropped {
        let had_anything = self.used;
        self.generation += 1;
        let invalidated_handles = self.probes.handles.end_all(EndReason::Dropped);
        let (server, probes) = (self.server.take(), Arc::clone(&self.probes));
        let stop_server = async {
            if let Some(server) = server {
                server.stop().await;
            }
        };
        tokio::join!(stop_server, probes.stop());
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

    fn given_up(&self, retry_in: Duration, crashes: usize) -> BeamError {
        let why = self.last_end.as_ref().map_or("", |end| end.reason.as_str());
        let (code, stderr, command) = match &self.last_end {
            Some(end) if end.phase == SessionPhase::Starting => {
                (ErrorCode::RuntimeSetup, &end.stderr[..], &end.command[..])
            }
            Some(end) => (ErrorCode::WorkerCrashed, &end.stderr[..], &end.command[..]),
            None => (ErrorCode::WorkerCrashed, &[][..], &[][..]),
        };
        BeamError::new(code, format!("the Lean server of {} ended {crashes} times within a minute and is left alone: {why}", self.project.root.display()))
            .with_hint(format!("See `lean-beam logs`. It is tried again in {} s, or at once after `lean-beam drop`.", retry_in.as_secs() + 1))
            .with_data(json!({ "crashes": crashes, "retry_in_ms": retry_in.as_millis() as u64, "stderr": stderr, "command": command }))
    }
}

impl Counters {
    fn reset(&mut self) {
        self.servers_started = 0;
        self.server_crashes = 0;
    }
}

/// Whether only a new worker can say what has to be said about the document.
fn needs_new_worker(document: &Document, freshness: Freshness) -> bool {
    let Some(watch) = &document.open else {
        return true;
    };
    let snapshot = watch.borrow();
    match freshness {
        Freshness::Worker | Freshness::Reload => true,
        Freshness::Verdict => snapshot.is_presumed_dead() || snapshot.fatal,
        Freshness::Text => snapshot.is_presumed_dead(),
    }
}

fn open_in(server: &SessionHandle, document: &mut Document, mode: DependencyBuildMode) {
    document.open = Some(server.open(
        &document.path.uri,
        document.version,
        Arc::clone(&document.text),
        mode,
    ));
}

/// The document for a request, which keeps it from being let go.
fn at(
    document: &mut Document,
    server: &SessionHandle,
    kills: &Arc<MemoryKills>,
) -> BeamResult<DocumentAt> {
    document.last_use = Instant::now();
    let watch = document
        .open
        .clone()
        .ok_or_else(|| BeamError::internal("a document was not opened"))?;
    Ok(DocumentAt {
        path: document.path.clone(),
        version: document.version,
        text: Arc::clone(&document.text),
        watch,
        session: server.clone(),
        kills: Arc::clone(kills),
        _lease: Arc::clone(&document.lease),
    })
}

/// At least one lane, whatever is configured.
fn desk_limits(config: &ProbeConfig) -> DeskLimits {
    DeskLimits {
        lanes_per_document: config.lanes_per_document.max(1),
        lanes: config.lanes.max(1),
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
