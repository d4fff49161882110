//! Progress, for calls with a token.

use std::time::Duration;

use serde_json::json;

use super::{FORWARDED, file_done, file_progress, sample, setup, shows_setup};
use crate::stage::*;

fn shows_files(tool: &str) -> bool {
    shows_setup(tool) || tool == "lean_hover"
}

#[test]
fn with_a_token_each_tool_sends_what_its_row_says_and_no_more() {
    for era in ERAS {
        for tool in FORWARDED {
            let (world, daemon, mut client) = staged(era);
            client.set_log_level(Some("debug"));
            let (arguments, result) = sample(&world, tool);
            client.call_with_token(1, tool, arguments);
            let preparation =
                client.wait_for(|message| message["method"] == "notifications/progress");
            let message = preparation.message["params"]["message"]
                .as_str()
                .unwrap()
                .to_owned();
            assert!(
                message.starts_with(tool) && message.ends_with("preparing"),
                "{message}"
            );

            let mut job = daemon.next();
            job.accept();
            job.say(&setup());
            if shows_setup(tool) {
                let line = client.wait_for(|message| message["method"] == "notifications/progress");
                assert!(
                    line.message["params"]["message"]
                        .as_str()
                        .unwrap()
                        .contains("Building Dep")
                );
            }
            job.say(&file_progress(10));
            if shows_files(tool) {
                let line = client.wait_for(|message| message["method"] == "notifications/progress");
                let params = &line.message["params"];
                assert!(params["total"].as_u64().unwrap() >= 100, "{params}");
            }
            job.say(&file_done());
            if shows_files(tool) {
                let line = client.wait_for(|message| message["method"] == "notifications/progress");
                assert!(
                    line.message["params"]["message"]
                        .as_str()
                        .unwrap()
                        .contains("done=true")
                );
            }
            job.say(&file_done());
            job.succeed(result);
            client.result(1);

            let lines = client.seen_until_quiet();
            check_progress(&lines, tool);
            let wanted = 1 + usize::from(shows_setup(tool)) + 2 * usize::from(shows_files(tool));
            assert_eq!(
                notifications(&lines, "notifications/progress").len(),
                wanted,
                "{tool}"
            );
            assert!(
                notifications(&lines, "notifications/message").is_empty(),
                "{tool}: no status with a token"
            );
        }
    }
}

/// Numbers rise, the token is ours, and the response comes last and at a distance.
fn check_progress(lines: &[Written], tool: &str) {
    let answer = lines
        .iter()
        .position(|written| written.message["id"] == 1)
        .unwrap();
    let progress: Vec<_> = lines
        .iter()
        .enumerate()
        .filter(|(_, written)| written.message["method"] == "notifications/progress")
        .collect();
    let mut last = -1.0;
    for (index, written) in progress {
        assert!(index < answer, "{tool}: progress after the response");
        let gap = lines[answer].at.duration_since(written.at);
        assert!(
            gap >= Duration::from_millis(1),
            "{tool}: {gap:?} before the response"
        );
        let params = &written.message["params"];
        assert_eq!(params["progressToken"], "token");
        let value = params["progress"].as_f64().unwrap();
        assert!(value > last, "{tool}: {value} after {last}");
        last = value;
    }
}

#[test]
fn progress_keeps_its_distance_from_a_response_that_comes_at_once() {
    let (world, daemon, mut client) = staged(Era::Modern);
    for _ in 0..100 {
        client.call_with_token(1, "lean_sync", world.about_a_file());
        let mut job = daemon.next();
        job.accept();
        job.say(&file_progress(99));
        job.say(&file_done());
        job.succeed(sync_result());
        client.result(1);
        check_progress(&client.seen(), "lean_sync");
    }
}

#[test]
fn many_updates_become_few() {
    let (world, daemon, mut client) = staged(Era::Modern);
    client.call_with_token(1, "lean_sync", world.about_a_file());
    let mut job = daemon.next();
    job.accept();
    for line in 0..5_000 {
        job.say(&file_progress(line % 100));
    }
    job.say(&file_done());
    job.succeed(sync_result());
    client.result(1);
    let lines = client.seen();
    check_progress(&lines, "lean_sync");
    let count = notifications(&lines, "notifications/progress").len();
    assert!(count < 60, "{count} updates");
}

#[test]
fn an_integer_token_comes_back_as_an_integer() {
    for era in ERAS {
        let (world, daemon, mut client) = staged(era);
        let params = json!({"name": "lean_update", "arguments": world.about_a_file(), "_meta": {"progressToken": 0}});
        client.request(1, "tools/call", params);
        daemon.next().succeed(update_result());
        client.result(1);
        let progress = notifications(&client.seen(), "notifications/progress");
        assert_eq!(progress[0]["progressToken"], json!(0));
    }
}

#[test]
fn a_drop_with_a_token_is_prepared_before_it_waits() {
    let (world, daemon, mut client) = staged(Era::Modern);
    client.call(1, "lean_sync", world.about_a_file());
    let early = daemon.next();
    client.call_with_token(2, "lean_drop_workspace", world.about_the_project());
    client.wait_for(|message| message["method"] == "notifications/progress");
    early.succeed(sync_result());
    daemon.next().succeed(drop_result());
    client.result(2);
    assert_eq!(
        notifications(&client.seen(), "notifications/progress").len(),
        1
    );
}
