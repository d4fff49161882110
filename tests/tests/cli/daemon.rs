//! Commands about the daemon: starting, stopping, looking, its log.

use std::time::Duration;

use lean_beam_tests::{
    fake::Scenario,
    must::Must,
    wait::{HANG, eventually},
    world::Beam,
};
use nix::sys::signal::Signal;

use crate::fake_world;

#[tokio::test]
async fn status_stop_and_version_start_nothing() {
    let beam = Beam::fake(Scenario::default());
    beam.cli(["stop"]).run().await.expect_code(0);
    let version = beam.cli(["version"]).run().await.expect_code(0);
    assert!(
        version.stdout.contains(env!("CARGO_PKG_VERSION")),
        "{version:?}"
    );
    let status = beam.cli(["status"]).run().await;
    assert!(matches!(status.code, 0 | 4), "{status:?}");
    status.json();
    beam.cli(["logs"]).run().await;
    assert_eq!(beam.processes(), []);
    assert!(beam.daemon().is_none());
}

#[tokio::test]
async fn serve_returns_when_the_daemon_is_ready_and_stop_when_it_is_gone() {
    let (beam, project) = fake_world();
    let served = beam.cli(["serve"]).run().await.expect_code(0).json();
    assert_eq!(served["started"], true);
    let daemon = beam.daemon().must("find the daemon at once");
    assert_eq!(served["identity"]["pid"], daemon.pid);
    let again = beam.cli(["serve"]).run().await.expect_code(0).json();
    assert_eq!(again["started"], false);
    assert_eq!(again["identity"]["pid"], daemon.pid);
    project
        .cli(&beam, ["sync", "Good.lean"])
        .run()
        .await
        .expect_code(0);
    let status = beam.cli(["status"]).run().await.expect_code(0).json();
    assert_eq!(status["workspaces"][0]["root"], project.root_text());
    let restarted = beam.cli(["restart"]).run().await.expect_code(0).json();
    assert_ne!(restarted["identity"]["pid"], daemon.pid);
    assert!(!daemon.is_alive());
    let last = beam.daemon().must("find the new daemon");
    let stopped = beam.cli(["stop"]).run().await.expect_code(0).json();
    assert_eq!(stopped["was_running"], true);
    assert!(beam.daemon().is_none());
    beam.assert_nothing_left(HANG).await;
    assert!(!last.is_alive());
    let log = beam.cli(["logs"]).run().await.expect_code(0);
    assert!(!log.stdout.is_empty());
}

#[tokio::test]
async fn a_daemon_in_the_foreground_ends_with_ctrl_c_and_leaves_nothing() {
    let (beam, project) = fake_world();
    let running = beam.cli(["serve", "--foreground"]).start().await;
    eventually(HANG, "the daemon", async || {
        beam.connector().connect().await.ok()
    })
    .await;
    project
        .cli(&beam, ["sync", "Bad.lean"])
        .run()
        .await
        .expect_code(1);
    running.signal(Signal::SIGINT);
    running.finish().await;
    beam.assert_nothing_left(Duration::from_secs(3)).await;
}

#[tokio::test]
async fn the_log_can_be_followed_until_ctrl_c() {
    let (beam, project) = fake_world();
    beam.ensure().await;
    let mut running = project.cli(&beam, ["logs", "--follow"]).start().await;
    project
        .cli(&beam, ["sync", "Good.lean"])
        .run()
        .await
        .expect_code(0);
    running.wait_for_output("\n").await;
    running.signal(Signal::SIGINT);
    running.finish().await.expect_code(130);
}
