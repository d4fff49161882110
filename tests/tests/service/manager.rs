//! A stand-in for a service manager that owns a socket, as systemd does.

use std::{
    fs,
    os::{
        fd::{AsFd, OwnedFd},
        unix::{fs::DirBuilderExt, net::UnixListener},
    },
    path::PathBuf,
    process::{Output, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use lean_beam_tests::{must::Must, process::command, programs, world::Beam};
use nix::poll::{PollFd, PollFlags, poll};
use tokio::task::JoinSet;

/// What a service manager does with a socket unit: it listens, starts the daemon when somebody knocks, lends it the
/// socket as file descriptor 3, and watches the socket again when the daemon is gone.
pub(crate) struct Manager {
    listener: UnixListener,
    starts: Arc<AtomicUsize>,
    tasks: JoinSet<()>,
    pub(crate) socket: PathBuf,
}

/// The descriptor must be 3, and the variable must name the very process that looks for it, so a shell sets both and
/// becomes that process.
const LEND: &str = "export LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=lean-beam.socket; exec \"$@\" 3<&0 0</dev/null";

/// How long the stand-in looks at its socket at a time, in milliseconds.
const LOOK: u8 = 100;

impl Manager {
    /// Takes the socket's place, whoever has it, and starts the daemon by its own name.
    pub(crate) fn of(beam: &Beam) -> Self {
        let daemon = programs::built("lean-beam-daemon").display().to_string();
        Self::starting(beam, vec![daemon, "--foreground".to_owned()])
    }

    /// As [`Manager::of`], starting another command.
    pub(crate) fn starting(beam: &Beam, daemon: Vec<String>) -> Self {
        make_runtime_dir(beam);
        let socket = beam.runtime_dir().socket();
        drop(fs::remove_file(&socket));
        let listener = UnixListener::bind(&socket).must("listen");
        let starts = Arc::new(AtomicUsize::new(0));
        let mut tasks = JoinSet::new();
        tasks.spawn(attend(
            listener.try_clone().must("share the socket"),
            environment(beam),
            daemon,
            Arc::clone(&starts),
        ));
        Self {
            listener,
            starts,
            tasks,
            socket,
        }
    }

    pub(crate) fn starts(&self) -> usize {
        self.starts.load(Ordering::SeqCst)
    }

    /// The units are stopped: no daemon, and nobody listens any more. The file may stay, as after a crash.
    pub(crate) async fn end(mut self, beam: &Beam, remove: bool) {
        beam.cli(["stop"]).run().await.expect_code(0);
        self.tasks.abort_all();
        drop(self.listener);
        if remove {
            drop(fs::remove_file(&self.socket));
        }
    }
}

fn make_runtime_dir(beam: &Beam) {
    let runtime_dir = beam.runtime_dir();
    if !runtime_dir.path().exists() {
        fs::DirBuilder::new()
            .mode(0o700)
            .create(runtime_dir.path())
            .must("make the directory");
    }
}

pub(crate) fn environment(beam: &Beam) -> Vec<(String, String)> {
    let environment = beam.environment().iter();
    environment
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Starts `daemon` with `socket` as systemd would, and waits for its end.
pub(crate) async fn lend(
    socket: UnixListener,
    environment: &[(String, String)],
    daemon: &[String],
) -> Output {
    let mut shell = command("sh");
    shell
        .args(["-c", LEND, "sh"])
        .args(daemon)
        .env_clear()
        .envs(environment.iter().cloned())
        .stdin(Stdio::from(OwnedFd::from(socket)));
    let output = tokio::process::Command::from(shell).output();
    output.await.must("start the daemon")
}

async fn attend(
    listener: UnixListener,
    environment: Vec<(String, String)>,
    daemon: Vec<String>,
    starts: Arc<AtomicUsize>,
) {
    loop {
        wait_for_a_knock(&listener).await;
        starts.fetch_add(1, Ordering::SeqCst);
        let lent = listener.try_clone().must("share the socket");
        lend(lent, &environment, &daemon).await;
    }
}

/// Waits until somebody waits at the socket.
async fn wait_for_a_knock(listener: &UnixListener) {
    loop {
        let socket = listener.try_clone().must("share the socket");
        let looked = tokio::task::spawn_blocking(move || {
            let mut watched = [PollFd::new(socket.as_fd(), PollFlags::POLLIN)];
            poll(&mut watched, LOOK).must("watch the socket")
        });
        if looked.await.must("watch the socket") > 0 {
            return;
        }
    }
}
