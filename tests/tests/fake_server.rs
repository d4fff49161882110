//! The scripted server keeps to its scripts, and without one it behaves as real Lean does.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::{path::Path, time::Duration};

use lean_beam_tests::{
    fake::{
        LOG_VARIABLE, LogEntry, SCENARIO_VARIABLE, Scenario, read_log,
        scenario::{
            Action, Elaboration, Garbage, Occurrence, OnCancel, Overtaken, Rule, Shape, Start,
            Stop, Workers,
        },
    },
    must::Must,
    process::{command, descendants},
    programs,
    raw_lean::{RawLean, uri},
    wait::{HANG, eventually, eventually_ok, never_during},
};
use nix::sys::signal::Signal;
use serde_json::{Value, json};

/// A scripted server in a folder of its own.
struct Fake {
    lean: RawLean,
    folder: tempfile::TempDir,
}

impl Fake {
    async fn start(scenario: &Scenario) -> Self {
        let (command, folder) = prepare(scenario);
        let lean = RawLean::start(command).await;
        Self { lean, folder }
    }

    fn log(&self) -> Vec<LogEntry> {
        read_log(&self.folder.path().join("log"))
    }
}

fn prepare(scenario: &Scenario) -> (std::process::Command, tempfile::TempDir) {
    let folder = tempfile::tempdir().must("make a folder");
    let path = folder.path().join("scenario.json");
    let text = serde_json::to_string(scenario).must("write the scenario");
    std::fs::write(&path, text).must("write the scenario");
    let mut command = command(programs::built("fake_lean"));
    command
        .arg("--server")
        .env(SCENARIO_VARIABLE, path)
        .env(LOG_VARIABLE, folder.path().join("log"));
    (command, folder)
}

fn with_rules(rules: impl Into<Vec<Rule>>) -> Scenario {
    Scenario {
        rules: rules.into(),
        ..Scenario::default()
    }
}

fn a_lean() -> &'static Path {
    Path::new("/p/A.lean")
}

fn hover(line: u64, character: u64) -> Value {
    json!({"textDocument": {"uri": uri(a_lean())}, "position": {"line": line, "character": character}})
}

#[tokio::test]
async fn a_good_server_judges_each_version_and_knows_the_word_under_the_cursor() {
    let mut fake = Fake::start(&Scenario::default()).await;
    fake.lean
        .open(a_lean(), "def a := 1 -- WARN: w\nERROR: e\n");
    let found = fake.lean.verdict(a_lean()).await;
    assert_eq!(
        found.iter().map(|one| &one["message"]).collect::<Vec<_>>(),
        ["w", "e"]
    );
    let change = json!([{"range": {"start": {"line": 1, "character": 0}, "end": {"line": 2, "character": 0}}, "text": ""}]);
    fake.lean.change(a_lean(), &change);
    assert_eq!(fake.lean.verdict(a_lean()).await.len(), 1);
    let result = fake
        .lean
        .request("textDocument/hover", hover(0, 5))
        .await
        .unwrap();
    assert_eq!(result["contents"]["value"], "```lean\na\n```");
    assert_eq!(
        fake.lean
            .request("$/lean/plainGoal", hover(0, 5))
            .await
            .unwrap(),
        Value::Null
    );
    fake.lean.request("shutdown", Value::Null).await.unwrap();
    fake.lean.notify("exit", &Value::Null);
    assert_eq!(fake.lean.exit_code().await, Some(0));
}

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
async fn an_edit_overtakes_a_delayed_request_as_the_shape_says() {
    for (overtaken, expected) in [
        (Overtaken::EmptySuccess, Ok(Value::Null)),
        (Overtaken::ContentModified, Err(-32801)),
    ] {
        let mut scenario = with_rules([Rule::on("textDocument/hover", [Action::delay(HANG)])]);
        scenario.shape = Shape {
            overtaken,
            ..Shape::default()
        };
        let mut fake = Fake::start(&scenario).await;
        fake.lean.open(a_lean(), "word\nword");
        let id = fake.lean.ask("textDocument/hover", hover(1, 0));
        fake.lean.change(a_lean(), &json!([{"text": "other"}]));
        let answer = fake.lean.answer_to(id).await;
        assert_eq!(
            answer.map_err(|error| error["code"].as_i64().unwrap()),
            expected
        );
    }
}

#[tokio::test]
async fn a_cancelled_request_is_answered_late_at_once_or_in_full() {
    for (on_cancel, ms, cancelled) in [
        (OnCancel::Late, 300, true),
        (OnCancel::AtOnce, 60_000, true),
        (OnCancel::Ignored, 300, false),
    ] {
        let rule = Rule::on("textDocument/hover", [Action::Delay { ms, on_cancel }]);
        let mut fake = Fake::start(&with_rules([rule])).await;
        fake.lean.open(a_lean(), "word");
        let id = fake.lean.ask("textDocument/hover", hover(0, 0));
        fake.lean.notify("$/cancelRequest", &json!({"id": id}));
        let answer = fake.lean.answer_to(id).await;
        assert_eq!(
            answer.is_err_and(|error| error["code"] == -32800),
            cancelled,
            "{on_cancel:?}"
        );
    }
}

#[tokio::test]
async fn a_crashed_worker_fails_what_waits_and_holds_what_comes_until_the_next_edit() {
    let mut scenario =
        with_rules([
            Rule::on("textDocument/hover", [Action::CrashWorker { after_ms: 0 }])
                .when(Occurrence::Only(1)),
        ]);
    scenario.elaboration = Elaboration {
        takes_ms: 60_000,
        ..Elaboration::default()
    };
    let mut fake = Fake::start(&scenario).await;
    fake.lean.open(a_lean(), "word");
    let wait = json!({"uri": uri(a_lean()), "version": 1});
    let waiting = fake.lean.ask("textDocument/waitForDiagnostics", wait);
    let asking = fake.lean.ask("textDocument/hover", hover(0, 0));
    for id in [waiting, asking] {
        assert_eq!(fake.lean.answer_to(id).await.unwrap_err()["code"], -32902);
    }
    let held = fake.lean.ask("textDocument/hover", hover(0, 0));
    let other = fake.lean.ask(
        "textDocument/hover",
        json!({"textDocument": {"uri": "file:///closed"}, "position": {"line": 0, "character": 0}}),
    );
    // The answer about the other document comes later in time and yet first.
    assert!(fake.lean.answer_to(other).await.is_err());
    fake.lean.change(a_lean(), &json!([{"text": "other"}]));
    let answer = fake.lean.answer_to(held).await.unwrap();
    assert_eq!(answer["contents"]["value"], "```lean\nother\n```");
    let fatal = fake
        .lean
        .notifications("$/lean/fileProgress")
        .into_iter()
        .any(|note| note["params"]["processing"][0]["kind"] == 2);
    assert!(fatal);
}

#[tokio::test]
async fn a_failed_header_is_an_error_with_fatal_progress() {
    let rule = Rule::on(
        "textDocument/didOpen",
        [Action::FailHeader {
            message: "unknown module".to_owned(),
        }],
    );
    let mut fake = Fake::start(&with_rules([rule])).await;
    fake.lean.open(a_lean(), "import Nope\nERROR: unseen");
    let found = fake.lean.verdict(a_lean()).await;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["message"], "unknown module");
    let progress = fake.lean.notifications("$/lean/fileProgress");
    assert_eq!(
        progress.last().unwrap()["params"]["processing"][0]["kind"],
        2
    );
}

#[tokio::test]
async fn stale_imports_are_told_at_once_and_with_every_verdict() {
    let rule = Rule::on(
        "textDocument/didSave",
        [Action::StaleImports {
            of: "A.lean".to_owned(),
        }],
    );
    let mut fake = Fake::start(&with_rules([rule])).await;
    fake.lean.open(a_lean(), "import B");
    assert_eq!(fake.lean.verdict(a_lean()).await.len(), 0);
    fake.lean.notify(
        "textDocument/didSave",
        &json!({"textDocument": {"uri": "file:///p/B.lean"}}),
    );
    fake.lean.change(a_lean(), &json!([{"text": "import B\n"}]));
    assert_eq!(fake.lean.verdict(a_lean()).await.len(), 1);
}

#[tokio::test]
async fn garbage_is_written_as_scripted() {
    for garbage in [
        Garbage::Text("stray".to_owned()),
        Garbage::BadHeader,
        Garbage::BadJson("{".to_owned()),
        Garbage::WrongLength(-3),
        Garbage::HalfFrame(10),
    ] {
        let rule = Rule::on("textDocument/didOpen", [Action::Garbage(garbage.clone())]);
        let (mut command, _folder) = prepare(&with_rules([rule]));
        // Plain reading, since no client could make sense of it.
        let mut child = command
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        for message in [
            json!({"id": 1, "method": "initialize", "params": {}}),
            json!({"method": "initialized"}),
            json!({"method": "textDocument/didOpen", "params": {"textDocument": {"uri": "file:///x", "text": "", "version": 1}}}),
        ] {
            lean_beam_tests::framing::write_message(&mut input, &message).unwrap();
        }
        drop(input);
        let output = child.wait_with_output().unwrap();
        let mut rest = output.stdout.as_slice();
        let whole =
            std::iter::from_fn(|| lean_beam_tests::framing::read_message(&mut rest).transpose())
                .take(3)
                .all(|message| message.is_ok());
        assert!(!whole, "{garbage:?} left the stream in order");
    }
}

#[tokio::test]
async fn other_versions_leave_versions_out_and_number_their_requests() {
    let mut scenario = Scenario::default();
    scenario.shape = Shape {
        versions_in_notifications: false,
        incremental_sync: false,
        register_id: Some(lean_beam_tests::fake::scenario::RequestId::Number(0)),
        ..Shape::default()
    };
    let (command, _folder) = prepare(&scenario);
    let mut lean = RawLean::start_without_handshake(command);
    let result = lean
        .request("initialize", json!({"capabilities": {}}))
        .await
        .unwrap();
    assert_eq!(result["capabilities"]["textDocumentSync"]["change"], 1);
    lean.notify("initialized", &json!({}));
    assert_eq!(lean.next().await.unwrap()["id"], 0);
    lean.open(a_lean(), "ERROR: x");
    assert_eq!(lean.verdict(a_lean()).await.len(), 1);
    let published = lean.notifications("textDocument/publishDiagnostics");
    assert!(
        published
            .iter()
            .all(|note| note["params"].get("version").is_none())
    );
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

#[tokio::test]
async fn what_it_was_sent_is_on_record_with_the_text_of_each_version() {
    let mut fake = Fake::start(&Scenario::default()).await;
    fake.lean.open(a_lean(), "a\r\nb");
    fake.lean.change(a_lean(), &json!([{"range": {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 1}}, "text": "c"}]));
    fake.lean.verdict(a_lean()).await;
    let texts = eventually_ok(HANG, "the record of both versions", async || {
        let found: Vec<_> = fake
            .log()
            .into_iter()
            .filter_map(|entry| match entry.what {
                lean_beam_tests::fake::Entry::Document { text, version, .. } => {
                    Some((version, text))
                }
                _ => None,
            })
            .collect();
        if found.len() == 2 {
            Ok(found)
        } else {
            Err(format!("{found:?}"))
        }
    })
    .await;
    assert_eq!(texts, [(1, "a\r\nb".to_owned()), (2, "a\r\nc".to_owned())]);
    let methods: Vec<_> = fake
        .log()
        .iter()
        .filter_map(|entry| entry.method().map(str::to_owned))
        .collect();
    assert_eq!(
        methods[..3],
        ["initialize", "initialized", "textDocument/didOpen"]
    );
}

#[tokio::test]
async fn a_flood_comes_before_the_verdict_and_deafness_ends_when_it_should() {
    let rules = [
        Rule::on(
            "textDocument/didOpen",
            [Action::Flood {
                notifications: 50,
                diagnostics: 20,
                message_bytes: 1000,
            }],
        ),
        Rule::on(
            "textDocument/hover",
            [Action::StopReading { ms: Some(200) }],
        ),
    ];
    let mut fake = Fake::start(&with_rules(rules)).await;
    fake.lean.open(a_lean(), "x");
    assert_eq!(fake.lean.verdict(a_lean()).await.len(), 0);
    assert!(
        fake.lean
            .notifications("textDocument/publishDiagnostics")
            .len()
            > 50
    );
    for _ in 0..2 {
        fake.lean
            .request("textDocument/hover", hover(0, 0))
            .await
            .unwrap();
    }
}
