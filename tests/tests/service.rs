//! The daemon under a service manager that owns its socket, played by a stand-in that passes sockets as systemd does.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::{
    fs,
    os::{
        fd::{AsFd, OwnedFd},
        unix::{
            fs::{DirBuilderExt, MetadataExt, PermissionsExt},
            net::UnixListener,
        },
    },
    path::{Path, PathBuf},
    process::{Output, Stdio},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use lean_beam_tests::{
    fake::Scenario,
    must::Must,
    process::command,
    programs,
    wait::{HANG, eventually, never_during, within},
    world::{Beam, Lean, Project},
};
use nix::poll::{PollFd, PollFlags, poll};
use serde_json::Value;
use tokio::task::JoinSet;

/// What a service manager does with a socket unit: it listens, starts the daemon when somebody knocks, lends it the
/// socket as file descriptor 3, and watches the socket again when the daemon is gone.
struct Manager {
    listener: UnixListener,
    starts: Arc<AtomicUsize>,
    tasks: JoinSet<()>,
    socket: PathBuf,
}

/// The descriptor must be 3, and the variable must name the very process that looks for it, so a shell sets both and
/// becomes that process.
const LEND: &str = "export LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=lean-beam.socket; exec \"$@\" 3<&0 0</dev/null";

/// How long the stand-in looks at its socket at a time, in milliseconds.
const LOOK: u8 = 100;

impl Manager {
    /// Takes the socket's place, whoever has it, and starts the daemon by its own name.
    fn of(beam: &Beam) -> Self {
        let daemon = programs::built("lean-beam-daemon").display().to_string();
        Self::starting(beam, vec![daemon, "--foreground".to_owned()])
    }

    /// As [`Manager::of`], starting another command.
    fn starting(beam: &Beam, daemon: Vec<String>) -> Self {
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

    fn starts(&self) -> usize {
        self.starts.load(Ordering::SeqCst)
    }

    /// The units are stopped: no daemon, and nobody listens any more. The file may stay, as after a crash.
    async fn end(mut self, beam: &Beam, remove: bool) {
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

fn environment(beam: &Beam) -> Vec<(String, String)> {
    let environment = beam.environment().iter();
    environment
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Starts `daemon` with `socket` as systemd would, and waits for its end.
async fn lend(socket: UnixListener, environment: &[(String, String)], daemon: &[String]) -> Output {
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

fn world() -> (Beam, Project) {
    world_with("")
}

fn world_with(config: &str) -> (Beam, Project) {
    let beam = Beam::builder()
        .lean(Lean::Fake(Scenario::default()))
        .config(config)
        .build();
    let project = beam.project();
    project.write("A.lean", "ERROR: one\n");
    (beam, project)
}

async fn sync(beam: &Beam, project: &Project) -> Value {
    let output = project.cli(beam, ["sync", "A.lean"]).run().await;
    output.expect_code(1).json()
}

fn inode(path: &Path) -> u64 {
    fs::metadata(path).must("look at the socket").ino()
}

/// The processes that are daemons, guardians aside.
fn daemons(beam: &Beam) -> usize {
    let is_daemon = |process: &lean_beam_tests::process::Process| {
        process.program() == "lean-beam-daemon"
            && process.command.iter().any(|part| part == "daemon")
    };
    beam.processes()
        .iter()
        .filter(|process| is_daemon(process))
        .count()
}

async fn no_daemon(beam: &Beam) {
    eventually(HANG, "the end of the daemon", async || {
        beam.daemon().is_none().then_some(())
    })
    .await;
}

#[tokio::test]
async fn the_first_of_many_connections_starts_the_one_daemon() {
    let (beam, project) = world();
    let manager = Manager::of(&beam);
    let before = inode(&manager.socket);
    // Looking starts nothing.
    for arguments in [["status"], ["version"], ["stop"]] {
        beam.cli(arguments).run().await;
    }
    never_during(
        Duration::from_millis(300),
        "a start by looking",
        async || (manager.starts() > 0).then_some(manager.starts()),
    )
    .await;

    let mut calls = JoinSet::new();
    for _ in 0..12 {
        let running = project.cli(&beam, ["sync", "A.lean"]).start().await;
        calls.spawn(running.finish());
    }
    while let Some(output) = calls.join_next().await {
        output.must("join a call").expect_code(1);
    }
    assert_eq!(manager.starts(), 1);
    assert_eq!(daemons(&beam), 1);
    assert_eq!(
        inode(&manager.socket),
        before,
        "the socket is the manager's"
    );
    let lean = beam.lean_processes();
    assert!(!lean.is_empty());
    for process in lean {
        let files = fs::read_dir(format!("/proc/{}/fd", process.pid)).must("list its files");
        let sockets = files
            .flatten()
            .filter_map(|file| fs::read_link(file.path()).ok())
            .filter(|target| target.to_string_lossy().starts_with("socket:"));
        assert_eq!(sockets.count(), 0, "{process:?} has a socket of ours");
        let environ = fs::read(format!("/proc/{}/environ", process.pid)).must("read its variables");
        let environ = String::from_utf8_lossy(&environ);
        assert!(!environ.contains("LISTEN_"), "{process:?}: {environ}");
    }
    manager.end(&beam, true).await;
}

#[tokio::test]
async fn a_stopped_daemon_leaves_the_socket_and_the_next_call_starts_another() {
    let (beam, project) = world();
    let manager = Manager::of(&beam);
    let before = inode(&manager.socket);
    sync(&beam, &project).await;
    let first = beam.status().await.identity;
    beam.cli(["stop"]).run().await.expect_code(0);
    assert_eq!(inode(&manager.socket), before);
    assert_eq!(beam.cli(["status"]).run().await.code, 4);
    assert_eq!(manager.starts(), 1, "looking starts nothing");
    sync(&beam, &project).await;
    assert_ne!(beam.status().await.identity.pid, first.pid);
    assert_eq!(manager.starts(), 2);
    beam.kill_daemon().await;
    sync(&beam, &project).await;
    assert_eq!(manager.starts(), 3);
    let restarted = beam.cli(["restart"]).run().await.expect_code(0).json();
    assert_eq!(restarted["ready"], true);
    assert_eq!(inode(&manager.socket), before);
    assert_eq!(daemons(&beam), 1);
    manager.end(&beam, true).await;
}

#[tokio::test]
async fn an_idle_daemon_leaves_and_the_next_connection_brings_it_back() {
    let (beam, project) = world_with("[daemon]\nidle_seconds = 1\n");
    let manager = Manager::of(&beam);
    let before = inode(&manager.socket);
    sync(&beam, &project).await;
    no_daemon(&beam).await;
    assert_eq!(inode(&manager.socket), before);
    sync(&beam, &project).await;
    assert_eq!(manager.starts(), 2);
    no_daemon(&beam).await;
    manager.end(&beam, true).await;
}

#[tokio::test]
async fn a_daemon_that_runs_by_itself_gives_way() {
    let (beam, project) = world();
    sync(&beam, &project).await;
    let first = beam.daemon().must("find the daemon");
    let manager = Manager::of(&beam);
    let result = sync(&beam, &project).await;
    assert_eq!(result["diagnostics"]["counts"]["error"], 1);
    assert!(manager.starts() > 0, "somebody else answered");
    assert!(!first.is_alive());
    assert_eq!(daemons(&beam), 1);
    manager.end(&beam, true).await;
}

#[tokio::test]
async fn nobody_starts_a_second_one_beside_the_manager_s() {
    let (beam, project) = world();
    let manager = Manager::of(&beam);
    let before = inode(&manager.socket);
    // As a client does that saw nobody listen a moment ago.
    let mut second = command(beam.launcher());
    let output = within(
        HANG,
        "the second daemon's word",
        tokio::task::spawn_blocking(move || second.output()),
    );
    let output = output.await.must("wait").must("start a second daemon");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("already_running"), "{said}");
    assert_eq!(inode(&manager.socket), before);
    sync(&beam, &project).await;
    assert_eq!(manager.starts(), 1, "its knock was enough");
    assert_eq!(daemons(&beam), 1);
    manager.end(&beam, true).await;
}

#[tokio::test]
async fn where_the_manager_is_gone_the_client_starts_the_daemon_itself() {
    for removes_its_socket in [true, false] {
        let (beam, project) = world();
        let manager = Manager::of(&beam);
        sync(&beam, &project).await;
        manager.end(&beam, removes_its_socket).await;
        sync(&beam, &project).await;
        assert_eq!(daemons(&beam), 1);
    }
}

#[tokio::test]
async fn serve_in_the_foreground_takes_a_socket_as_well() {
    let (beam, project) = world();
    let cli = programs::built("lean-beam").display().to_string();
    let arguments = ["serve", "--foreground"].map(str::to_owned);
    let daemon = [cli].into_iter().chain(arguments).collect();
    let manager = Manager::starting(&beam, daemon);
    let before = inode(&manager.socket);
    sync(&beam, &project).await;
    assert_eq!((manager.starts(), daemons(&beam)), (1, 1));
    beam.cli(["stop"]).run().await.expect_code(0);
    assert_eq!(inode(&manager.socket), before);
    manager.end(&beam, true).await;
}

#[tokio::test]
async fn a_socket_that_is_meant_for_another_process_is_none_of_ours() {
    let beam = Beam::builder()
        .lean(Lean::Fake(Scenario::default()))
        .env("LISTEN_FDS", "1")
        .env("LISTEN_PID", "1")
        .build();
    let project = beam.project();
    project.write("A.lean", "ERROR: one\n");
    sync(&beam, &project).await;
    assert_eq!(daemons(&beam), 1);
    beam.cli(["stop"]).run().await.expect_code(0);
    assert!(!beam.runtime_dir().socket().exists(), "it was our own");
}

#[tokio::test]
async fn a_socket_at_which_no_client_looks_is_refused() {
    let (beam, _project) = world();
    let listener = UnixListener::bind(beam.root().join("elsewhere")).must("listen");
    let daemon = programs::built("lean-beam-daemon").display().to_string();
    let environment = environment(&beam);
    let daemon = [daemon, "--foreground".to_owned()];
    let started = lend(listener, &environment, &daemon);
    let output = within(HANG, "the daemon's refusal", started).await;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!output.status.success(), "{output:?}");
    assert!(said.contains("clients look for"), "{said}");
}

/// A `systemctl` that notes what it is told, says that nothing is active before it was enabled, and ends with `exit`.
fn stand_in(beam: &Beam, exit: i32) -> String {
    let bin = beam.root().join("stand-in");
    fs::create_dir_all(&bin).must("make a directory");
    let (log, state) = (
        beam.root().join("systemctl.log"),
        beam.root().join("enabled"),
    );
    let script = format!(
        "#!/bin/sh
echo \"$@\" >> '{log}'
case \"$*\" in
  *is-active*) test -e '{state}'; exit ;;
  *restart*) test {exit} != 0 || touch '{state}' ;;
  *disable*) rm -f '{state}' ;;
esac
test {exit} = 0 || echo 'no bus' >&2
exit {exit}
",
        log = log.display(),
        state = state.display()
    );
    let program = bin.join("systemctl");
    fs::write(&program, script).must("write a script");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).must("make it executable");
    format!("{}:{}", bin.display(), beam.environment()["PATH"])
}

/// What the stand-in was told since the last look.
fn told(beam: &Beam) -> Vec<String> {
    let log = beam.root().join("systemctl.log");
    let text = fs::read_to_string(&log).unwrap_or_default();
    drop(fs::remove_file(log));
    let told = text.lines().filter(|line| !line.contains("is-active"));
    told.map(str::to_owned).collect()
}

async fn setup(beam: &Beam, path: &str, arguments: &[&str]) -> Value {
    let arguments = ["setup", "service"].iter().chain(arguments).copied();
    let output = beam.cli(arguments).env("PATH", path).run().await;
    output.expect_code(0).json()
}

fn units(beam: &Beam) -> PathBuf {
    Path::new(&beam.environment()["HOME"]).join(".config/systemd/user")
}

#[tokio::test]
async fn the_service_is_set_up_and_taken_away_by_the_systems_own_means() {
    let (beam, project) = world();
    let path = stand_in(&beam, 0);
    let units = units(&beam);
    fs::create_dir_all(&units).must("make a directory");
    fs::write(units.join("other.service"), "[Service]\n").must("write a unit");
    sync(&beam, &project).await;

    let printed = setup(&beam, &path, &["--print"]).await;
    let unasked = beam.cli(["setup", "service"]).env("PATH", &path);
    let shown = unasked.run().await.expect_code(2).json();
    let diff = shown["error"]["data"]["changes"][0]["diff"].as_str();
    assert!(
        diff.must("show the change").contains("+ListenStream="),
        "{shown}"
    );
    assert!(!units.join("lean-beam.socket").exists(), "nobody said yes");
    assert_eq!(told(&beam), Vec::<String>::new());
    assert!(beam.daemon().is_some());

    let report = setup(&beam, &path, &["--yes"]).await;
    assert_eq!(
        (&report["installed"], &report["changed"]),
        (&true.into(), &true.into())
    );
    assert_eq!(beam.daemon(), None, "the socket's place is free");
    assert_eq!(
        told(&beam),
        [
            "--user daemon-reload",
            "--user enable lean-beam.socket",
            "--user restart lean-beam.socket",
        ]
    );
    for file in printed["files"].as_array().must("list the files") {
        let name = file["file"].as_str().must("name the file");
        let text = fs::read_to_string(name).must("read a unit");
        assert_eq!(file["text"], text, "{name}");
    }
    let socket = fs::read_to_string(units.join("lean-beam.socket")).must("read a unit");
    let listen = format!("\nListenStream={}\n", beam.runtime_dir().socket().display());
    assert!(socket.contains(&listen), "{socket}");
    let service = fs::read_to_string(units.join("lean-beam.service")).must("read a unit");
    let daemon = programs::built("lean-beam-daemon");
    let daemon = daemon.canonicalize().must("find the daemon");
    let start = format!("\nExecStart=\"{}\" --foreground\n", daemon.display());
    assert!(service.contains(&start), "{service}");
    let look = async || beam.cli(["setup"]).run().await.expect_code(0).json();
    assert_eq!(look().await["service"]["state"], "current");
    let program = daemon.display().to_string();
    fs::write(
        units.join("lean-beam.service"),
        service.replace(&program, "/gone/daemon"),
    )
    .must("write a unit");
    assert_eq!(look().await["service"]["state"], "elsewhere");
    let doctor = beam.cli(["doctor", "--no-trial"]).run().await.json();
    let findings = doctor["findings"]
        .as_array()
        .must("list the findings")
        .iter();
    let found = findings.filter(|finding| finding["check"] == "service");
    let advice: Vec<_> = found.map(|finding| finding["run"].clone()).collect();
    assert_eq!(advice, ["lean-beam setup service --yes"]);
    let renewed = setup(&beam, &path, &["--yes"]).await;
    assert_eq!(renewed["changes"][0]["action"], "edit", "{renewed}");
    told(&beam);
    let again = setup(&beam, &path, &["--yes"]).await;
    assert_eq!(again["changed"], false, "{again}");

    let removed = setup(&beam, &path, &["--remove", "--yes"]).await;
    assert_eq!(removed["changed"], true);
    assert_eq!(
        told(&beam),
        [
            "--user disable --now lean-beam.socket lean-beam.service",
            "--user daemon-reload",
        ]
    );
    let left: Vec<_> = fs::read_dir(&units)
        .must("list the units")
        .flatten()
        .collect();
    assert_eq!(left.len(), 1, "{left:?}");
    let nothing = setup(&beam, &path, &["--remove"]).await;
    assert_eq!(nothing["changed"], false);
}

#[tokio::test]
async fn a_service_that_does_not_run_is_started_by_setting_it_up_again() {
    let (beam, _project) = world();
    let path = stand_in(&beam, 1);
    let failing = beam.cli(["setup", "service", "--yes"]).env("PATH", &path);
    let report = failing.run().await.expect_code(3).json();
    assert_eq!(report["commands"][0]["ok"], false);
    assert_eq!(report["commands"][0]["said"], "no bus");
    let path = stand_in(&beam, 0);
    told(&beam);
    let report = setup(&beam, &path, &["--yes"]).await;
    assert_eq!(report["changes"], serde_json::json!([]));
    assert_eq!(told(&beam).len(), 3, "{report}");
    let without = beam
        .cli(["setup", "service", "--yes"])
        .env("PATH", "/nonexistent");
    let report = without.run().await.expect_code(3).json();
    let said = report["commands"][0]["said"].as_str().must("say why");
    assert!(said.contains("systemctl"), "{report}");
}

#[tokio::test]
async fn units_of_somebody_else_are_left_alone() {
    let (beam, _project) = world();
    let path = stand_in(&beam, 0);
    let theirs = units(&beam).join("lean-beam.service");
    fs::create_dir_all(units(&beam)).must("make a directory");
    fs::write(&theirs, "[Service]\nExecStart=/bin/true\n").must("write a unit");
    let refused = beam.cli(["setup", "service", "--yes"]).env("PATH", &path);
    let refused = refused.run().await.expect_code(3).json();
    let message = refused["error"]["message"].as_str().must("say why");
    assert!(message.contains("not written by lean-beam"), "{message}");
    let removed = setup(&beam, &path, &["--remove", "--yes"]).await;
    assert_eq!(removed["changed"], false);
    assert_eq!(removed["remarks"].as_array().must("remark it").len(), 1);
    assert!(theirs.exists());
}
