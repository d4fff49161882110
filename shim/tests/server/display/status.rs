//! The sign of life, for calls without a token.

use std::time::Duration;

use serde_json::json;

use super::{file_progress, sample, setup};
use crate::stage::*;

#[test]
fn a_silent_call_gives_one_sign_of_life_after_two_seconds() {
    for era in ERAS {
        let (world, daemon, mut client) = staged(era);
        client.set_log_level(Some("notice"));
        client.call("q", "lean_hover", sample(&world, "lean_hover").0);
        let mut job = daemon.next();
        job.accept();
        job.say(&setup());
        job.say(&file_progress(3));
        let start = std::time::Instant::now();
        let line = client.wait_for(|message| message["method"] == "notifications/message");
        assert!(
            start.elapsed() > Duration::from_millis(1_500),
            "{:?}",
            start.elapsed()
        );
        assert_eq!(
            line.message["params"],
            json!({
                "level": "notice",
                "logger": "beam.status",
                "data": {
                    "requestId": "q", "tool": "lean_hover", "state": "running",
                    "message": "lean_hover on A.lean is still working.", "path": "A.lean",
                    "progressHint": "For detailed live updates, pass tools/call params._meta.progressToken.",
                },
            })
        );
        job.succeed(json!({"version": 1, "contents": null}));
        client.result("q");
        let lines = client.seen_until_quiet();
        assert_eq!(notifications(&lines, "notifications/message").len(), 1);
        assert!(
            notifications(&lines, "notifications/progress").is_empty(),
            "nobody asked for progress"
        );
    }
}

#[test]
fn a_setup_gives_the_sign_of_life_at_once_and_only_once() {
    for era in ERAS {
        let (world, daemon, mut client) = staged(era);
        client.set_log_level(Some("notice"));
        client.call(42, "lean_sync", world.about_a_file());
        let mut job = daemon.next();
        job.accept();
        job.say(&setup());
        let line = client.wait_for(|message| message["method"] == "notifications/message");
        let data = &line.message["params"]["data"];
        assert_eq!(
            (&data["requestId"], &data["state"]),
            (&json!(42), &json!("setup"))
        );
        assert!(data["message"].as_str().unwrap().contains("Building Dep"));
        job.say(&setup());
        client.expect_nothing_for(Duration::from_millis(2_200));
        job.succeed(sync_result());
        client.result(42);
        assert_eq!(
            notifications(&client.seen(), "notifications/message").len(),
            1
        );
    }
}

#[test]
fn a_fast_call_is_quiet() {
    for era in ERAS {
        let (world, daemon, mut client) = staged(era);
        client.set_log_level(Some("debug"));
        client.call(1, "lean_update", world.about_a_file());
        daemon.next().succeed(update_result());
        client.result(1);
        let lines = client.seen_until_quiet();
        assert!(
            lines
                .iter()
                .all(|written| written.message.get("method").is_none()),
            "{lines:?}"
        );
    }
}

#[test]
fn a_drop_that_waits_says_so_without_a_path() {
    let (world, daemon, mut client) = staged(Era::Legacy);
    client.call_with_token(1, "lean_sync", world.about_a_file());
    let early = daemon.next();
    client.call(2, "lean_drop_workspace", world.about_the_project());
    let line = client.wait_for(|message| message["method"] == "notifications/message");
    let data = &line.message["params"]["data"];
    assert_eq!(data["tool"], "lean_drop_workspace");
    assert!(data.get("path").is_none());
    early.succeed(sync_result());
    daemon.next().succeed(drop_result());
    client.result(2);
}
