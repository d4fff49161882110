//! How the daemon ends: asked to, by a signal, for want of work.

use std::time::Duration;

use lean_beam_tests::{
    fake::{
        Scenario,
        scenario::{Action, Rule, Stop},
    },
    must::Must,
    wait::{HANG, eventually},
    world::{Beam, Lean},
};
use nix::sys::signal::Signal;

use crate::with_fake_error;

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

/// A world in which nothing but a kill ends the Lean that runs.
async fn with_stubborn_lean() -> Beam {
    let beam = Beam::fake(Scenario {
        stop: Stop::only_by_kill(),
        ..Scenario::default()
    });
    with_fake_error(&beam).sync("A.lean").await.must("sync");
    beam
}

#[tokio::test]
async fn a_second_signal_skips_ahead_to_the_kill() {
    let beam = with_stubborn_lean().await;
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
    let beam = with_stubborn_lean().await;
    beam.stop().await;
    beam.assert_nothing_left(Duration::from_secs(3)).await;
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
