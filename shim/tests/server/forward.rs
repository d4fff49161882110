//! Calls on their way to the daemon and back.

use serde_json::{Value, json};

use crate::stage::*;

#[test]
fn a_call_is_one_request_and_its_answer_echoes_the_canonical_project() {
    for era in ERAS {
        let (world, daemon, mut client) = staged(era);
        let alias = world.base().join("alias");
        std::os::unix::fs::symlink(&world.project, &alias).unwrap();
        let arguments =
            json!({"path": "A.lean", "workspace": {"root": alias}, "diagnostic_scope": "all"});
        client.call(1, "lean_sync", arguments);

        let job = daemon.next_for("sync");
        let request = &job.request;
        assert_eq!(
            request["params"],
            json!({"path": "A.lean", "diagnostic_scope": "all"})
        );
        assert_eq!(
            request["workspace"]["root"],
            world.project.to_str().unwrap()
        );
        assert_eq!(request["client"]["name"], "lean-beam-mcp");
        let deadline = request["deadline_ms"].as_u64().unwrap();
        assert!((40_000..=50_000).contains(&deadline), "{deadline}");
        job.succeed(sync_result());

        let answer = client.answer(1);
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(
            text.starts_with(r#"{"workspace":{"root":"#),
            "the project comes first: {text}"
        );
        let content = &answer["result"]["structuredContent"];
        assert_eq!(
            content["workspace"]["root"],
            world.project.to_str().unwrap()
        );
        assert_eq!(content["version"], 3);
        assert!(answer["result"].get("isError").is_none());
        assert_eq!(
            answer["result"].get("resultType").is_some(),
            era == Era::Modern
        );
    }
}

#[test]
fn the_callers_time_limit_is_the_requests_deadline() {
    let (world, daemon, mut client) = staged(Era::Modern);
    let mut arguments = world.about_a_file();
    arguments["timeout_ms"] = json!(1_234_000);
    client.call(1, "lean_update", arguments);
    let job = daemon.next_for("update");
    let deadline = job.request["deadline_ms"].as_u64().unwrap();
    assert!((1_200_000..=1_234_000).contains(&deadline), "{deadline}");
    assert!(job.request["params"].get("timeout_ms").is_none());
    job.succeed(update_result());
    assert_eq!(client.result(1)["changed"], true);
}

#[test]
fn impossible_roots_are_refused_without_a_daemon() {
    for era in ERAS {
        let (world, daemon, mut client) = staged(era);
        let plain = world.base().join("plain");
        std::fs::create_dir(&plain).unwrap();
        for root in [
            json!("relative"),
            json!(""),
            json!(world.base().join("missing")),
            json!(plain),
            json!(world.project.join("lean-toolchain")),
        ] {
            client.call(
                1,
                "lean_sync",
                json!({"workspace": {"root": root}, "path": "A.lean"}),
            );
            assert_eq!(client.failure(1), "invalidInput", "{root}");
        }
        client.call(
            1,
            "lean_drop_workspace",
            json!({"workspace": {"root": world.base().join("a/../b")}}),
        );
        assert_eq!(client.failure(1), "invalidInput", "gone, and not canonical");
        daemon.expect_nothing();
    }
}

#[test]
fn a_vanished_project_can_still_be_dropped() {
    let (world, daemon, mut client) = staged(Era::Modern);
    let gone = world.base().join("gone");
    client.call(
        1,
        "lean_drop_workspace",
        json!({"workspace": {"root": gone}}),
    );
    let job = daemon.next_for("drop_workspace");
    assert_eq!(job.request["workspace"]["root"], gone.to_str().unwrap());
    job.succeed(json!({"dropped": false, "reason": "notFound", "invalidated_handles": 0}));
    assert_eq!(client.result(1)["reason"], "notFound");
}

#[test]
fn an_error_of_the_daemon_is_an_error_result_as_it_is() {
    for era in ERAS {
        let (world, daemon, mut client) = staged(era);
        client.call("x", "lean_sync", world.about_a_file());
        let error = json!({"code": "workerCrashed", "message": "m", "hint": "h", "data": {"stderr": ["a"]}});
        let mut job = daemon.next();
        job.accept();
        job.fail(error.clone());
        let answer = client.answer("x");
        assert_eq!(answer["result"]["isError"], true);
        assert_eq!(answer["result"]["structuredContent"], error);
    }
}

#[test]
fn a_result_of_another_shape_is_not_passed_on() {
    let (world, daemon, mut client) = staged(Era::Modern);
    client.call(1, "lean_close", world.about_a_file());
    daemon.next().succeed(json!({"closed": "perhaps"}));
    assert_eq!(client.failure(1), "invalidResult");
    client.call(1, "lean_close", world.about_a_file());
    daemon
        .next()
        .succeed(json!({"closed": true, "was_open": false, "secret": 1}));
    assert!(client.result(1).get("secret").is_none());
}

#[test]
fn a_large_result_is_cut_and_says_so() {
    let (world, daemon, mut client) = staged(Era::Modern);
    client.call(1, "lean_sync", world.about_a_file());
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}});
    let items: Vec<_> = (0..3_000)
        .map(|n| json!({"range": range, "severity": "error", "message": format!("error {n}")}))
        .collect();
    let mut result = sync_result();
    result["diagnostics"]["items"] = json!(items);
    result["diagnostics"]["counts"]["error"] = json!(3_000);
    daemon.next().succeed(result);
    let content = client.result(1);
    assert!(content.to_string().chars().count() <= 40_000);
    assert_eq!(content["diagnostics"]["truncated"], true);
    assert_eq!(
        content["diagnostics"]["counts"]["error"], 3_000,
        "counts stay complete"
    );
    assert_eq!(content["diagnostics"]["items"][0]["message"], "error 0");
    assert!(content["truncation"].as_str().unwrap().contains("of 3000"));
}

// ---- a daemon that dies

fn hover(world: &World) -> Value {
    let mut arguments = world.about_a_file();
    arguments["version"] = json!(1);
    arguments["line"] = json!(0);
    arguments["character"] = json!(0);
    arguments
}

#[test]
fn an_observational_call_is_asked_again_once() {
    let (world, daemon, mut client) = staged(Era::Modern);
    client.call(1, "lean_hover", hover(&world));
    let mut first = daemon.next_for("hover");
    first.accept();
    drop(first);
    daemon
        .next_for("hover")
        .succeed(json!({"version": 1, "contents": "x"}));
    assert_eq!(client.result(1)["contents"], "x");

    client.call(2, "lean_hover", hover(&world));
    for _ in 0..2 {
        let mut job = daemon.next();
        job.accept();
    }
    assert_eq!(client.failure(2), "daemonUnavailable");
    daemon.expect_nothing();
}

#[test]
fn any_other_call_that_was_begun_is_not_repeated() {
    for era in ERAS {
        let (world, daemon, mut client) = staged(era);
        client.call(1, "lean_sync", world.about_a_file());
        let mut job = daemon.next();
        job.accept();
        drop(job);
        assert_eq!(client.failure(1), "daemonUnavailable");
        daemon.expect_nothing();
        client.call(2, "lean_sync", world.about_a_file());
        daemon.next().succeed(sync_result());
        assert_eq!(client.result(2)["version"], 3, "the next call works");
    }
}

#[test]
fn a_call_that_was_not_begun_goes_to_the_next_daemon() {
    let (world, daemon, mut client) = staged(Era::Modern);
    client.call(1, "lean_sync", world.about_a_file());
    drop(daemon.next());
    daemon.next().succeed(sync_result());
    assert_eq!(client.result(1)["version"], 3);
}

#[test]
fn a_daemon_that_does_not_keep_the_deadline_is_not_waited_for() {
    let (world, daemon, mut client) = staged(Era::Modern);
    let mut arguments = world.about_a_file();
    arguments["timeout_ms"] = json!(50);
    client.call(1, "lean_sync", arguments);
    let mut job = daemon.next();
    job.accept();
    assert_eq!(client.failure(1), "deadlineExceeded");
    job.wait_for_hang_up();
}

// ---- the utilities

#[test]
fn the_utilities_work_without_a_daemon_and_start_none() {
    for era in ERAS {
        let world = World::new();
        let mut client = Client::connect(&world, era);
        client.call(1, "beam_stats", json!({}));
        assert_eq!(client.result(1)["running"], false);
        client.call(2, "beam_version", json!({}));
        let version = client.result(2);
        assert_eq!(version["server"], "lean-beam-mcp");
        assert_eq!(version["mcp_protocol"], "2026-07-28");
        assert_eq!(version["daemon"], Value::Null);
        assert_eq!(version["pid"], std::process::id());
        assert!(version.get("runtime_error").is_none());
        assert!(!world.runtime_dir.life_lock().exists());
    }
}

#[test]
fn stats_are_those_of_the_daemon() {
    let (_world, daemon, mut client) = staged(Era::Modern);
    client.call_with_token(1, "beam_stats", json!({}));
    daemon.next_for("stats").succeed(
        json!({"since_ms": 5, "connections": 2, "malformed": 0, "operations": {}, "workspaces": []}),
    );
    let stats = client.result(1);
    assert_eq!(
        (&stats["running"], &stats["connections"]),
        (&json!(true), &json!(2))
    );
    assert_eq!(stats["daemon"]["version"], "9.9.9");
    assert!(
        notifications(&client.seen(), "notifications/progress").is_empty(),
        "the token is not used"
    );
}

#[test]
fn the_version_tells_about_the_daemon_and_survives_a_broken_one() {
    let (_world, daemon, mut client) = staged(Era::Modern);
    client.call(1, "beam_version", json!({}));
    daemon.next_for("status").succeed(json!({
        "identity": identity(), "busy": false, "uptime_ms": 1, "runtime_current": false, "program": "/d", "socket": "/s",
        "log_file": "/l", "environment": {}, "workspaces": [], "requests": [],
        "limits": {"daemon_idle_ms": 1, "workspace_idle_ms": 1, "request_bytes": 1, "response_bytes": 1, "requests": 1, "file_bytes": 1},
    }));
    let version = client.result(1);
    assert_eq!(version["daemon"]["build"], "test");
    assert_eq!(
        version["runtime_current"], false,
        "a stale daemon makes the runtime stale"
    );

    client.call(2, "beam_version", json!({}));
    drop(daemon.next());
    let version = client.result(2);
    assert_eq!(version["daemon"], Value::Null);
    assert!(version["runtime_error"].is_string());
}

// ---- many at once

#[test]
fn sixty_four_calls_overlap_and_are_answered_in_any_order() {
    for era in ERAS {
        let (world, daemon, mut client) = staged(era);
        for id in 0..64 {
            let mut arguments = world.about_a_file();
            arguments["path"] = json!(format!("F{id}.lean"));
            client.call(id, "lean_update", arguments);
        }
        let mut jobs: Vec<_> = (0..64).map(|_| daemon.next()).collect();
        jobs.sort_by_key(|job| job.request["params"]["path"].to_string().len());
        while let Some(job) = jobs.pop() {
            let path = job.request["params"]["path"].clone();
            job.succeed(json!({"path": path, "version": 1, "changed": true}));
        }
        let mut answered = 0;
        while answered < 64 {
            let line = client
                .wait_for(|message| message["result"]["structuredContent"]["path"].is_string());
            let path = format!("F{}.lean", line.message["id"]);
            assert_eq!(line.message["result"]["structuredContent"]["path"], path);
            answered += 1;
        }
    }
}

#[test]
fn an_id_can_be_used_again_the_moment_its_answer_is_there() {
    for era in ERAS {
        let world = World::new();
        let mut client = Client::connect(&world, era);
        for _ in 0..500 {
            client.call("same", "beam_stats", json!({}));
            client.result("same");
        }
    }
}
