//! Random and mutated lines: whatever comes in, what goes out is valid protocol, and nothing piles up.

use lean_beam_mcp::protocol::{CallOutcome, Effect, Line, Order, Protocol};
use proptest::{prelude::*, test_runner::TestRng};
use serde_json::{Value, json};

use crate::support::*;

/// Lines to grow from: every method in both families, good and bad.
fn seeds() -> Vec<String> {
    let call = json!({"name": "lean_sync", "arguments": {"workspace": {"root": "/p"}, "path": "A.lean"},
        "_meta": {"progressToken": "t"}});
    let mut seeds = vec![
        initialize("2025-11-25"),
        notification("notifications/initialized", json!({})),
        cancelled(1),
        json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
        json!([1, {"a": null}]),
    ];
    for (method, params) in [
        ("server/discover", json!({})),
        ("tools/list", json!({"cursor": ""})),
        ("tools/call", call),
        (
            "tools/call",
            json!({"name": "lean_drop_workspace", "arguments": {"workspace": {"root": "/p"}}}),
        ),
        (
            "tools/call",
            json!({"name": "beam_version", "requestState": "x"}),
        ),
        ("logging/setLevel", json!({"level": "debug"})),
        ("ping", json!({})),
    ] {
        seeds.push(modern(1, method, params.clone()));
        seeds.push(legacy("1", method, params));
    }
    seeds.iter().map(Value::to_string).collect()
}

/// Pieces that mutations put in: structure, ids, escapes, keys that matter.
const PIECES: [&[u8]; 24] = [
    b"{",
    b"}",
    b"[",
    b"]",
    b"\"",
    b",",
    b":",
    b"null",
    b"true",
    b"1.5",
    b"-0",
    b"1e999",
    b"\\ud800",
    b"\\u0000",
    b"\xff",
    b"\xf0\x9f\x98\x80",
    b"\"id\":1,",
    b"\"id\":\"x\",",
    b"\"method\":\"ping\",",
    b"\"params\":{},",
    b"\"_meta\":{},",
    b"\"jsonrpc\":\"2.0\",",
    b"\n",
    b"99999999999999999999",
];

fn mutate(rng: &mut TestRng, seeds: &[String]) -> Vec<u8> {
    let mut line = seeds[rng.random_range(0..seeds.len())].clone().into_bytes();
    for _ in 0..rng.random_range(0..4) {
        let at = rng.random_range(0..=line.len());
        match rng.random_range(0..5) {
            0 => {
                let piece = PIECES[rng.random_range(0..PIECES.len())];
                line.splice(at..at, piece.iter().copied());
            }
            1 => line.truncate(at),
            2 if !line.is_empty() => {
                let end = (at + rng.random_range(0..20)).min(line.len());
                line.drain(at..end);
            }
            3 if at < line.len() => line[at] = rng.random(),
            _ => {
                let other = seeds[rng.random_range(0..seeds.len())].as_bytes();
                let from = rng.random_range(0..=other.len());
                line.truncate(at);
                line.extend_from_slice(&other[from..]);
            }
        }
    }
    line.retain(|byte| *byte != b'\n');
    line
}

fn noise(rng: &mut TestRng) -> Vec<u8> {
    let length = rng.random_range(0..200);
    (0..length).map(|_| rng.random()).collect()
}

/// A reply is a response to an id that the line really had, or an error without id.
#[track_caller]
fn check_reply(line: &[u8], reply: &str) {
    assert!(!reply.contains('\n'), "a reply of two lines: {reply}");
    let value: Value =
        serde_json::from_str(reply).unwrap_or_else(|error| panic!("{error}: {reply}"));
    let object = value.as_object().unwrap();
    assert_eq!(object["jsonrpc"], "2.0");
    let is_result = object.contains_key("result");
    assert_ne!(is_result, object.contains_key("error"), "{reply}");
    match object.get("id") {
        Some(id) => {
            assert!(id.is_string() || id.is_number(), "{reply}");
            let text =
                String::from_utf8(line.to_vec()).expect("an id out of a line that is no text");
            assert!(
                text.contains("\"id\"") || text.contains("\\u"),
                "{reply} to {text}"
            );
            assert_eq!(object.len(), 3);
        }
        None => assert!(!is_result && object.len() == 2, "{reply}"),
    }
    if let Some(error) = object.get("error") {
        assert!(
            error["code"].as_i64().is_some() && error["message"].is_string(),
            "{reply}"
        );
    }
}

/// One connection that answers a call now and then, as a transport would.
struct Session {
    protocol: Protocol,
    open: Vec<Order>,
}

impl Session {
    fn feed(&mut self, rng: &mut TestRng, line: &[u8]) {
        for effect in self.protocol.receive(Line::Whole(line)) {
            match effect {
                Effect::Reply(reply) => check_reply(line, &reply),
                Effect::Start(order) => self.open.push(*order),
                Effect::Abort(admission) => {
                    self.open.retain(|order| order.admission != admission);
                    self.protocol.end(admission);
                }
                Effect::Release(_) | Effect::SetLogLevel(_) => {}
            }
        }
        while self.open.len() > rng.random_range(0..8) {
            let order = self.open.swap_remove(rng.random_range(0..self.open.len()));
            let outcome = match &order.arguments {
                Ok(arguments) => CallOutcome::succeeded(arguments.params.clone(), ""),
                Err(error) => CallOutcome::failed(error),
            };
            let reply = self
                .protocol
                .complete(order.admission, outcome)
                .expect("nobody cancelled it");
            check_reply(reply.as_bytes(), &reply);
            self.protocol.retire(order.admission);
            self.protocol.end(order.admission);
        }
    }
}

#[test]
fn a_hundred_thousand_random_lines_get_valid_protocol_or_nothing() {
    let mut rng = TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha);
    let seeds = seeds();
    for _ in 0..1_000 {
        let mut session = Session {
            protocol: Protocol::new(),
            open: Vec::new(),
        };
        // Half of the connections get past their opening.
        match rng.random_range(0..4) {
            0 => {
                session.feed(&mut rng, initialize("2025-11-25").to_string().as_bytes());
                session.feed(
                    &mut rng,
                    br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
                );
            }
            1 => session.feed(
                &mut rng,
                modern(0, "tools/list", json!({})).to_string().as_bytes(),
            ),
            _ => {}
        }
        for _ in 0..100 {
            let line = if rng.random_range(0..8) == 0 {
                noise(&mut rng)
            } else {
                mutate(&mut rng, &seeds)
            };
            session.feed(&mut rng, &line);
        }
        let open: Vec<_> = session.open.drain(..).collect();
        for order in open {
            session.protocol.end(order.admission);
        }
        assert!(session.protocol.is_idle(), "something stays behind");
    }
}

proptest! {
    #[test]
    fn any_json_at_all_is_taken_without_harm(
        id in prop_oneof![any::<i64>().prop_map(Value::from), any::<String>().prop_map(Value::from), any::<f64>().prop_map(Value::from)],
        method in prop_oneof![Just("tools/call".to_owned()), Just("tools/list".to_owned()), any::<String>()],
        keys in proptest::collection::btree_map(any::<String>(), any::<Option<String>>(), 0..5),
    ) {
        let line = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": keys}).to_string();
        let mut protocol = Protocol::new();
        for effect in protocol.receive(Line::Whole(line.as_bytes())) {
            if let Effect::Reply(reply) = effect {
                check_reply(line.as_bytes(), &reply);
            }
        }
    }
}
