//! What the scripted server answers and tells, by itself and as scripted.

use lean_beam_tests::{
    fake::{
        Scenario,
        scenario::{Action, Elaboration, Occurrence, OnCancel, Overtaken, Rule, Shape},
    },
    raw_lean::{RawLean, uri},
    wait::{HANG, eventually_ok},
};
use serde_json::{Value, json};

use crate::{Fake, a_lean, hover, prepare, with_rules};

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
