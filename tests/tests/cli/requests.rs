//! Requests that are interrupted, run out of time, are written by hand, or are cancelled from elsewhere.

use std::time::Duration;

use lean_beam_tests::{
    fake::{
        Scenario,
        scenario::{Action, Elaboration, Rule},
    },
    lean_text::slow_proof,
    must::Must,
    wait::{HANG, eventually},
    world::Beam,
};
use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::fake_world;

#[tokio::test]
async fn ctrl_c_cancels_the_request_and_gives_130() {
    for (signal, code) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143)] {
        let beam = Beam::fake(Scenario {
            rules: vec![Rule::on("textDocument/hover", [Action::Ignore])],
            ..Scenario::default()
        });
        let project = beam.project();
        project.write("Good.lean", "word\n");
        let running = project
            .cli(&beam, ["hover", "Good.lean", "0", "1"])
            .start()
            .await;
        eventually(HANG, "the request at Lean", async || {
            beam.record().messages("textDocument/hover").pop()
        })
        .await;
        running.signal(signal);
        let output = running
            .finish_within(Duration::from_secs(5))
            .await
            .expect_code(code);
        assert_eq!(output.stdout, "");
        eventually(HANG, "the cancellation", async || {
            beam.record().messages("$/cancelRequest").pop()
        })
        .await;
        assert_eq!(beam.status().await.requests, []);
    }
}

#[tokio::test]
async fn a_timeout_is_a_failed_request_and_the_same_command_resumes() {
    let beam = Beam::real();
    let project = beam.project();
    project.write("A.lean", slow_proof(4_000));
    project.write("B.lean", "#check Nat\n");
    project
        .cli(&beam, ["sync", "B.lean"])
        .run()
        .await
        .expect_code(0);
    let output = project
        .cli(&beam, ["sync", "A.lean", "--timeout", "1"])
        .run()
        .await
        .expect_code(3);
    assert!((output.stdout + &output.stderr).contains("deadlineExceeded"));
    let json = project
        .cli(&beam, ["sync", "A.lean"])
        .run()
        .await
        .expect_code(0)
        .json();
    assert_eq!(json["diagnostics"]["counts"]["error"], 0);
}

#[tokio::test]
async fn a_raw_request_prints_events_and_the_final_line() {
    let (beam, project) = fake_world();
    let output = project
        .cli(&beam, ["request", "sync", r#"{"path": "Bad.lean"}"#])
        .run()
        .await
        .expect_code(0);
    let lines: Vec<Value> = output
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).must("read a line"))
        .collect();
    assert_eq!(lines[0]["event"], "accepted");
    assert_eq!(
        lines
            .iter()
            .filter(|line| line.get("response").is_some())
            .count(),
        1
    );
    assert_eq!(
        lines.last().must("get lines")["response"]["ok"]["diagnostics"]["counts"]["error"],
        1
    );
    let piped = project
        .cli(&beam, ["request"])
        .stdin(json!({"op": "ping"}).to_string())
        .run()
        .await
        .expect_code(0);
    assert!(piped.stdout.contains("\"ok\""), "{piped:?}");
}

#[tokio::test]
async fn a_request_is_cancelled_by_name_from_another_terminal() {
    let beam = Beam::fake(Scenario {
        elaboration: Elaboration {
            takes_ms: 600_000,
            ..Elaboration::default()
        },
        ..Scenario::default()
    });
    let project = beam.project();
    project.write("A.lean", "x\n");
    let running = project.cli(&beam, ["sync", "A.lean"]).start().await;
    let name = eventually(HANG, "the request", async || {
        beam.status()
            .await
            .requests
            .first()
            .map(|request| request.request_id.clone())
    })
    .await;
    beam.cli(["cancel", &name]).run().await.expect_code(0);
    let output = running.finish().await.expect_code(3);
    assert!((output.stdout + &output.stderr).contains("requestCancelled"));
}
