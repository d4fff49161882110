//! Cancellation and the fence, with connections behind them.

use serde_json::json;

use crate::stage::*;

#[test]
fn a_cancel_hangs_up_on_that_request_only_and_nothing_is_answered() {
    for era in ERAS {
        let (world, daemon, mut client) = staged(era);
        client.call(1, "lean_sync", world.about_a_file());
        let mut first = daemon.next();
        first.accept();
        client.call(2, "lean_sync", world.about_a_file());
        let mut second = daemon.next();
        second.accept();

        client.cancel(1);
        first.wait_for_hang_up();
        assert!(second.is_open());
        second.succeed(sync_result());
        assert_eq!(client.result(2)["version"], 3);
        let lines = client.seen_until_quiet();
        assert_unanswered(&lines, 1);
    }
}

#[test]
fn a_cancelled_id_is_free_at_once() {
    for era in ERAS {
        let (world, daemon, mut client) = staged(era);
        client.call(1, "lean_sync", world.about_a_file());
        let first = daemon.next();
        client.cancel(1);
        client.call(1, "lean_update", world.about_a_file());
        first.wait_for_hang_up();
        daemon
            .next_for("update")
            .succeed(json!({"path": "A.lean", "version": 9, "changed": false}));
        assert_eq!(client.result(1)["version"], 9);
    }
}

#[test]
fn late_and_foreign_cancels_do_nothing() {
    for era in ERAS {
        let (world, daemon, mut client) = staged(era);
        client.cancel("nobody");
        client.call(1, "lean_sync", world.about_a_file());
        client.cancel("1");
        let job = daemon.next();
        job.succeed(sync_result());
        client.result(1);
        client.cancel(1);
        client.call(1, "lean_sync", world.about_a_file());
        daemon.next().succeed(sync_result());
        client.result(1);
    }
}

#[test]
fn a_drop_is_sent_after_all_earlier_answers_and_later_calls_after_its_own() {
    for era in ERAS {
        let (world, daemon, mut client) = staged(era);
        client.call(1, "lean_sync", world.about_a_file());
        let early = daemon.next_for("sync");
        client.call(2, "lean_drop_workspace", world.about_the_project());
        client.call(3, "lean_update", world.about_a_file());
        client.call(4, "beam_version", json!({}));
        client.call(5, "lean_sync", json!({}));
        client.request("list", "tools/list", json!({}));
        client.answer("list");
        daemon.expect_nothing();

        early.succeed(sync_result());
        let drop_job = daemon.next_for("drop_workspace");
        daemon.expect_nothing();
        client.cancel(2);
        drop_job.succeed(json!({"dropped": true, "invalidated_handles": 2}));
        for _ in 0..2 {
            let job = daemon.next();
            match job.request["op"].as_str() {
                Some("update") => {
                    job.succeed(update_result());
                }
                Some("status") => job.fail(json!({"code": "internalError", "message": "m"})),
                other => panic!("{other:?} was asked"),
            }
        }
        client.answer(3);

        let order: Vec<_> = client
            .seen_until_quiet()
            .iter()
            .filter_map(|written| written.message["id"].as_i64())
            .collect();
        assert_eq!(order[..2], [1, 2], "{order:?}");
        assert_eq!(order.len(), 5, "{order:?}");
    }
}

#[test]
fn a_call_cancelled_behind_a_drop_is_never_sent() {
    for era in ERAS {
        let (world, daemon, mut client) = staged(era);
        client.call(1, "lean_drop_workspace", world.about_the_project());
        let drop_job = daemon.next_for("drop_workspace");
        client.call(2, "lean_sync", world.about_a_file());
        client.cancel(2);
        client.call(3, "lean_update", world.about_a_file());
        drop_job.succeed(drop_result());
        daemon.next_for("update").succeed(update_result());
        client.answer(3);
        let lines = client.seen_until_quiet();
        assert_unanswered(&lines, 2);
    }
}

#[test]
fn a_cancelled_call_makes_room_for_a_drop() {
    let (world, daemon, mut client) = staged(Era::Modern);
    client.call(1, "lean_sync", world.about_a_file());
    let early = daemon.next_for("sync");
    client.call(2, "lean_drop_workspace", world.about_the_project());
    client.cancel(1);
    let drop_job = daemon.next_for("drop_workspace");
    assert!(
        !early.is_open(),
        "the cancelled call hangs up before the drop goes out"
    );
    drop_job.succeed(drop_result());
    assert_eq!(client.result(2)["dropped"], true);
}

#[test]
fn a_call_held_by_a_drop_keeps_its_deadline() {
    let (world, daemon, mut client) = staged(Era::Modern);
    client.call(1, "lean_drop_workspace", world.about_the_project());
    let drop_job = daemon.next_for("drop_workspace");
    let mut arguments = world.about_a_file();
    arguments["timeout_ms"] = json!(30);
    client.call(2, "lean_sync", arguments);
    assert_eq!(client.failure(2), "deadlineExceeded");
    drop_job.succeed(drop_result());
    client.result(1);
    daemon.expect_nothing();
}
