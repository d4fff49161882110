//! From the start of the process to its end.

use std::{
    collections::BTreeMap,
    fs, io,
    os::fd::AsFd as _,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use lean_beam_proto::{
    BUILD, BeamError, BeamResult, ErrorCode, Identity, PROTOCOL, VERSION,
    frame::encode_line,
    incidents,
    lock::{LifeNote, LockFile, TryLock},
    paths::{self, RuntimeDir},
    ready::ReadyLine,
};
use nix::sys::signal::Signal;
use tokio_util::task::TaskTracker;

use crate::{
    config::Config,
    control::{Broker, OperationCounters, ProgramFile, RequestTable, Services, Shutdown, warden},
    incident, logging,
    process::{close_standard_streams, guardian},
    server, signals,
    workspace::WorkspaceContext,
};

/// How long open requests get to end on their own when the daemon stops.
const DRAIN_LIMIT: Duration = Duration::from_secs(2);
/// How long connections get to take their last answer.
const GOODBYE_LIMIT: Duration = Duration::from_millis(500);
/// How often an idle daemon looks whether it may leave.
const IDLE_TICK: Duration = Duration::from_secs(30);

/// How long a daemon with a lent socket waits for its predecessor, which notices within two seconds and then needs
/// some to end Lean.
const PREDECESSOR_LIMIT: Duration = Duration::from_secs(20);
/// How often it looks.
const PREDECESSOR_PAUSE: Duration = Duration::from_millis(20);

/// Variables that decide which Lean is used and how; shown by `status`.
const SHOWN_VARIABLES: [&str; 9] = [
    "HOME",
    "PATH",
    "ELAN_HOME",
    "ELAN_TOOLCHAIN",
    "LEAN_BEAM_LEAN",
    "LEAN_BEAM_LAKE",
    "LEAN_SYSROOT",
    "LEAN_PATH",
    "LAKE_HOME",
];

/// Where the socket comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Socket {
    /// The daemon makes it.
    Own,
    /// A service manager made it, and it is our standard input.
    Lent,
}

/// Runs the daemon. Says on standard output, in one line, whether it is ready.
pub(crate) fn run(socket: Socket) -> ExitCode {
    match start(socket) {
        Ok(Some(daemon)) => daemon.run(),
        Ok(None) => {
            report(&ReadyLine::AlreadyRunning);
            ExitCode::SUCCESS
        }
        Err(error) => {
            report(&ReadyLine::Failed(error));
            ExitCode::FAILURE
        }
    }
}

/// Everything that can fail, before anything runs.
struct Daemon {
    runtime_dir: RuntimeDir,
    life_lock: LockFile,
    config: Arc<Config>,
    state_dir: PathBuf,
    socket: Socket,
}

/// `None` when another daemon lives.
fn start(socket: Socket) -> BeamResult<Option<Daemon>> {
    let config = Config::load()?;
    let runtime_dir = RuntimeDir::locate()?;
    runtime_dir.ensure()?;
    let state_dir = paths::state_dir()?;
    let lock = take_life_lock(&runtime_dir.life_lock(), socket)
        .map_err(|error| unusable("the life lock", &error))?;
    let TryLock::Acquired(mut life_lock) = lock else {
        return Ok(None);
    };
    // Nobody lives, so who listens is a service manager. Whoever started us will find its daemon.
    if socket == Socket::Own && server::is_answered(&runtime_dir.socket()) {
        return Ok(None);
    }
    let note = LifeNote {
        pid: std::process::id(),
        protocol: PROTOCOL,
        version: VERSION.to_owned(),
    };
    life_lock
        .write_note(&note)
        .map_err(|error| unusable("the life lock", &error))?;
    Ok(Some(Daemon {
        runtime_dir,
        life_lock,
        config: Arc::new(config),
        state_dir,
        socket,
    }))
}

impl Daemon {
    fn run(self) -> ExitCode {
        let _guard = match logging::init(&paths::log_file(&self.state_dir), &self.config.log) {
            Ok(guard) => Some(guard),
            Err(error) => {
                // A daemon without a log is better than none; `status` still names the file.
                eprintln_once(&format!("lean-beam-daemon: no log: {error}"));
                None
            }
        };
        incident::keep_records(incidents::directory(&self.state_dir));
        match tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
        {
            // The current thread is the main thread, which outlives every child: their death signal follows it.
            Ok(runtime) => runtime.block_on(self.serve()),
            Err(error) => {
                report(&ReadyLine::Failed(BeamError::internal(format!(
                    "no runtime: {error}"
                ))));
                ExitCode::FAILURE
            }
        }
    }

    async fn serve(self) -> ExitCode {
        let (services, listener) = match self.prepare() {
            Ok(prepared) => prepared,
            Err(error) => {
                report(&ReadyLine::Failed(error));
                return ExitCode::FAILURE;
            }
        };
        tracing::info!(version = VERSION, build = BUILD, pid = std::process::id(), socket = %services.socket.display(), "ready");
        report(&ReadyLine::Ready(services.identity.clone()));
        if let Err(error) = close_standard_streams() {
            tracing::warn!(%error, "standard streams stay open");
        }
        let connections = TaskTracker::new();
        tokio::select! {
            () = server::run(listener, Arc::clone(&services), &connections) => {}
            () = watch_idle(&services) => {}
            () = warden::watch(Arc::clone(&services)) => {}
        }
        self.stop(&services, &connections).await;
        ExitCode::SUCCESS
    }

    /// Makes the socket and what all requests share. Signals are watched from here on.
    fn prepare(&self) -> BeamResult<(Arc<Services>, server::Bound)> {
        guardian::become_subreaper().map_err(|error| unusable("the process tree", &error))?;
        let shutdown = Shutdown::default();
        signals::watch(&shutdown).map_err(|error| unusable("signals", &error))?;
        // We hold the life lock, so nobody listens on any of them but the one who lent us ours.
        let socket = self.runtime_dir.socket();
        for (_, stale) in self.runtime_dir.sockets() {
            if self.socket == Socket::Own || stale != socket {
                fs::remove_file(stale).ok();
            }
        }
        let listener = self
            .listen(&socket)
            .map_err(|error| unusable(&format!("the socket {}", socket.display()), &error))?;
        let now_ms = unix_ms();
        let context = WorkspaceContext {
            config: Arc::clone(&self.config),
            tasks: TaskTracker::new(),
            hurry: shutdown.hurry().clone(),
        };
        let services = Services {
            identity: Identity::of_this_process(now_ms),
            started: Instant::now(),
            program: ProgramFile::of_this_process(),
            socket,
            log_file: paths::log_file(&self.state_dir),
            environment: shown_environment(),
            broker: Broker::new(context),
            requests: RequestTable::new(self.config.limits.requests),
            counters: OperationCounters::new(now_ms),
            config: Arc::clone(&self.config),
            shutdown,
        };
        Ok((Arc::new(services), listener))
    }

    fn listen(&self, path: &Path) -> io::Result<server::Bound> {
        match self.socket {
            Socket::Own => server::bind(path),
            Socket::Lent => server::adopt(io::stdin().as_fd().try_clone_to_owned()?, path),
        }
    }

    /// Ends everything, within limits. The life lock goes last.
    async fn stop(self, services: &Services, connections: &TaskTracker) {
        tracing::info!(
            cause = services.shutdown.cause(),
            requests = services.requests.len(),
            "stopping"
        );
        let hurry = services.shutdown.hurry();
        tokio::select! {
            () = services.requests.drained() => {}
            () = tokio::time::sleep(DRAIN_LIMIT) => {}
            () = hurry.cancelled() => {}
        }
        services.requests.cancel_all();
        services.broker.stop_all().await;
        connections.close();
        tokio::time::timeout(GOODBYE_LIMIT, connections.wait())
            .await
            .ok();
        tracing::info!("stopped");
        drop(self.life_lock);
    }
}

/// Who has a lent socket also has the clients that wait at it, so a daemon that is on its way out is waited for.
fn take_life_lock(path: &Path, socket: Socket) -> io::Result<TryLock> {
    let end = Instant::now() + PREDECESSOR_LIMIT;
    loop {
        match LockFile::try_acquire(path)? {
            TryLock::Held if socket == Socket::Lent && Instant::now() < end => {
                std::thread::sleep(PREDECESSOR_PAUSE);
            }
            outcome => return Ok(outcome),
        }
    }
}

/// Begins the shutdown when nobody has used the daemon for long, or for a while since its program was replaced.
async fn watch_idle(services: &Services) {
    let limit = services.config.daemon_idle();
    let limit_when_replaced = services.config.replaced_idle();
    let tick = limit.min(limit_when_replaced) / 4;
    let mut ticks = tokio::time::interval(tick.clamp(Duration::from_millis(50), IDLE_TICK));
    let mut last_use = Instant::now();
    let mut seen = services.requests.uses();
    loop {
        ticks.tick().await;
        let uses = services.requests.uses();
        if services.requests.working() > 0 || uses != seen {
            seen = uses;
            last_use = Instant::now();
        }
        let idle = last_use.elapsed();
        let is_replaced =
            idle >= limit_when_replaced && services.program.is_current() == Some(false);
        if idle >= limit || is_replaced {
            let cause = if is_replaced {
                "its program was replaced, and nobody used it"
            } else {
                "nobody used it"
            };
            services.shutdown.request_once(cause);
            // The listener ends the wait for both.
            return std::future::pending().await;
        }
    }
}

fn shown_environment() -> BTreeMap<String, String> {
    SHOWN_VARIABLES
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)))
        .collect()
}

fn unusable(what: &str, error: &io::Error) -> BeamError {
    BeamError::new(
        ErrorCode::DaemonUnavailable,
        format!("{what} cannot be used: {error}"),
    )
    .with_hint(format!(
        "Check the directory, or set {} to one that can be used.",
        paths::RUNTIME_DIR_VARIABLE
    ))
}

/// Tells whoever started us.
fn report(line: &ReadyLine) {
    use io::Write as _;
    if let Ok(line) = encode_line(line, usize::MAX) {
        let mut output = io::stdout().lock();
        // A starter that left does not matter.
        output.write_all(&line).and_then(|()| output.flush()).ok();
    }
}

#[expect(clippy::print_stderr, reason = "the log is what failed")]
fn eprintln_once(message: &str) {
    eprintln!("{message}");
}

fn unix_ms() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_millis() as u64)
}

/// The daemon goes when its guardian goes.
pub(crate) fn follow_guardian() {
    #[cfg(target_os = "linux")]
    if let Err(error) = nix::sys::prctl::set_pdeathsig(Some(Signal::SIGTERM)) {
        eprintln_once(&format!("lean-beam-daemon: no death signal: {error}"));
    }
    #[cfg(not(target_os = "linux"))]
    let _ = Signal::SIGTERM;
}
