//! The modern family: metadata on every request.

use serde_json::json;

use crate::support::*;

#[test]
fn one_modern_key_is_enough_to_be_modern_and_not_enough_to_be_valid() {
    for key in [
        PROTOCOL_VERSION,
        CLIENT_CAPABILITIES,
        CLIENT_INFO,
        LOG_LEVEL,
    ] {
        let mut wire = Wire::fresh();
        let value = if key == PROTOCOL_VERSION {
            json!("2026-07-28")
        } else {
            json!({})
        };
        let reply = wire.request(legacy(1, "tools/list", json!({"_meta": {key: value}})));
        assert_eq!(code(&reply), -32602, "{key}");
    }
}

#[test]
fn metadata_is_checked_on_every_request_and_never_kept() {
    let mut wire = Wire::of(Era::Modern);
    let info = json!({"_meta": {CLIENT_INFO: {"name": "x", "version": "1"}, LOG_LEVEL: "debug"}});
    assert!(wire.request(modern(1, "tools/list", info))["result"].is_object());
    let without_capabilities = legacy(
        2,
        "tools/list",
        json!({"_meta": {PROTOCOL_VERSION: "2026-07-28"}}),
    );
    assert_eq!(code(&wire.request(without_capabilities)), -32602);
    let order = wire.call(3, "lean_sync");
    assert_eq!(
        order.logs,
        lean_beam_mcp::protocol::LogPolicy::Request(None),
        "the level of an earlier request is not remembered"
    );
}

#[test]
fn a_refused_revision_is_named_beside_those_that_work() {
    for method in [
        "tools/list",
        "tools/call",
        "server/discover",
        "initialize",
        "no/such",
    ] {
        for revision in ["2025-11-25", "2099-01-01", ""] {
            let mut wire = Wire::fresh();
            let reply = wire.request(modern(
                1,
                method,
                json!({"_meta": {PROTOCOL_VERSION: revision}}),
            ));
            assert_eq!(code(&reply), -32022, "{method}");
            assert_eq!(
                reply["error"]["data"],
                json!({"supported": ["2026-07-28"], "requested": revision})
            );
        }
    }
}

#[test]
fn malformed_optional_metadata_is_invalid_params_on_every_method() {
    for method in ["server/discover", "tools/list", "tools/call"] {
        for meta in [
            json!({CLIENT_INFO: {"name": "x"}}),
            json!({CLIENT_INFO: []}),
            json!({LOG_LEVEL: "loud"}),
            json!({LOG_LEVEL: 3}),
            json!({"progressToken": null}),
            json!({"progressToken": {}}),
        ] {
            let mut wire = Wire::fresh();
            let reply = wire.request(modern(
                1,
                method,
                json!({"name": "beam_version", "_meta": meta}),
            ));
            assert_eq!(code(&reply), -32602, "{method} {meta}");
        }
    }
}

#[test]
fn unknown_metadata_is_tolerated() {
    let meta = json!({"threadId": "t", "traceparent": "00-1", "com.example/x": {"deep": []}});
    let mut wire = Wire::fresh();
    assert!(wire.request(modern(1, "tools/list", json!({"_meta": meta})))["result"].is_object());
    let mut wire = Wire::of(Era::Legacy);
    assert!(wire.request(legacy(1, "tools/list", json!({"_meta": meta})))["result"].is_object());
}

#[test]
fn methods_of_the_legacy_family_do_not_exist_in_the_modern_one() {
    for era_settled in [false, true] {
        for method in [
            "initialize",
            "ping",
            "logging/setLevel",
            "resources/list",
            "prompts/list",
            "subscriptions/listen",
            "completion/complete",
            "notifications/initialized",
            "",
        ] {
            let mut wire = if era_settled {
                Wire::of(Era::Modern)
            } else {
                Wire::fresh()
            };
            assert_eq!(
                code(&wire.request(modern(1, method, json!({})))),
                -32601,
                "{method}"
            );
        }
    }
}
