//! One daemon out of any race, and after any death.

use std::{fs, time::Duration};

use futures_util::future::join_all;
use lean_beam_proto::{
    client::{ConnectError, Request},
    op::{Empty, Ping, Sync},
    ready::ReadyLine,
    version::Identity,
};
use lean_beam_tests::{
    fake::Scenario,
    lean_text::Line,
    must::{Must, MustFail},
    process::Process,
    wait::{HANG, eventually, within},
    world::{Beam, Lean, Project},
};

use crate::{start_by_hand, with_fake_error};

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
    until_one_server(&beam).await;
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
    until_one_server(&beam).await;
}

/// How many Lean servers for documents run in this world, without their workers.
fn servers(beam: &Beam) -> usize {
    let all = beam.lean_processes();
    all.iter()
        .filter(|one| one.is_server() && !one.is_for_probes())
        .count()
}

async fn until_one_server(beam: &Beam) {
    eventually(HANG, "one Lean server", async || {
        (servers(beam) == 1).then_some(())
    })
    .await;
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
