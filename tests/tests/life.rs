//! One daemon per user, out of any race, and a reason whenever there is none.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::{
    fs::{self, Permissions},
    os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink},
    path::Path,
    process::Stdio,
    time::Duration,
};

use futures_util::future::join_all;
use lean_beam_proto::{
    BeamError, ErrorCode, PROTOCOL,
    client::{ConnectError, Request},
    op::{Empty, Hover, Ping, Sync},
    ready::ReadyLine,
    version::Identity,
};
use lean_beam_tests::{
    fake::{
        Scenario,
        scenario::{Action, Rule, Stop},
    },
    lean_text::Line,
    must::{Must, MustFail},
    process::{Process, command, is_root},
    raw_socket::RawSocket,
    wait::{HANG, eventually, within},
    world::{Beam, Lean, Project},
};
use nix::sys::signal::Signal;
use serde_json::json;

/// How many clients come at once.
const CROWD: usize = 60;

/// How soon a daemon whose socket was deleted must be reachable again.
const REBOUND: Duration = Duration::from_secs(5);

/// A crowd of clients asks for the verdict on one file. Gives the one daemon that answered them all.
async fn crowd_of_connections(beam: &Beam, project: &Project) -> Identity {
    let connector = beam.connector();
    let clients = (0..CROWD).map(|_| async {
        let request = project.request::<Sync>(Project::sync_params("A.lean"));
        connector.call(&request).await?.finish().await
    });
    let answers = within(HANG, "the answers to a crowd", join_all(clients)).await;
    let mut daemons = Vec::new();
    for answer in answers {
        let answer = answer.must("get an answer in a crowd");
        assert_eq!(answer.output.diagnostics.counts.error, 1);
        assert_eq!(answer.output.version, 1);
        daemons.push(answer.identity);
    }
    daemons.dedup();
    assert_eq!(daemons.len(), 1, "{daemons:?}");
    daemons.remove(0)
}

/// The same through the command line.
async fn crowd_of_commands(beam: &Beam, project: &Project) {
    let calls = (0..CROWD).map(|_| project.cli(beam, ["sync", "A.lean", "--json"]).run());
    let outputs = within(HANG, "the answers to a crowd", join_all(calls)).await;
    for output in outputs {
        output.expect_code(1).json();
    }
}

fn with_one_error(beam: &Beam) -> Project {
    let project = beam.project();
    project.write("A.lean", Line::Mismatch.text());
    project
}

#[tokio::test]
async fn a_crowd_from_cold_gets_one_daemon_and_all_answers() {
    let beam = Beam::real();
    let project = with_one_error(&beam);
    let identity = crowd_of_connections(&beam, &project).await;
    assert_eq!(Some(identity.pid), beam.daemon().map(|daemon| daemon.pid));
    assert_eq!(servers(&beam), 1);
}

#[tokio::test]
async fn a_crowd_after_a_killed_daemon_gets_one_new_daemon_and_all_answers() {
    let beam = Beam::real();
    let project = with_one_error(&beam);
    let first = crowd_of_connections(&beam, &project).await;
    beam.kill_daemon().await;
    assert!(
        beam.runtime_dir().socket().exists(),
        "a killed daemon leaves its socket behind"
    );
    let second = crowd_of_connections(&beam, &project).await;
    assert_ne!(first.pid, second.pid);
    eventually(HANG, "one Lean server", async || {
        (servers(&beam) == 1).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_crowd_of_commands_from_cold_gets_one_daemon_and_all_answers() {
    let beam = Beam::real();
    let project = with_one_error(&beam);
    crowd_of_commands(&beam, &project).await;
    let daemon = beam.daemon().must("find the daemon");
    assert_eq!(servers(&beam), 1);
    beam.kill_daemon().await;
    crowd_of_commands(&beam, &project).await;
    assert_ne!(beam.daemon().must("find the new daemon").pid, daemon.pid);
    eventually(HANG, "one Lean server", async || {
        (servers(&beam) == 1).then_some(())
    })
    .await;
}

/// How many Lean servers for documents run in this world, without their workers.
fn servers(beam: &Beam) -> usize {
    let all = beam.lean_processes();
    all.iter()
        .filter(|one| one.is_server() && !one.is_for_probes())
        .count()
}

#[tokio::test]
async fn a_daemon_whose_socket_is_deleted_is_reachable_again() {
    let beam = Beam::fake(Scenario::default());
    let before = beam.ensure().await;
    let socket = beam.runtime_dir().socket();
    for _ in 0..2 {
        fs::remove_file(&socket).unwrap();
        eventually(REBOUND, "reaching the daemon again", async || {
            let call = beam
                .connector()
                .connect()
                .await
                .ok()?
                .send(&ping())
                .await
                .ok()?;
            (call.finish().await.ok()?.identity == before).then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn a_client_that_finds_no_socket_of_a_live_daemon_starts_no_second_one() {
    let beam = Beam::fake(Scenario::default());
    let before = beam.ensure().await;
    fs::remove_file(beam.runtime_dir().socket()).unwrap();
    assert_eq!(beam.ensure().await, before);
}

fn ping() -> Request<Ping> {
    Request::new(Empty {})
}

#[tokio::test]
async fn a_daemon_beside_another_leaves_and_says_so() {
    let beam = Beam::fake(Scenario::default());
    let first = beam.ensure().await;
    assert_eq!(start_by_hand(&beam).0, ReadyLine::AlreadyRunning);
    assert_eq!(beam.ensure().await, first);
}

/// Starts the daemon as a client does, waits for its end, and gives what it said and its exit code.
fn start_by_hand(beam: &Beam) -> (ReadyLine, Option<i32>) {
    let output = command(beam.launcher())
        .stdin(Stdio::null())
        .output()
        .must("start the daemon");
    let text = String::from_utf8(output.stdout).must("read its first line");
    let line = text.lines().next().must("read its first line");
    let line = serde_json::from_str(line).must("understand its first line");
    (line, output.status.code())
}

#[tokio::test]
async fn the_daemon_has_a_session_of_its_own_and_no_terminal_ends_it() {
    let beam = Beam::fake(Scenario::default());
    beam.cli(["serve"]).run().await.expect_code(0);
    let ours = Process::find(std::process::id()).must("find this test");
    for process in beam.processes() {
        assert_ne!(process.session, ours.session, "{process:?}");
    }
}

#[tokio::test]
async fn stop_then_start_at_once_gives_a_new_daemon_each_time() {
    let beam = Beam::fake(Scenario::default());
    let project = with_fake_error(&beam);
    let mut pids = Vec::new();
    for _ in 0..5 {
        assert_eq!(project.errors("A.lean").await, 1);
        pids.push(beam.daemon().must("find the daemon").pid);
        beam.stop().await;
        assert!(!beam.runtime_dir().socket().exists());
    }
    pids.dedup();
    assert_eq!(pids.len(), 5);
    assert_eq!(beam.record().violations(), Vec::<String>::new());
}

fn with_fake_error(beam: &Beam) -> Project {
    let project = beam.project();
    project.write("A.lean", "word\nERROR: bad\n");
    project
}

#[tokio::test]
async fn signals_end_it_as_a_shutdown_does() {
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP] {
        let beam = Beam::fake(Scenario::default());
        with_fake_error(&beam).sync("A.lean").await.unwrap();
        beam.daemon().must("find the daemon").signal(signal);
        beam.assert_nothing_left(HANG).await;
        assert!(!beam.runtime_dir().socket().exists(), "after {signal}");
        let last = beam.record();
        assert_eq!(last.messages("shutdown").len(), 1, "after {signal}");
        assert_eq!(last.messages("exit").len(), 1, "after {signal}");
    }
}

#[tokio::test]
async fn a_second_signal_skips_ahead_to_the_kill() {
    let scenario = Scenario {
        stop: Stop::only_by_kill(),
        ..Scenario::default()
    };
    let beam = Beam::fake(scenario);
    with_fake_error(&beam).sync("A.lean").await.unwrap();
    let daemon = beam.daemon().must("find the daemon");
    daemon.signal(Signal::SIGTERM);
    eventually(HANG, "the first step of the end", async || {
        (beam.record().messages("shutdown").len() == 1).then_some(())
    })
    .await;
    daemon.signal(Signal::SIGTERM);
    // Without the second signal, the steps alone take longer than this.
    beam.assert_nothing_left(Duration::from_secs(3)).await;
}

#[tokio::test]
async fn a_lean_that_only_a_kill_ends_does_not_keep_the_daemon() {
    let scenario = Scenario {
        stop: Stop::only_by_kill(),
        ..Scenario::default()
    };
    let beam = Beam::fake(scenario);
    with_fake_error(&beam).sync("A.lean").await.unwrap();
    beam.stop().await;
    beam.assert_nothing_left(Duration::from_secs(3)).await;
}

#[tokio::test]
async fn an_idle_daemon_makes_room_for_one_of_another_protocol() {
    let beam = Beam::fake(Scenario::default());
    with_fake_error(&beam).sync("A.lean").await.unwrap();
    let next = "next generation";
    let failed = BeamError::new(ErrorCode::RuntimeSetup, next);
    let program = script(
        &beam,
        &format!(
            "echo '{}'",
            serde_json::to_string(&ReadyLine::Failed(failed)).unwrap()
        ),
    );
    let connector = beam
        .connector()
        .with_protocol(PROTOCOL + 1)
        .with_program(program);
    let error = connector.ensure().await.map(drop).must_fail();
    assert_eq!(
        error.message, next,
        "the other program was started: {error:?}"
    );
    beam.assert_nothing_left(HANG).await;
}

fn script(beam: &Beam, body: &str) -> std::path::PathBuf {
    let path = beam.root().join("other-daemon");
    fs::write(&path, format!("#!/bin/sh\n{body}\n")).must("write a script");
    fs::set_permissions(&path, Permissions::from_mode(0o755)).must("make it executable");
    path
}

#[tokio::test]
async fn a_busy_daemon_stays_and_the_client_of_another_protocol_is_told() {
    let never = Rule::on("textDocument/hover", [Action::Ignore]);
    let beam = Beam::fake(Scenario {
        rules: vec![never],
        ..Scenario::default()
    });
    let project = with_fake_error(&beam);
    let version = project.sync("A.lean").await.unwrap().version;
    let busy = project.request::<Hover>(Project::position("A.lean", version, (0, 0)));
    let call = beam.connector().call(&busy).await.unwrap();
    let connector = beam.connector().with_protocol(PROTOCOL + 1);
    let error = connector.ensure().await.map(drop).must_fail();
    assert_eq!(error.code, ErrorCode::ProtocolMismatch, "{error:?}");
    assert!(error.hint.is_some());
    assert_eq!(
        error.data.unwrap(),
        json!({"client": PROTOCOL + 1, "daemon": PROTOCOL})
    );
    assert_eq!(
        beam.status().await.requests.len(),
        1,
        "the other request goes on"
    );
    drop(call);
}

#[tokio::test]
async fn only_the_frozen_operations_are_open_to_another_protocol() {
    let beam = Beam::fake(Scenario::default());
    let identity = beam.ensure().await;
    for (op, accepted) in [
        ("ping", true),
        ("status", true),
        ("sync", false),
        ("open_files", false),
        ("stats", false),
        ("shutdown", true),
    ] {
        let mut socket = RawSocket::connect(&beam.runtime_dir().socket()).await;
        // What another protocol adds to the envelope is not known here.
        socket
            .write_line(&json!({"protocol": PROTOCOL + 1, "op": op, "params": {}, "news": [1]}))
            .await;
        let response = socket.response().await.must("get a response");
        assert_eq!(response.identity, identity);
        match response.response.into_result() {
            Ok(_) => assert!(accepted, "{op}"),
            Err(error) => {
                assert!(!accepted, "{op}: {error:?}");
                assert_eq!(error.code, ErrorCode::ProtocolMismatch);
            }
        }
    }
    beam.assert_nothing_left(HANG).await;
}

/// A runtime directory that must not be used, and what is wrong with it.
#[derive(Debug, Clone, Copy)]
enum Unsafe {
    Link,
    TooOpen,
    Foreign,
    File,
}

#[tokio::test]
async fn an_unsafe_runtime_directory_is_refused_with_the_reason_by_everybody() {
    for what in [Unsafe::Link, Unsafe::TooOpen, Unsafe::Foreign, Unsafe::File] {
        let beam = unsafe_world(what);
        let project = with_fake_error(&beam);
        let path = beam.runtime_dir().path().to_owned();
        let error = project.sync("A.lean").await.must_fail();
        assert_refused(&error, &path, what);
        let (ReadyLine::Failed(error), code) = start_by_hand(&beam) else {
            panic!("the daemon started in a directory that is unsafe: {what:?}")
        };
        assert_refused(&error, &path, what);
        assert_ne!(code, Some(0));
        let output = project
            .cli(&beam, ["sync", "A.lean"])
            .run()
            .await
            .expect_code(4);
        let told = output.stdout + &output.stderr;
        assert!(told.contains(path.to_str().unwrap()), "{what:?}: {told}");
        beam.assert_nothing_left(HANG).await;
    }
}

#[track_caller]
fn assert_refused(error: &BeamError, path: &Path, what: Unsafe) {
    assert_eq!(error.code, ErrorCode::DaemonUnavailable, "{what:?}");
    assert!(
        error.message.contains(&*path.to_string_lossy()),
        "{what:?}: {error:?}"
    );
    assert!(error.hint.is_some(), "{what:?}");
}

fn unsafe_world(what: Unsafe) -> Beam {
    let builder = Beam::builder().lean(Lean::Fake(Scenario::default()));
    if matches!(what, Unsafe::Foreign) && !is_root() {
        // Whoever runs the tests, this is somebody else's.
        return builder.env("LEAN_BEAM_RUNTIME_DIR", "/usr/lib").build();
    }
    let beam = builder.build();
    let path = beam.runtime_dir().path().to_owned();
    let private = || fs::DirBuilder::new();
    match what {
        Unsafe::Link => {
            let real = beam.root().join("elsewhere");
            fs::create_dir(&real).must("make a directory");
            fs::set_permissions(&real, Permissions::from_mode(0o700)).must("make it private");
            symlink(&real, &path).must("make a link");
        }
        Unsafe::TooOpen => {
            private().create(&path).must("make a directory");
            fs::set_permissions(&path, Permissions::from_mode(0o755)).must("open it to others");
        }
        Unsafe::Foreign => {
            private().create(&path).must("make a directory");
            fs::set_permissions(&path, Permissions::from_mode(0o700)).must("make it private");
            chown(&path, Some(65534), None).must("give it away");
        }
        Unsafe::File => fs::write(&path, "").must("write a file"),
    }
    beam
}

#[tokio::test]
async fn the_directory_and_the_socket_are_for_their_owner_only() {
    let beam = Beam::fake(Scenario::default());
    beam.ensure().await;
    let mode = |path: &Path| fs::symlink_metadata(path).must("look at a file").mode() & 0o777;
    assert_eq!(mode(beam.runtime_dir().path()), 0o700);
    assert_eq!(mode(&beam.runtime_dir().socket()), 0o600);
    assert_eq!(mode(&beam.runtime_dir().life_lock()), 0o600);
}

#[tokio::test]
async fn a_socket_that_permissions_bar_is_reported_and_never_leads_to_a_second_daemon() {
    let beam = Beam::builder()
        .lean(Lean::Fake(Scenario::default()))
        .unprivileged()
        .build();
    let project = with_fake_error(&beam);
    project
        .cli(&beam, ["sync", "A.lean"])
        .run()
        .await
        .expect_code(1);
    let daemon = beam.daemon().must("find the daemon");
    let socket = beam.runtime_dir().socket();
    fs::set_permissions(&socket, Permissions::from_mode(0o000)).unwrap();
    let output = project
        .cli(&beam, ["sync", "A.lean"])
        .run()
        .await
        .expect_code(4);
    let told = output.stdout + &output.stderr;
    assert!(
        told.contains(beam.runtime_dir().path().to_str().unwrap()),
        "{told}"
    );
    let daemons = beam
        .processes()
        .iter()
        .filter(|one| one.program() == daemon.program())
        .count();
    assert!(beam.daemon().is_some_and(|now| now == daemon));
    fs::set_permissions(&socket, Permissions::from_mode(0o600)).unwrap();
    project
        .cli(&beam, ["sync", "A.lean"])
        .run()
        .await
        .expect_code(1);
    let again = beam
        .processes()
        .iter()
        .filter(|one| one.program() == daemon.program())
        .count();
    assert_eq!(daemons, again);
}

#[tokio::test]
async fn a_daemon_that_cannot_start_says_why_to_the_client_that_started_it() {
    let beam = Beam::builder()
        .lean(Lean::Fake(Scenario::default()))
        .config("this is = not [ toml")
        .build();
    let error = with_fake_error(&beam).sync("A.lean").await.must_fail();
    assert!(error.message.contains("config.toml"), "{error:?}");
    beam.assert_nothing_left(HANG).await;
}

#[tokio::test]
async fn nobody_is_there_before_the_first_request_that_needs_it() {
    let beam = Beam::fake(Scenario::default());
    let connected = beam.connector().connect().await;
    assert!(matches!(connected, Err(ConnectError::Absent)));
    assert_eq!(beam.processes(), []);
}

#[tokio::test]
async fn what_nobody_uses_is_let_go_first_lean_and_then_the_daemon() {
    let beam = Beam::builder()
        .lean(Lean::Fake(Scenario::default()))
        .config("[workspace]\nidle_seconds = 1\n[daemon]\nidle_seconds = 4\n")
        .build();
    let project = with_fake_error(&beam);
    project.sync("A.lean").await.unwrap();
    let daemon = beam.daemon().must("find the daemon");
    beam.assert_no_lean_within(HANG).await;
    assert!(daemon.is_alive(), "the daemon outlasts its workspaces");
    let again = project.sync("A.lean").await.unwrap();
    assert_eq!(again.diagnostics.counts.error, 1);
    assert_eq!(beam.daemon(), Some(daemon));
    beam.assert_nothing_left(HANG).await;
}

#[tokio::test]
async fn a_client_that_waits_keeps_everything_alive() {
    let slow = Rule::on(
        "textDocument/hover",
        [Action::delay(Duration::from_secs(4))],
    );
    let beam = Beam::builder()
        .lean(Lean::Fake(Scenario {
            rules: vec![slow],
            ..Scenario::default()
        }))
        .config("[workspace]\nidle_seconds = 1\n[daemon]\nidle_seconds = 1\n")
        .build();
    let project = with_fake_error(&beam);
    let version = project.sync("A.lean").await.unwrap().version;
    let hover = project.hover("A.lean", version, (0, 0)).await.unwrap();
    assert!(hover.contents.unwrap().contains("word"));
}
