//! Garbage, floods and deafness of the scripted server.

use lean_beam_tests::fake::scenario::{Action, Garbage, Rule};
use serde_json::json;

use crate::{Fake, a_lean, hover, prepare, with_rules};

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
