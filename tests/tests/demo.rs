//! `lean-beam demo`: the tour of the product, with real Lean.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use lean_beam_tests::{must::Must, wait::HANG, world::Beam};
use nix::sys::signal::Signal;

#[tokio::test]
async fn programs_get_what_each_step_gave() {
    let beam = Beam::real();
    let report = beam.cli(["demo", "--json"]).run().await;
    let report = report.expect_code(0).json();
    assert_eq!(report["mistaken"]["diagnostics"]["counts"]["error"], 1);
    assert_eq!(report["goals"]["status"], "open");
    assert!(report["hover"]["contents"].is_string(), "{report}");
    let items = report["candidates"]["items"]
        .as_array()
        .must("try candidates");
    let outcomes: Vec<_> = items.iter().map(|item| &item["status"]).collect();
    assert_eq!(outcomes, ["failed", "failed", "ok", "closed", "closed"]);
    assert_eq!(report["candidates"]["first_success"], 3);
    let steps = report["steps"].as_array().must("take steps");
    assert_eq!(steps.len(), 3);
    assert_eq!(steps[2]["proof_state"]["status"], "solved");
    assert_eq!(report["mended"]["readiness"]["save_ready"], true);
    assert_eq!(report["saved"]["module"], "Demo");
    assert_eq!(report["used"]["diagnostics"]["counts"]["total"], 0);
    for (step, time) in report["times_ms"].as_object().must("take times") {
        assert!(
            time.as_f64().is_some_and(|time| time > 0.0),
            "{step}: {time}"
        );
    }
    assert_eq!(beam.daemon(), None, "the user's daemon was started");
    beam.assert_nothing_left(HANG).await;
}

#[tokio::test]
async fn people_see_each_command_and_what_it_gave() {
    let beam = Beam::real();
    let shown = beam
        .cli(["demo", "--color", "never"])
        .run_on_terminal()
        .await;
    let shown = shown.expect_code(0).stdout;
    let mut rest = shown.as_str();
    for part in [
        "1. A proof with a mistake",
        "$ lean-beam sync Demo.lean",
        "1 error",
        "$ lean-beam goals before Demo.lean:4",
        "⊢ p",
        "$ lean-beam hover Demo.lean:4",
        "$ lean-beam try Demo.lean:4",
        "▸ 4",
        "$ lean-beam run-at-handle Demo.lean:2",
        "$ lean-beam run-with-linear Demo.lean",
        "goals accomplished",
        "6. The mistake mended",
        "no errors",
        "$ lean-beam save Demo.lean",
        "saved as module Demo",
        "Demo.olean",
        "$ lean-beam sync Use.lean",
        "no errors",
        "Times",
        "gone again",
    ] {
        let at = rest.find(part);
        assert!(
            at.is_some(),
            "{part:?} is missing, or too early, in {shown}"
        );
        rest = &rest[at.unwrap_or_default() + part.len()..];
    }
    assert!(
        !shown.contains("\x1b[0m"),
        "colors that nobody wanted: {shown:?}"
    );
    beam.assert_nothing_left(HANG).await;
}

#[tokio::test]
async fn an_interrupted_tour_leaves_nothing_behind() {
    let beam = Beam::real();
    let mut tour = beam.cli(["demo", "--human"]).start().await;
    tour.wait_for_output("1. A proof").await;
    tour.signal(Signal::SIGINT);
    tour.finish().await.expect_code(130);
    beam.assert_nothing_left(HANG).await;
    let left = std::fs::read_dir(&beam.environment()["TMPDIR"]).must("list a directory");
    assert_eq!(left.count(), 0);
}
