//! Whole sessions, byte for byte, on the pure protocol.

use std::collections::VecDeque;

use lean_beam_mcp::protocol::{CallOutcome, Effect};
use serde_json::Value;

use crate::support::Wire;

/// Lines of a session and the exact answers. Calls are answered at once with `{"ok":true}`.
fn replay(golden: &str) {
    let mut wire = Wire::fresh();
    let mut replies = VecDeque::new();
    let version = env!("CARGO_PKG_VERSION");
    for (number, line) in golden.lines().enumerate() {
        let place = || format!("line {}: {line}", number + 1);
        match line.split_at_checked(2) {
            Some(("> ", sent)) => {
                assert!(replies.is_empty(), "{}: unexpected {replies:?}", place());
                replies.extend(
                    wire.line(sent)
                        .into_iter()
                        .filter_map(|effect| answer(&mut wire, effect)),
                );
            }
            Some(("< ", wanted)) => {
                let reply: String = replies
                    .pop_front()
                    .unwrap_or_else(|| panic!("{}: nothing came", place()));
                assert_eq!(reply, wanted.replace("VERSION", version), "{}", place());
            }
            _ => assert!(line.is_empty() || line.starts_with('#'), "{}", place()),
        }
    }
    assert!(replies.is_empty(), "left over: {replies:?}");
}

fn answer(wire: &mut Wire, effect: Effect) -> Option<String> {
    match effect {
        Effect::Reply(line) => Some(shorten(&line)),
        Effect::Start(order) => {
            let outcome = match &order.arguments {
                Ok(_) => CallOutcome::succeeded("{\"ok\":true}".to_owned(), ""),
                Err(error) => CallOutcome::failed(error),
            };
            let line = wire.protocol.complete(order.admission, outcome);
            wire.protocol.end(order.admission);
            line
        }
        Effect::SetLogLevel(_) | Effect::Release(_) | Effect::Abort(_) => None,
    }
}

/// The list of tools and the instructions have their own tests and change with every tool.
fn shorten(line: &str) -> String {
    let Ok(reply) = serde_json::from_str::<Value>(line) else {
        return line.to_owned();
    };
    let mut line = line.to_owned();
    for member in ["tools", "instructions"] {
        if let Some(value) = reply["result"].get(member) {
            let start = line.find(&format!("\"{member}\":")).unwrap() + member.len() + 3;
            let length = if member == "tools" {
                lean_beam_mcp::tools::list().len()
            } else {
                value.to_string().len()
            };
            line.replace_range(start..start + length, "…");
        }
    }
    line
}

#[test]
fn a_modern_session_is_answered_byte_for_byte() {
    replay(include_str!("golden/modern.txt"));
}

#[test]
fn a_legacy_session_is_answered_byte_for_byte() {
    replay(include_str!("golden/legacy.txt"));
}
