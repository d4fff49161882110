//! The legacy family: its life cycle and its log level.

use serde_json::json;

use super::bare;
use crate::support::*;

#[test]
fn a_known_revision_is_echoed_and_any_other_gets_the_newest() {
    for (asked, answered) in [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2025-03-26", "2025-03-26"),
        ("2024-11-05", "2024-11-05"),
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let mut wire = Wire::fresh();
        assert_eq!(
            wire.request(initialize(asked))["result"]["protocolVersion"],
            answered
        );
    }
}

#[test]
fn initialize_must_say_who_is_there_and_what_it_can() {
    let full = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}});
    for (member, bad) in [
        ("protocolVersion", json!(7)),
        ("capabilities", json!([])),
        ("clientInfo", json!({"name": "x"})),
        ("clientInfo", json!({"name": 1, "version": "1"})),
        ("clientInfo", json!("x")),
    ] {
        let mut params = full.clone();
        params[member] = bad;
        assert_eq!(
            code(&Wire::fresh().request(legacy(1, "initialize", params))),
            -32602,
            "{member}"
        );
        let mut params = full.clone();
        params.as_object_mut().unwrap().remove(member);
        assert_eq!(
            code(&Wire::fresh().request(legacy(1, "initialize", params))),
            -32602,
            "no {member}"
        );
    }
}

#[test]
fn before_initialize_only_ping_is_served() {
    let mut wire = Wire::fresh();
    assert_eq!(wire.request(bare("ping"))["result"], json!({}));
    for method in ["tools/list", "tools/call", "logging/setLevel", "no/such"] {
        assert_eq!(code(&wire.request(bare(method))), -32600, "{method}");
    }
}

#[test]
fn between_initialize_and_initialized_only_ping_is_served() {
    let mut wire = Wire::fresh();
    wire.request(initialize("2025-11-25"));
    assert_eq!(wire.request(bare("ping"))["result"], json!({}));
    for method in ["tools/list", "tools/call", "logging/setLevel", "no/such"] {
        assert_eq!(code(&wire.request(bare(method))), -32600, "{method}");
    }
    wire.nothing(notification("notifications/initialized", json!({})));
    assert!(wire.request(bare("tools/list"))["result"].is_object());
}

#[test]
fn an_initialized_that_comes_too_early_does_not_count() {
    let mut wire = Wire::fresh();
    wire.nothing(notification("notifications/initialized", json!({})));
    wire.request(initialize("2025-11-25"));
    assert_eq!(code(&wire.request(bare("tools/list"))), -32600);
}

#[test]
fn a_second_initialize_is_refused_and_changes_nothing() {
    let mut wire = Wire::of(Era::Legacy);
    assert_eq!(code(&wire.request(initialize("2025-06-18"))), -32600);
    assert!(wire.request(bare("tools/list"))["result"].is_object());
    let mut wire = Wire::fresh();
    wire.request(initialize("2025-11-25"));
    assert_eq!(code(&wire.request(initialize("2025-11-25"))), -32600);
}

#[test]
fn a_legacy_connection_knows_no_other_methods() {
    let mut wire = Wire::of(Era::Legacy);
    for method in [
        "no/such",
        "resources/list",
        "prompts/list",
        "notifications/initialized",
    ] {
        assert_eq!(code(&wire.request(bare(method))), -32601, "{method}");
    }
}

#[test]
fn the_log_level_is_set_by_name_and_answered_with_nothing() {
    use lean_beam_mcp::protocol::{Effect, LogLevel};
    let mut wire = Wire::of(Era::Legacy);
    let effects = wire.send(legacy(1, "logging/setLevel", json!({"level": "warning"})));
    let [Effect::SetLogLevel(LogLevel::Warning), Effect::Reply(line)] = effects.as_slice() else {
        panic!("{effects:?}")
    };
    assert_eq!(line, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    for bad in [json!({"level": "loud"}), json!({"level": 3}), json!({})] {
        assert_eq!(
            code(&wire.request(legacy(2, "logging/setLevel", bad))),
            -32602
        );
    }
}
