//! Rules of the two protocol families, on the pure protocol.

use crate::support::*;
use lean_beam_mcp::protocol::Family;
use serde_json::{Value, json};

fn bare(method: &str) -> Value {
    legacy(9, method, json!({}))
}

// ---- discovery

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

// ---- locking

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

// ---- modern metadata

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

// ---- legacy life cycle

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

// ---- envelopes of results

#[test]
fn modern_results_say_that_they_are_complete_and_who_made_them() {
    let mut wire = Wire::of(Era::Modern);
    let list = wire.ask(1, "tools/list", json!({}))["result"].clone();
    let order = wire.call(2, "beam_version");
    let called = wire.complete(&order).unwrap()["result"].clone();
    for result in [&list, &called] {
        assert_eq!(result["resultType"], "complete");
        assert_eq!(result["_meta"][SERVER_INFO]["name"], "lean-beam-mcp");
    }
    assert_eq!(
        (&list["ttlMs"], &list["cacheScope"]),
        (&json!(3_600_000), &json!("public"))
    );
    assert!(called.get("ttlMs").is_none() && called.get("cacheScope").is_none());
}

#[test]
fn legacy_results_have_nothing_of_that() {
    let mut wire = Wire::of(Era::Legacy);
    let list = wire.ask(1, "tools/list", json!({}))["result"].clone();
    assert_eq!(
        list.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["tools"]
    );
    let order = wire.call(2, "beam_version");
    let called = wire.complete(&order).unwrap()["result"].clone();
    assert_eq!(
        called.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["content", "structuredContent"]
    );
}

#[test]
fn both_families_list_the_same_tools_in_the_same_order() {
    let lists: Vec<_> = ERAS
        .into_iter()
        .map(|era| Wire::of(era).ask(1, "tools/list", json!({}))["result"]["tools"].clone())
        .collect();
    assert_eq!(lists[0].to_string(), lists[1].to_string());
    assert!(lists[0].as_array().unwrap().len() >= 8);
}

#[test]
fn a_list_on_one_page_knows_no_cursor_but_the_empty_one() {
    for era in ERAS {
        let mut wire = Wire::of(era);
        assert!(wire.ask(1, "tools/list", json!({"cursor": ""}))["result"].is_object());
        for cursor in [json!("next"), json!(7), json!(null)] {
            assert_eq!(
                code(&wire.ask(2, "tools/list", json!({"cursor": cursor}))),
                -32602
            );
        }
    }
}
