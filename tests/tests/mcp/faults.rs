//! Killed servers, killed daemons, no Lean at all.

use lean_beam_tests::{
    must::Must,
    world::{Beam, Lean},
};
use nix::sys::signal::Signal;
use serde_json::json;

use crate::{
    client::{ERAS, Era, Mcp, about},
    requests::{SLOW, stuck, until_in_flight},
};

#[tokio::test]
async fn a_killed_server_loses_its_own_work_and_nobody_elses() {
    for era in ERAS {
        let beam = Beam::real();
        let project = beam.project();
        project.write("Slow.lean", SLOW);
        project.write(
            "Other.lean",
            "theorem t : 1 = 1 := by\n  sleep 3000\n  rfl\n",
        );
        let mut killed = Mcp::connect(&beam, era).await;
        let mut other = Mcp::connect(&beam, era).await;
        killed
            .call(1, "lean_sync", about(&project, "Slow.lean"))
            .await;
        other
            .call(1, "lean_sync", about(&project, "Other.lean"))
            .await;
        until_in_flight(&beam, 2).await;
        killed.process().signal(Signal::SIGKILL);
        until_in_flight(&beam, 1).await;
        assert_eq!(other.result(1).await["readiness"]["save_ready"], true);
        until_in_flight(&beam, 0).await;
    }
}

#[tokio::test]
async fn a_killed_daemon_fails_the_call_and_the_next_one_starts_another() {
    for era in ERAS {
        let (beam, project, mut mcp) = stuck(era).await;
        project.write("A.lean", "#check Nat\n");
        let before = beam.daemon().must("find the daemon").pid;
        beam.kill_daemon().await;
        let error = mcp.failure(1).await;
        assert_eq!(error["code"], "daemonUnavailable");
        assert!(error["hint"].is_string());
        let sync = mcp.ask("lean_sync", about(&project, "A.lean")).await;
        assert_eq!(sync["readiness"]["save_ready"], true);
        assert_ne!(beam.daemon().must("find the daemon").pid, before);
    }
}

#[tokio::test]
async fn an_observational_call_gets_its_answer_from_the_next_daemon() {
    let beam = Beam::real();
    let project = beam.project();
    project.write("Slow.lean", SLOW);
    let mut mcp = Mcp::connect(&beam, Era::Modern).await;
    let version = mcp.ask("lean_update", about(&project, "Slow.lean")).await["version"].clone();
    let mut position = about(&project, "Slow.lean");
    position["version"] = version;
    position["line"] = json!(2);
    position["character"] = json!(2);
    mcp.call("hover", "lean_hover", position).await;
    until_in_flight(&beam, 1).await;
    beam.kill_daemon().await;
    // The next daemon has not read the file, so it knows no version of it: an answer all the same.
    let error = mcp.failure("hover").await;
    assert_eq!(error["code"], "invalidParams", "{error}");
}

#[tokio::test]
async fn without_lean_the_error_says_what_was_looked_for() {
    let beam = Beam::builder().lean(Lean::None).build();
    let project = beam.project();
    project.write("A.lean", "#check Nat\n");
    let mut mcp = Mcp::connect(&beam, Era::Modern).await;
    let error = mcp
        .ask_in_vain("lean_sync", about(&project, "A.lean"))
        .await;
    assert_eq!(error["code"], "runtimeSetup", "{error}");
    assert!(error["hint"].is_string());
}
