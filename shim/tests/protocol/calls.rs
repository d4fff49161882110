//! Rules of ids, calls, cancellation and the fence, on the pure protocol, in both families.

use crate::support::*;
use lean_beam_mcp::protocol::{Effect, Line, MAX_CALLS_IN_FLIGHT};
use serde_json::json;

fn releases(effects: &[Effect]) -> Vec<lean_beam_mcp::protocol::Admission> {
    effects
        .iter()
        .map(|effect| match effect {
            Effect::Release(admission) => *admission,
            other => panic!("not a release: {other:?}"),
        })
        .collect()
}

// ---- malformed lines

#[test]
fn malformed_lines_are_answered_without_id_and_change_nothing() {
    for era in ERAS {
        let mut wire = Wire::of(era);
        for (line, expected) in [
            ("{bad", -32700),
            ("\u{1}", -32700),
            ("[]", -32600),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":5,"result":{}}"#, -32600),
            (
                r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}"#,
                -32602,
            ),
            (
                r#"{"jsonrpc":"2.0","method":"notifications/initialized","extra":1}"#,
                -32600,
            ),
        ] {
            let reply = only_reply(wire.line(line));
            assert_eq!(code(&reply), expected, "{line}");
            assert!(reply.get("id").is_none(), "{line}");
        }
        let reply = only_reply(wire.protocol.receive(Line::TooLong));
        assert_eq!((code(&reply), reply.get("id")), (-32600, None));
        assert!(wire.ask("after", "tools/list", json!({}))["result"].is_object());
    }
}

#[test]
fn envelopes_are_closed() {
    for era in ERAS {
        let mut wire = Wire::of(era);
        for (member, value) in [
            ("extra", json!(1)),
            ("result", json!({})),
            ("error", json!({})),
        ] {
            let mut message = wire.compose(1, "tools/list", json!({}));
            message[member] = value;
            let reply = wire.request(message);
            assert_eq!(
                (code(&reply), &reply["id"]),
                (-32600, &json!(1)),
                "{member}"
            );
        }
    }
}

// ---- tools/call

#[test]
fn malformed_or_unknown_calls_are_protocol_errors() {
    for era in ERAS {
        let mut wire = Wire::of(era);
        for params in [
            json!({}),
            json!({"name": 7}),
            json!({"name": "no_such_tool"}),
            json!({"name": "lean_sync", "arguments": []}),
            json!({"name": "lean_sync", "arguments": null}),
            json!({"name": "lean_sync", "extra": 1}),
            json!({"name": "lean_sync", "task": {}}),
            json!({"name": "lean_sync", "inputResponses": {}}),
            json!({"name": "lean_sync", "requestState": "x"}),
        ] {
            let reply = wire.ask(1, "tools/call", params.clone());
            assert_eq!(
                (code(&reply), &reply["id"]),
                (-32602, &json!(1)),
                "{params}"
            );
        }
        assert!(wire.protocol.is_idle());
    }
}

#[test]
fn arguments_that_do_not_fit_are_an_answer_not_a_protocol_error() {
    for era in ERAS {
        let mut wire = Wire::of(era);
        for arguments in [
            json!({}),
            json!({"workspace": {"root": "/p"}}),
            json!({"workspace": {"root": "relative"}, "path": "A"}),
            json!({"workspace": {"root": "/p"}, "path": "A", "extra": 1}),
        ] {
            let order = wire.call_with(1, json!({"name": "lean_sync", "arguments": arguments}));
            let error = order.arguments.as_ref().unwrap_err();
            assert_eq!(error.code, lean_beam_proto::ErrorCode::InvalidInput);
            wire.complete(&order);
            wire.end(&order);
        }
    }
}

#[test]
fn the_log_policy_is_the_requests_own_only_in_the_modern_family() {
    use lean_beam_mcp::protocol::{LogLevel, LogPolicy};
    let mut wire = Wire::of(Era::Modern);
    let params = json!({"name": "beam_version", "_meta": {LOG_LEVEL: "notice"}});
    assert_eq!(
        wire.call_with(1, params).logs,
        LogPolicy::Request(Some(LogLevel::Notice))
    );
    assert_eq!(wire.call(2, "beam_version").logs, LogPolicy::Request(None));
    let mut wire = Wire::of(Era::Legacy);
    assert_eq!(wire.call(1, "beam_version").logs, LogPolicy::Connection);
}

#[test]
fn a_progress_token_is_echoed_as_it_was_sent_or_refused() {
    for era in ERAS {
        let mut wire = Wire::of(era);
        for token in [json!(0), json!("t"), json!(""), json!(1.5)] {
            let params = json!({"name": "beam_version", "_meta": {"progressToken": token}});
            let order = wire.call_with("x", params);
            assert_eq!(
                order.progress_token.as_ref().unwrap().as_json(),
                token.to_string()
            );
            wire.complete(&order);
            wire.end(&order);
        }
        for token in [json!(null), json!(true), json!([1]), json!({})] {
            for (method, params) in [
                ("tools/call", json!({"name": "beam_version"})),
                ("tools/list", json!({})),
            ] {
                let mut params = params;
                params["_meta"] = json!({"progressToken": token});
                assert_eq!(
                    code(&wire.ask("x", method, params)),
                    -32602,
                    "{method} {token}"
                );
            }
        }
    }
}

// ---- ids

#[test]
fn answers_carry_exactly_the_id_of_their_request() {
    for era in ERAS {
        let mut wire = Wire::of(era);
        for id in [
            json!(0),
            json!(""),
            json!("1"),
            json!(1),
            json!(-7),
            json!(9_007_199_254_740_993_i64),
        ] {
            let order = wire.call(id.clone(), "lean_sync");
            assert_eq!(wire.complete(&order).unwrap()["id"], id);
            wire.end(&order);
        }
    }
}

#[test]
fn a_second_request_with_an_id_in_flight_is_ignored_well_formed_or_not() {
    for era in ERAS {
        let mut wire = Wire::of(era);
        let order = wire.call(7, "lean_sync");
        let again = wire.compose(7, "tools/call", json!({"name": "beam_version"}));
        let list = wire.compose(7, "tools/list", json!({}));
        let unknown = wire.compose(7, "no/such", json!({}));
        for message in [again, list, unknown] {
            wire.nothing(message);
        }
        for line in [
            r#"{"jsonrpc":"2.0","id":7}"#,
            r#"{"id":7,"method":"tools/list"}"#,
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":[]}"#,
        ] {
            assert!(wire.line(line).is_empty(), "{line}");
        }
        assert!(
            wire.ask("7", "tools/list", json!({}))["result"].is_object(),
            "another id by type"
        );
        assert_eq!(wire.complete(&order).unwrap()["id"], 7);
    }
}

#[test]
fn an_id_is_free_once_its_answer_is_about_to_be_written() {
    for era in ERAS {
        let mut wire = Wire::of(era);
        let first = wire.call(7, "lean_sync");
        wire.complete(&first).unwrap();
        let early = wire.compose(7, "tools/list", json!({}));
        wire.nothing(early);
        wire.protocol.retire(first.admission);
        let second = wire.call(7, "lean_sync");
        wire.end(&first);
        assert_eq!(wire.complete(&second).unwrap()["id"], 7);
    }
}

#[test]
fn calls_overlap_and_are_answered_in_any_order() {
    for era in ERAS {
        let mut wire = Wire::of(era);
        let orders: Vec<_> = (0..64).map(|id| wire.call(id, "lean_sync")).collect();
        for (id, order) in orders.iter().enumerate().rev() {
            assert!(order.released);
            assert_eq!(wire.complete(order).unwrap()["id"], id);
            wire.end(order);
        }
        assert!(wire.protocol.is_idle());
    }
}

#[test]
fn too_many_calls_at_once_are_refused_one_by_one() {
    for era in ERAS {
        let mut wire = Wire::of(era);
        for id in 0..MAX_CALLS_IN_FLIGHT {
            wire.call(id, "lean_sync");
        }
        let refused = wire.ask("more", "tools/call", json!({"name": "beam_version"}));
        assert_eq!(refused["result"]["isError"], true);
        assert_eq!(
            refused["result"]["structuredContent"]["code"],
            "resourceExhausted"
        );
        assert!(wire.ask("list", "tools/list", json!({}))["result"].is_object());
    }
}

// ---- cancellation

#[test]
fn a_cancelled_call_stops_and_is_never_answered() {
    for era in ERAS {
        let mut wire = Wire::of(era);
        let order = wire.call(7, "lean_sync");
        let other = wire.call(8, "lean_sync");
        let effects = wire.send(cancelled(7));
        assert!(
            matches!(effects.as_slice(), [Effect::Abort(admission)] if *admission == order.admission)
        );
        assert!(wire.complete(&order).is_none());
        assert_eq!(
            wire.complete(&other).unwrap()["id"],
            8,
            "the other call goes on"
        );
    }
}

#[test]
fn cancels_that_meet_nothing_are_harmless() {
    for era in ERAS {
        let mut wire = Wire::of(era);
        wire.nothing(cancelled(7));
        let order = wire.call(7, "lean_sync");
        wire.nothing(cancelled("7"));
        wire.nothing(notification("notifications/cancelled", json!({})));
        wire.nothing(notification(
            "notifications/cancelled",
            json!({"requestId": null}),
        ));
        assert!(wire.complete(&order).is_some());
        wire.nothing(cancelled(7));
        wire.end(&order);
        wire.nothing(cancelled(7));
    }
}

#[test]
fn a_late_cancel_never_meets_a_later_request_of_the_same_id() {
    for era in ERAS {
        let mut wire = Wire::of(era);
        let first = wire.call(7, "lean_sync");
        wire.complete(&first).unwrap();
        wire.nothing(cancelled(7));
        wire.protocol.retire(first.admission);
        wire.end(&first);
        let second = wire.call(7, "lean_sync");
        assert!(wire.complete(&second).is_some());
    }
}

#[test]
fn a_cancelled_id_may_be_used_again_while_the_old_work_is_still_stopping() {
    for era in ERAS {
        let mut wire = Wire::of(era);
        let first = wire.call(7, "lean_sync");
        wire.send(cancelled(7));
        let second = wire.call(7, "lean_sync");
        assert!(wire.complete(&first).is_none());
        wire.end(&first);
        assert_eq!(wire.complete(&second).unwrap()["id"], 7);
    }
}

// ---- the fence

#[test]
fn a_drop_waits_for_earlier_calls_and_holds_later_ones_of_any_workspace() {
    for era in ERAS {
        let mut wire = Wire::of(era);
        let before = wire.call(1, "lean_sync");
        let fence = wire.call(2, "lean_drop_workspace");
        let after = wire.call(3, "beam_version");
        let elsewhere = wire.call_with(
            4,
            json!({"name": "lean_sync", "arguments": {"workspace": {"root": "/other"}, "path": "A"}}),
        );
        assert_eq!(
            [
                before.released,
                fence.released,
                after.released,
                elsewhere.released
            ],
            [true, false, false, false]
        );
        assert!(
            wire.ask("list", "tools/list", json!({}))["result"].is_object(),
            "only calls wait"
        );

        wire.complete(&before).unwrap();
        wire.protocol.retire(before.admission);
        assert_eq!(releases(&wire.end(&before)), [fence.admission]);
        wire.complete(&fence).unwrap();
        assert_eq!(
            releases(&wire.end(&fence)),
            [after.admission, elsewhere.admission]
        );
    }
}

#[test]
fn a_drop_cannot_be_cancelled() {
    for era in ERAS {
        let mut wire = Wire::of(era);
        let fence = wire.call(1, "lean_drop_workspace");
        assert!(fence.released);
        wire.nothing(cancelled(1));
        assert!(wire.protocol.close().is_empty(), "nor by the end");
        assert!(wire.complete(&fence).is_some());
    }
}

#[test]
fn the_end_of_a_connection_cancels_all_calls_without_an_answer() {
    for era in ERAS {
        let mut wire = Wire::of(era);
        let running = wire.call(1, "lean_sync");
        let answered = wire.call(2, "lean_sync");
        wire.complete(&answered).unwrap();
        let held_fence = wire.call(3, "lean_drop_workspace");
        let held = wire.call(4, "lean_sync");
        let aborted: Vec<_> = wire
            .protocol
            .close()
            .iter()
            .map(|effect| match effect {
                Effect::Abort(admission) => *admission,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(aborted, [running.admission, held.admission]);
        assert!(wire.complete(&running).is_none() && wire.complete(&held).is_none());
        wire.end(&running);
        wire.end(&held);
        assert_eq!(releases(&wire.end(&answered)), [held_fence.admission]);
        assert!(wire.complete(&held_fence).is_some());
        wire.end(&held_fence);
        assert!(wire.protocol.is_idle());
    }
}

#[test]
fn a_call_cancelled_behind_a_fence_is_never_sent() {
    for era in ERAS {
        let mut wire = Wire::of(era);
        let fence = wire.call(1, "lean_drop_workspace");
        let held = wire.call(2, "lean_sync");
        let effects = wire.send(cancelled(2));
        assert!(
            matches!(effects.as_slice(), [Effect::Abort(admission)] if *admission == held.admission)
        );
        assert!(wire.end(&held).is_empty());
        wire.complete(&fence);
        assert!(wire.end(&fence).is_empty(), "nobody is left to be released");
    }
}

#[test]
fn a_drop_with_bad_arguments_is_no_fence() {
    for era in ERAS {
        let mut wire = Wire::of(era);
        let before = wire.call(1, "lean_sync");
        let bad = wire.call_with(2, json!({"name": "lean_drop_workspace", "arguments": {}}));
        let after = wire.call(3, "lean_sync");
        assert!(before.released && bad.released && after.released);
    }
}
