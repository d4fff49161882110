//! The display-control matrix: which notifications come, in which form, and when.

use std::time::Duration;

use serde_json::{Value, json};

use crate::stage::*;

fn file_progress(line: u32) -> Value {
    json!({"event": "progress", "path": "A.lean", "version": 3, "updates": line, "done": false,
        "range_start_line": line, "range_end_line": 100, "lines": 100})
}

fn file_done() -> Value {
    json!({"event": "progress", "path": "A.lean", "version": 3, "updates": 9, "done": true, "lines": 100})
}

fn setup() -> Value {
    json!({"event": "setup", "path": "A.lean", "message": "Building Dep"})
}

fn diagnostics(severities: &[&str]) -> Value {
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}});
    let items: Vec<_> = severities
        .iter()
        .map(|severity| json!({"range": range, "severity": severity, "message": format!("a {severity}")}))
        .collect();
    json!({"event": "diagnostics", "path": "A.lean", "version": 3, "items": items})
}

const ALL_SEVERITIES: [&str; 4] = ["error", "warning", "information", "hint"];

/// One tool with arguments and a result that fit it.
fn sample(world: &World, tool: &str) -> (Value, Value) {
    let mut arguments = world.about_a_file();
    let result = match tool {
        "lean_sync" | "lean_refresh" => sync_result(),
        "lean_save" => save_result(),
        "lean_close_save" => json!({"closed": true, "saved": save_result()}),
        "lean_update" => json!({"path": "A.lean", "version": 1, "changed": true}),
        "lean_close" => json!({"closed": true, "was_open": true}),
        "lean_hover" => {
            for (name, value) in [("version", 1), ("line", 0), ("character", 0)] {
                arguments[name] = json!(value);
            }
            json!({"version": 1, "contents": null})
        }
        "lean_drop_workspace" => {
            arguments = json!({"workspace": {"root": world.project}});
            json!({"dropped": true, "invalidated_handles": 0})
        }
        other => panic!("no sample for {other}"),
    };
    (arguments, result)
}

fn save_result() -> Value {
    let mut sync = sync_result();
    let progress = sync.as_object_mut().unwrap().remove("document_progress");
    json!({
        "path": "A.lean", "module": "A", "version": 3, "source_hash": "0123456789abcdef", "olean": "/p/A.olean",
        "ilean": "/p/A.ilean", "c": "/p/A.c", "trace": "/p/A.olean.trace", "sync": sync, "document_progress": progress,
    })
}

const FORWARDED: [&str; 8] = [
    "lean_sync",
    "lean_refresh",
    "lean_save",
    "lean_close_save",
    "lean_update",
    "lean_close",
    "lean_hover",
    "lean_drop_workspace",
];

fn shows_files(tool: &str) -> bool {
    shows_setup(tool) || tool == "lean_hover"
}

fn shows_setup(tool: &str) -> bool {
    ["lean_sync", "lean_refresh", "lean_save", "lean_close_save"].contains(&tool)
}

#[test]
fn with_a_token_each_tool_sends_what_its_row_says_and_no_more() {
    for era in ERAS {
        for tool in FORWARDED {
            let world = World::new();
            let daemon = Daemon::listen(&world);
            let mut client = Client::connect(&world, era);
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
    let world = World::new();
    let daemon = Daemon::listen(&world);
    let mut client = Client::connect(&world, Era::Modern);
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
    let world = World::new();
    let daemon = Daemon::listen(&world);
    let mut client = Client::connect(&world, Era::Modern);
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
        let world = World::new();
        let daemon = Daemon::listen(&world);
        let mut client = Client::connect(&world, era);
        let params = json!({"name": "lean_update", "arguments": world.about_a_file(), "_meta": {"progressToken": 0}});
        client.request(1, "tools/call", params);
        daemon
            .next()
            .succeed(json!({"path": "A.lean", "version": 1, "changed": true}));
        client.result(1);
        let progress = notifications(&client.seen(), "notifications/progress");
        assert_eq!(progress[0]["progressToken"], json!(0));
    }
}

// ---- the sign of life

#[test]
fn a_silent_call_gives_one_sign_of_life_after_two_seconds() {
    for era in ERAS {
        let world = World::new();
        let daemon = Daemon::listen(&world);
        let mut client = Client::connect(&world, era);
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
        let world = World::new();
        let daemon = Daemon::listen(&world);
        let mut client = Client::connect(&world, era);
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
        let world = World::new();
        let daemon = Daemon::listen(&world);
        let mut client = Client::connect(&world, era);
        client.set_log_level(Some("debug"));
        client.call(1, "lean_update", world.about_a_file());
        daemon
            .next()
            .succeed(json!({"path": "A.lean", "version": 1, "changed": true}));
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
    let world = World::new();
    let daemon = Daemon::listen(&world);
    let mut client = Client::connect(&world, Era::Legacy);
    client.call_with_token(1, "lean_sync", world.about_a_file());
    let early = daemon.next();
    client.call(
        2,
        "lean_drop_workspace",
        json!({"workspace": {"root": world.project}}),
    );
    let line = client.wait_for(|message| message["method"] == "notifications/message");
    let data = &line.message["params"]["data"];
    assert_eq!(data["tool"], "lean_drop_workspace");
    assert!(data.get("path").is_none());
    early.succeed(sync_result());
    daemon
        .next()
        .succeed(json!({"dropped": true, "invalidated_handles": 0}));
    client.result(2);
}

#[test]
fn a_drop_with_a_token_is_prepared_before_it_waits() {
    let world = World::new();
    let daemon = Daemon::listen(&world);
    let mut client = Client::connect(&world, Era::Modern);
    client.call(1, "lean_sync", world.about_a_file());
    let early = daemon.next();
    client.call_with_token(
        2,
        "lean_drop_workspace",
        json!({"workspace": {"root": world.project}}),
    );
    client.wait_for(|message| message["method"] == "notifications/progress");
    early.succeed(sync_result());
    daemon
        .next()
        .succeed(json!({"dropped": true, "invalidated_handles": 0}));
    client.result(2);
    assert_eq!(
        notifications(&client.seen(), "notifications/progress").len(),
        1
    );
}

// ---- log levels

/// The levels of the diagnostics that come through at a minimum level, and whether a status does.
fn through(era: Era, level: Option<&'static str>, scope: &str) -> (Vec<String>, bool) {
    let world = World::new();
    let daemon = Daemon::listen(&world);
    let mut client = Client::connect(&world, era);
    client.set_log_level(level);
    let mut arguments = world.about_a_file();
    arguments["diagnostic_scope"] = json!(scope);
    client.call(7, "lean_sync", arguments);
    let mut job = daemon.next();
    job.accept();
    job.say(&setup());
    job.say(&diagnostics(&ALL_SEVERITIES));
    job.succeed(sync_result());
    client.result(7);
    let logs = notifications(&client.seen(), "notifications/message");
    let of = |logger: &str| {
        logs.iter()
            .filter(|log| log["logger"] == logger)
            .cloned()
            .collect::<Vec<_>>()
    };
    for log in of("lean.diagnostic") {
        let data = &log["data"];
        assert_eq!(
            (&data["requestId"], &data["path"], &data["version"]),
            (&json!(7), &json!("A.lean"), &json!(3))
        );
        assert!(
            data["message"].is_string()
                && data["range"].is_object()
                && data["severity"].is_string()
        );
    }
    let levels = of("lean.diagnostic")
        .iter()
        .map(|log| log["level"].as_str().unwrap().to_owned())
        .collect();
    (levels, of("beam.status").len() == 1)
}

#[test]
fn the_log_level_decides_over_diagnostics_and_status() {
    for era in ERAS {
        for (level, wanted, status) in [
            ("debug", vec!["error", "warning", "info", "debug"], true),
            ("info", vec!["error", "warning", "info"], true),
            ("notice", vec!["error", "warning"], true),
            ("warning", vec!["error", "warning"], false),
            ("error", vec!["error"], false),
            ("critical", vec![], false),
            ("alert", vec![], false),
            ("emergency", vec![], false),
        ] {
            let (levels, has_status) = through(era, Some(level), "all");
            assert_eq!(levels, wanted, "{era:?} {level}");
            assert_eq!(has_status, status, "{era:?} {level}");
        }
    }
}

#[test]
fn without_a_level_legacy_clients_get_all_and_modern_ones_nothing() {
    assert_eq!(through(Era::Legacy, None, "all").0.len(), 4);
    assert!(through(Era::Legacy, None, "all").1);
    assert_eq!(through(Era::Modern, None, "all"), (vec![], false));
}

#[test]
fn the_scope_decides_which_diagnostics_are_candidates() {
    for era in ERAS {
        assert_eq!(through(era, Some("debug"), "errors").0, ["error"]);
    }
}

#[test]
fn only_verdicts_send_diagnostics() {
    let world = World::new();
    let daemon = Daemon::listen(&world);
    let mut client = Client::connect(&world, Era::Legacy);
    for tool in FORWARDED {
        let (arguments, result) = sample(&world, tool);
        client.call(1, tool, arguments);
        let mut job = daemon.next();
        job.accept();
        job.say(&diagnostics(&["error"]));
        job.succeed(result);
        client.result(1);
        let logs = notifications(&client.seen(), "notifications/message");
        assert_eq!(logs.len(), usize::from(shows_setup(tool)), "{tool}");
    }
}

#[test]
fn a_modern_level_is_not_remembered() {
    let world = World::new();
    let daemon = Daemon::listen(&world);
    let mut client = Client::connect(&world, Era::Modern);
    for (level, wanted) in [(Some("debug"), 1), (None, 0)] {
        client.set_log_level(level);
        client.call(1, "lean_sync", world.about_a_file());
        let mut job = daemon.next();
        job.say(&diagnostics(&["error"]));
        job.succeed(sync_result());
        client.result(1);
        assert_eq!(
            notifications(&client.seen(), "notifications/message").len(),
            wanted
        );
    }
}

#[test]
fn a_flood_of_diagnostics_is_cut_off() {
    let world = World::new();
    let daemon = Daemon::listen(&world);
    let mut client = Client::connect(&world, Era::Legacy);
    client.call(1, "lean_sync", world.about_a_file());
    let mut job = daemon.next();
    for _ in 0..30 {
        job.say(&diagnostics(&["error"; 100]));
    }
    job.succeed(sync_result());
    client.result(1);
    assert_eq!(
        notifications(&client.seen(), "notifications/message").len(),
        1_000
    );
}
