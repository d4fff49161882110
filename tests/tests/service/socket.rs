//! The daemon at a socket that a service manager owns.

use std::{
    fs,
    os::unix::{fs::MetadataExt, net::UnixListener},
    path::Path,
    time::Duration,
};

use lean_beam_tests::{
    fake::Scenario,
    must::Must,
    process::command,
    programs,
    wait::{HANG, eventually, never_during, within},
    world::{Beam, Lean},
};
use tokio::task::JoinSet;

use crate::{
    manager::{Manager, environment, lend},
    sync, world, world_with,
};

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
