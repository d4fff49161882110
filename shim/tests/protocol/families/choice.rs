//! How a connection comes to be of one family: discovery, and what decides.

use lean_beam_mcp::protocol::Family;
use serde_json::json;

use super::bare;
use crate::support::*;

#[test]
fn discovery_answers_and_leaves_the_connection_undecided() {
    let mut wire = Wire::fresh();
    for _ in 0..2 {
        let reply = wire.request(modern("d", "server/discover", json!({})));
        assert_eq!(reply["result"]["supportedVersions"], json!(["2026-07-28"]));
        assert_eq!(wire.protocol.family(), Family::Undecided);
    }
}

#[test]
fn after_discovery_either_family_may_follow() {
    let mut wire = Wire::fresh();
    wire.request(modern("d", "server/discover", json!({})));
    assert!(wire.request(initialize("2025-11-25"))["result"].is_object());

    let mut wire = Wire::fresh();
    wire.request(modern("d", "server/discover", json!({})));
    assert!(wire.request(modern(1, "tools/list", json!({})))["result"].is_object());
}

#[test]
fn an_initialize_right_behind_a_discovery_works_though_its_answer_was_not_read_yet() {
    let mut wire = Wire::fresh();
    let discovery = wire.send(modern("d", "server/discover", json!({})));
    let initialized = wire.request(initialize("2025-11-25"));
    assert_eq!(only_reply(discovery)["id"], "d");
    assert_eq!(initialized["result"]["protocolVersion"], "2025-11-25");
}

#[test]
fn discovery_is_always_modern_so_a_bare_one_lacks_its_metadata() {
    let mut wire = Wire::fresh();
    assert_eq!(code(&wire.request(bare("server/discover"))), -32602);
    assert_eq!(wire.protocol.family(), Family::Undecided);
    let mut wire = Wire::of(Era::Modern);
    assert_eq!(code(&wire.request(bare("server/discover"))), -32602);
}

#[test]
fn discovery_still_answers_on_a_modern_connection_and_not_on_a_legacy_one() {
    let mut wire = Wire::of(Era::Modern);
    assert!(wire.request(modern("d", "server/discover", json!({})))["result"].is_object());
    let mut wire = Wire::of(Era::Legacy);
    assert_eq!(
        code(&wire.request(modern("d", "server/discover", json!({})))),
        -32600
    );
    assert_eq!(code(&wire.request(bare("server/discover"))), -32600);
}

#[test]
fn the_first_operation_with_valid_metadata_locks_the_modern_family() {
    let mut wire = Wire::fresh();
    wire.request(modern(1, "tools/list", json!({})));
    assert_eq!(wire.protocol.family(), Family::Modern);
    assert_eq!(code(&wire.request(initialize("2025-11-25"))), -32600);

    let mut wire = Wire::fresh();
    wire.send(modern(1, "tools/call", json!({"name": "beam_version"})));
    assert_eq!(wire.protocol.family(), Family::Modern);
}

#[test]
fn a_call_whose_own_answer_is_an_error_result_locks_too() {
    let mut wire = Wire::fresh();
    let order = started(wire.send(modern(1, "tools/call", json!({"name": "lean_sync"}))));
    assert!(order.arguments.is_err());
    assert_eq!(wire.protocol.family(), Family::Modern);
}

#[test]
fn refused_requests_lock_nothing() {
    for refused in [
        modern(
            1,
            "tools/list",
            json!({"_meta": {PROTOCOL_VERSION: "2099-01-01"}}),
        ),
        modern(1, "tools/list", json!({"_meta": {CLIENT_CAPABILITIES: 7}})),
        legacy(
            1,
            "tools/list",
            json!({"_meta": {PROTOCOL_VERSION: "2026-07-28"}}),
        ),
        modern(1, "no/such", json!({})),
        modern(1, "ping", json!({})),
        modern(1, "initialize", json!({})),
        modern(1, "logging/setLevel", json!({"level": "info"})),
        bare("tools/list"),
        bare("ping"),
        legacy(1, "initialize", json!({})),
    ] {
        let mut wire = Wire::fresh();
        wire.request(refused.clone());
        assert_eq!(wire.protocol.family(), Family::Undecided, "{refused}");
        assert!(
            wire.request(initialize("2025-11-25"))["result"].is_object(),
            "{refused}"
        );
    }
}

#[test]
fn a_failed_initialize_leaves_the_modern_family_open() {
    let mut wire = Wire::fresh();
    wire.request(legacy(
        1,
        "initialize",
        json!({"protocolVersion": "2025-11-25"}),
    ));
    assert!(wire.request(modern(2, "tools/list", json!({})))["result"].is_object());
}

#[test]
fn modern_requests_are_refused_on_a_legacy_connection() {
    for method in ["tools/list", "tools/call", "no/such", "ping", "initialize"] {
        let mut wire = Wire::of(Era::Legacy);
        assert_eq!(
            code(&wire.request(modern(1, method, json!({})))),
            -32600,
            "{method}"
        );
    }
    let mut wire = Wire::of(Era::Legacy);
    for key in [
        PROTOCOL_VERSION,
        CLIENT_CAPABILITIES,
        CLIENT_INFO,
        LOG_LEVEL,
    ] {
        let one_key = legacy(1, "tools/list", json!({"_meta": {key: {}}}));
        assert_eq!(
            code(&wire.request(one_key)),
            -32600,
            "{key} alone makes a request modern"
        );
    }
}

#[test]
fn legacy_only_requests_are_refused_on_a_modern_connection() {
    for message in [
        initialize("2025-11-25"),
        bare("ping"),
        legacy(1, "logging/setLevel", json!({"level": "info"})),
    ] {
        let mut wire = Wire::of(Era::Modern);
        assert_eq!(code(&wire.request(message)), -32600);
    }
}

#[test]
fn any_other_bare_request_on_a_modern_connection_lacks_its_metadata() {
    for method in ["tools/list", "tools/call", "no/such"] {
        let mut wire = Wire::of(Era::Modern);
        assert_eq!(code(&wire.request(bare(method))), -32602, "{method}");
        let with_token = legacy(1, method, json!({"_meta": {"progressToken": 1}}));
        assert_eq!(code(&wire.request(with_token)), -32602, "{method}");
    }
}
