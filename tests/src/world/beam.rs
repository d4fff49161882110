//! A private world, and what a test can do and see in it.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use lean_beam_proto::{
    BeamResult, ClientInfo,
    client::{Connector, Request},
    lock::LockFile,
    op::{Operation, Ping, Shutdown, ShutdownParams, Status},
    paths::{self, RuntimeDir},
    status::DaemonStatus,
    version::Identity,
};
use nix::sys::signal::Signal;
use tempfile::TempDir;

use super::{
    Builder, Lean, Project,
    builder::{record_file, write_scenario},
    cli::Cli,
};
use crate::{
    fake::{Entry, LogEntry, Scenario, read_log},
    must::Must,
    process::{self, Process},
    wait::{HANG, eventually, eventually_blocking, eventually_ok, within},
};

/// How long a world may take to go down when it is told to.
const GOING_DOWN: Duration = Duration::from_secs(10);

/// How much of the daemon's log a failing test shows.
const LOG_LINES: usize = 60;

/// A private world. Dropping it stops its daemon, and fails the test when anything of it is left.
#[derive(Debug)]
pub struct Beam {
    root: TempDir,
    environment: BTreeMap<String, String>,
    launcher: PathBuf,
    user: Option<u32>,
}

/// What the scripted server of a world has on record.
#[derive(Debug, Clone)]
pub struct FakeRecord(pub Vec<LogEntry>);

impl Beam {
    /// A world to be described further.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// A world with real Lean.
    pub fn real() -> Self {
        Self::builder().build()
    }

    /// A world with a scripted Lean.
    pub fn fake(scenario: Scenario) -> Self {
        Self::builder().lean(Lean::Fake(scenario)).build()
    }

    pub(super) fn new(
        root: TempDir,
        environment: BTreeMap<String, String>,
        launcher: PathBuf,
        user: Option<u32>,
    ) -> Self {
        Self {
            root,
            environment,
            launcher,
            user,
        }
    }

    /// The directory that holds the whole world. No process outside has it in its environment.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// The environment of every program in it.
    pub fn environment(&self) -> &BTreeMap<String, String> {
        &self.environment
    }

    /// The user that its command line runs as, where it is another than the test's.
    pub fn user(&self) -> Option<u32> {
        self.user
    }

    /// Its runtime directory.
    pub fn runtime_dir(&self) -> RuntimeDir {
        RuntimeDir::at(&self.environment["LEAN_BEAM_RUNTIME_DIR"]).must("have a runtime directory")
    }

    /// A program that starts the daemon in this world, as a client would.
    pub fn launcher(&self) -> &Path {
        &self.launcher
    }

    /// Text of the daemon's log so far.
    pub fn log_text(&self) -> String {
        let state = Path::new(&self.environment["LEAN_BEAM_STATE_DIR"]);
        fs::read_to_string(paths::log_file(state)).unwrap_or_default()
    }

    /// A connector that starts the daemon in this world.
    pub fn connector(&self) -> Connector {
        Connector::at(self.runtime_dir(), ClientInfo::named("lean-beam-tests"))
            .with_program(self.launcher.clone())
    }

    /// Sends one request, starting the daemon when it is not there.
    ///
    /// # Errors
    /// As the daemon says.
    pub async fn call<O: Operation>(&self, request: Request<O>) -> BeamResult<O::Output> {
        call(&self.connector(), &request).await
    }

    /// Makes sure that the daemon runs, and says which it is.
    pub async fn ensure(&self) -> Identity {
        let ping = async {
            let connection = self.connector().ensure().await?;
            let call = connection
                .send(&Request::<Ping>::new(Default::default()))
                .await?;
            call.finish().await
        };
        within(HANG, "starting the daemon", ping)
            .await
            .must("start the daemon")
            .identity
    }

    /// What the daemon says about itself. Starts it when it is not there.
    pub async fn status(&self) -> DaemonStatus {
        self.call(Request::<Status>::new(Default::default()))
            .await
            .must("get the status")
    }

    /// The daemon's process, while it holds its life lock.
    pub fn daemon(&self) -> Option<Process> {
        let lock = self.runtime_dir().life_lock();
        if !LockFile::is_held(&lock).unwrap_or_default() {
            return None;
        }
        LockFile::read_note(&lock).and_then(|note| Process::find(note.pid))
    }

    /// Kills the daemon as nothing can resist, and waits until it is gone.
    pub async fn kill_daemon(&self) {
        let daemon = self.daemon().must("find the daemon");
        daemon.signal(Signal::SIGKILL);
        eventually(HANG, "the end of the killed daemon", async || {
            (!daemon.is_alive()).then_some(())
        })
        .await;
    }

    /// Asks the daemon to stop, and waits until its life lock is free.
    pub async fn stop(&self) {
        let connection = self.connector().connect().await.must("reach the daemon");
        let request = Request::<Shutdown>::new(ShutdownParams::default());
        let stop = async { connection.send(&request).await?.finish().await };
        within(HANG, "the answer to shutdown", stop)
            .await
            .must("stop the daemon");
        eventually(HANG, "the end of the daemon", async || {
            self.daemon().is_none().then_some(())
        })
        .await;
    }

    /// Every process of this world that is alive: daemon, Lean, workers, clients.
    pub fn processes(&self) -> Vec<Process> {
        process::marked(self.root())
    }

    /// Those of them that are not the daemon and not a client: Lean and what it started.
    pub fn lean_processes(&self) -> Vec<Process> {
        let mut found = self.processes();
        found.retain(|process| !process.program().starts_with("lean-beam"));
        found.retain(|process| {
            !process
                .command
                .iter()
                .any(|part| part.ends_with("start-daemon"))
        });
        found
    }

    /// Fails unless all Lean processes are gone within `limit`.
    pub async fn assert_no_lean_within(&self, limit: Duration) {
        eventually_ok(limit, "the end of all Lean processes", async || {
            nothing(&self.lean_processes())
        })
        .await;
    }

    /// Fails unless every process of this world is gone within `limit`.
    pub async fn assert_nothing_left(&self, limit: Duration) {
        eventually_ok(limit, "the end of everything in this world", async || {
            nothing(&self.processes())
        })
        .await;
    }

    /// Another script for the next start of the scripted server.
    pub fn play(&self, scenario: &Scenario) {
        write_scenario(self.root(), scenario);
    }

    /// What the scripted servers for documents have on record.
    pub fn record(&self) -> FakeRecord {
        let mut entries = read_log(&record_file(self.root()));
        let probes: Vec<_> = entries
            .iter()
            .filter(|entry| starts_for_probes(entry))
            .map(|entry| entry.pid)
            .collect();
        entries.retain(|entry| !probes.contains(&entry.pid));
        FakeRecord(entries)
    }

    /// A project directory in this world, with nothing but a `lean-toolchain`.
    pub fn project(&self) -> Project {
        self.project_named("project")
    }

    /// As [`Beam::project`], by another name.
    pub fn project_named(&self, name: &str) -> Project {
        Project::create(self, &self.root().join(name))
    }

    /// A call of the command line.
    pub fn cli<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Cli {
        Cli::new(self, arguments)
    }

    /// Asks, then signals, then kills; gives what had to be killed.
    fn go_down(&self) -> Vec<Process> {
        let steps: [&dyn Fn(&Self); 2] = [&Self::ask_to_stop, &Self::tell_to_stop];
        for step in steps {
            step(self);
            let gone =
                eventually_blocking(GOING_DOWN, || self.processes().is_empty().then_some(()));
            if gone.is_some() {
                return Vec::new();
            }
        }
        let left = self.processes();
        left.iter()
            .for_each(|process| process.signal(Signal::SIGKILL));
        left
    }

    fn tell_to_stop(&self) {
        self.daemon()
            .inspect(|daemon| daemon.signal(Signal::SIGTERM));
    }

    /// Asks over the socket, without a runtime: a test may drop its world anywhere.
    fn ask_to_stop(&self) {
        use std::{io::Read, io::Write, os::unix::net::UnixStream};
        if self.user.is_some() {
            // The daemon of another user does not listen to us.
            self.tell_to_stop();
            return;
        }
        let Ok(mut stream) = UnixStream::connect(self.runtime_dir().socket()) else {
            return;
        };
        let line = b"{\"protocol\":1,\"op\":\"shutdown\"}\n";
        let mut answer = Vec::new();
        // Whatever fails here, the processes that are left tell.
        let asked = stream
            .set_read_timeout(Some(GOING_DOWN))
            .and_then(|()| stream.write_all(line))
            .and_then(|()| stream.read_to_end(&mut answer).map(drop));
        drop(asked);
    }
}

impl Drop for Beam {
    fn drop(&mut self) {
        let left = self.go_down();
        if thread::panicking() {
            let text = self.log_text();
            let lines: Vec<_> = text.lines().collect();
            let tail = lines[lines.len().saturating_sub(LOG_LINES)..].join("\n");
            eprint(&format!(
                "the daemon's log ends with:\n{tail}\nleft over: {left:?}"
            ));
            return;
        }
        assert!(left.is_empty(), "these outlived their world: {left:?}");
    }
}

impl FakeRecord {
    /// How often the scripted server was started.
    pub fn starts(&self) -> usize {
        self.count(|what| matches!(what, Entry::Started { .. }))
    }

    /// What it was told that no client may ever tell.
    pub fn violations(&self) -> Vec<String> {
        self.0
            .iter()
            .filter_map(|entry| match &entry.what {
                Entry::Violation(what) => Some(what.clone()),
                _ => None,
            })
            .collect()
    }

    /// The messages of `method`, oldest first.
    pub fn messages(&self, method: &str) -> Vec<serde_json::Value> {
        self.0
            .iter()
            .filter(|entry| entry.method() == Some(method))
            .filter_map(|entry| entry.received().cloned())
            .collect()
    }

    /// The texts that documents whose URI contains `part` had, oldest first, with their versions.
    pub fn texts(&self, part: &str) -> Vec<(i64, String)> {
        self.0
            .iter()
            .filter_map(|entry| match &entry.what {
                Entry::Document { uri, version, text } if uri.contains(part) => {
                    Some((*version, text.clone()))
                }
                _ => None,
            })
            .collect()
    }

    fn count(&self, wanted: impl Fn(&Entry) -> bool) -> usize {
        self.0.iter().filter(|entry| wanted(&entry.what)).count()
    }
}

/// Sends one request over `connector` and gives the result.
///
/// # Errors
/// As the daemon says.
pub(super) async fn call<O: Operation>(
    connector: &Connector,
    request: &Request<O>,
) -> BeamResult<O::Output> {
    let exchange = async {
        let call = connector.ensure().await?.send(request).await?;
        call.finish().await
    };
    within(HANG, O::NAME, exchange)
        .await
        .map(|answer| answer.output)
}

fn starts_for_probes(entry: &LogEntry) -> bool {
    matches!(&entry.what, Entry::Started { arguments, .. } if arguments.iter().any(|one| one.contains(process::PROBE_OPTION)))
}

fn nothing(found: &[Process]) -> Result<(), String> {
    if found.is_empty() {
        Ok(())
    } else {
        Err(format!("{found:?}"))
    }
}

fn eprint(text: &str) {
    use std::io::Write;
    drop(writeln!(std::io::stderr(), "{text}"));
}
