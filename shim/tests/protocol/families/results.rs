//! Envelopes of results in both families.

use serde_json::json;

use crate::support::*;

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
