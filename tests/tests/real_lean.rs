//! Real Lean behaves as the other tests take for granted.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::time::Duration;

use lean_beam_proto::text::{Range, Severity};
use lean_beam_tests::{
    lean_text::{BUSY_EVAL, Line, expected, slow_proof, text_of},
    must::Must,
    raw_lean::{RawLean, uri},
    wait::{HANG, eventually, never_during},
};
use serde_json::{Value, json};

async fn lean() -> (RawLean, tempfile::TempDir) {
    let folder = tempfile::tempdir().must("make a folder");
    (RawLean::start_real(folder.path()).await, folder)
}

fn place(diagnostic: &Value) -> (Severity, Range) {
    let severity = match diagnostic["severity"].as_u64() {
        Some(1) => Severity::Error,
        Some(2) => Severity::Warning,
        Some(3) => Severity::Information,
        _ => Severity::Unknown,
    };
    let range: Range = serde_json::from_value(diagnostic["range"].clone()).must("read a range");
    (severity, range)
}

#[tokio::test]
async fn each_kind_of_line_has_the_verdict_that_the_tests_expect() {
    let (mut lean, folder) = lean().await;
    let lines: Vec<_> = (0..21).map(|number| Line::of(number, number)).collect();
    let path = folder.path().join("A.lean");
    lean.open(&path, &text_of(&lines, "\n"));
    let found: Vec<_> = lean.verdict(&path).await.iter().map(place).collect();
    assert_eq!(found, expected(&lines));
}

#[tokio::test]
async fn a_slow_proof_holds_up_the_verdict_and_a_busy_eval_never_gives_one() {
    let (mut lean, folder) = lean().await;
    let path = folder.path().join("A.lean");
    lean.open(&path, &slow_proof(300));
    assert_eq!(lean.verdict(&path).await, Vec::<Value>::new());
    lean.change(&path, &json!([{"text": BUSY_EVAL}]));
    let wait = json!({"uri": uri(&path), "version": 2});
    let id = lean.ask("textDocument/waitForDiagnostics", wait);
    let answered = async {
        while let Some(message) = lean.next().await {
            if message["id"] == id && message.get("method").is_none() {
                return;
            }
        }
    };
    let early = tokio::time::timeout(Duration::from_secs(2), answered).await;
    assert!(early.is_err(), "the busy command came to an end");
}

#[tokio::test]
async fn its_workers_have_sessions_of_their_own_and_leave_with_it() {
    let (mut lean, folder) = lean().await;
    let path = folder.path().join("A.lean");
    lean.open(&path, BUSY_EVAL);
    let worker = eventually(HANG, "the worker", async || {
        lean_beam_tests::process::descendants(lean.pid()).pop()
    })
    .await;
    eventually(HANG, "the worker's own session", async || {
        let now = lean_beam_tests::process::Process::find(worker.pid)?;
        (now.session == now.pid).then_some(())
    })
    .await;
    let never = Duration::from_millis(200);
    never_during(never, "the worker left", async || {
        (!worker.is_alive()).then_some(())
    })
    .await;
    drop(lean);
    eventually(HANG, "the end of the worker", async || {
        (!worker.is_alive()).then_some(())
    })
    .await;
}
