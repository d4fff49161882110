//! The scripted server before the handshake, and how it and its workers end.

use std::{path::Path, time::Duration};

use lean_beam_tests::{
    fake::{
        Scenario, read_log,
        scenario::{Action, Occurrence, Rule, Start, Stop, Workers},
    },
    must::Must,
    process::{command, descendants},
    programs,
    raw_lean::RawLean,
    wait::{HANG, eventually, never_during},
};
use nix::sys::signal::Signal;
use serde_json::Value;

use crate::{Fake, a_lean, hover, prepare, with_rules};

#[tokio::test]
async fn version_and_prefix_are_answered_as_lean_does() {
    let ask = |argument: &str| {
        let output = command(programs::built("fake_lean"))
            .arg(argument)
            .output()
            .unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(ask("--version").starts_with("Lean (version 4.35.0, "));
    assert!(Path::new(ask("--print-prefix").trim()).is_dir());
}

#[tokio::test]
async fn anything_before_the_handshake_ends_it() {
    let (command, _folder) = prepare(&Scenario::default());
    let mut lean = RawLean::start_without_handshake(command);
    lean.ask("textDocument/hover", hover(0, 0));
    assert_eq!(lean.exit_code().await, Some(1));
}

#[tokio::test]
async fn a_crash_before_the_handshake_leaves_its_exit_code_and_its_record() {
    let scenario = Scenario {
        start: Start {
            exit_code: Some(7),
            ..Start::default()
        },
        ..Scenario::default()
    };
    let (command, folder) = prepare(&scenario);
    let mut lean = RawLean::start_without_handshake(command);
    assert_eq!(lean.exit_code().await, Some(7));
    assert_eq!(read_log(&folder.path().join("log")).len(), 2);
}

#[tokio::test]
async fn the_nth_request_can_kill_it() {
    let rule = Rule::on("textDocument/hover", [Action::Kill]).when(Occurrence::Only(2));
    let mut fake = Fake::start(&with_rules([rule])).await;
    fake.lean.open(a_lean(), "x");
    fake.lean
        .request("textDocument/hover", hover(0, 0))
        .await
        .unwrap();
    fake.lean.ask("textDocument/hover", hover(0, 0));
    assert_eq!(fake.lean.exit_code().await, None);
}

#[tokio::test]
async fn it_can_be_made_to_end_only_by_a_kill() {
    let scenario = Scenario {
        stop: Stop::only_by_kill(),
        ..Scenario::default()
    };
    let mut fake = Fake::start(&scenario).await;
    fake.lean.ask("shutdown", Value::Null);
    fake.lean.notify("exit", &Value::Null);
    let process = fake.lean.process().unwrap();
    process.signal(Signal::SIGTERM);
    fake.lean.close_input();
    never_during(Duration::from_millis(300), "it left", async || {
        (!process.is_alive()).then_some(())
    })
    .await;
    process.signal(Signal::SIGKILL);
    assert_eq!(fake.lean.exit_code().await, None);
}

#[tokio::test]
async fn stubborn_workers_outlive_it_in_sessions_of_their_own() {
    let scenario = Scenario {
        workers: Some(Workers {
            ignore_eof: true,
            ignore_term: true,
        }),
        ..Scenario::default()
    };
    let mut fake = Fake::start(&scenario).await;
    fake.lean.open(a_lean(), "x");
    fake.lean.verdict(a_lean()).await;
    let worker = descendants(fake.lean.pid()).pop().must("find the worker");
    assert_eq!(worker.session, worker.pid);
    fake.lean.process().unwrap().signal(Signal::SIGKILL);
    fake.lean.exit_code().await;
    worker.signal(Signal::SIGTERM);
    never_during(Duration::from_millis(300), "the worker left", async || {
        (!worker.is_alive()).then_some(())
    })
    .await;
    worker.signal(Signal::SIGKILL);
    eventually(HANG, "the end of the worker", async || {
        (!worker.is_alive()).then_some(())
    })
    .await;
}

#[tokio::test]
async fn good_workers_leave_with_it() {
    let scenario = Scenario {
        workers: Some(Workers::default()),
        ..Scenario::default()
    };
    let mut fake = Fake::start(&scenario).await;
    fake.lean.open(a_lean(), "x");
    fake.lean.verdict(a_lean()).await;
    let worker = descendants(fake.lean.pid()).pop().must("find the worker");
    fake.lean.process().unwrap().signal(Signal::SIGKILL);
    eventually(HANG, "the end of the worker", async || {
        (!worker.is_alive()).then_some(())
    })
    .await;
}
