//! Diagnostics as logs, and the levels that let them through.

use serde_json::{Value, json};

use super::{FORWARDED, sample, setup, shows_setup};
use crate::stage::*;

fn diagnostics(severities: &[&str]) -> Value {
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}});
    let items: Vec<_> = severities
        .iter()
        .map(|severity| json!({"range": range, "severity": severity, "message": format!("a {severity}")}))
        .collect();
    json!({"event": "diagnostics", "path": "A.lean", "version": 3, "items": items})
}

const ALL_SEVERITIES: [&str; 4] = ["error", "warning", "information", "hint"];

/// The levels of the diagnostics that come through at a minimum level, and whether a status does.
fn through(era: Era, level: Option<&'static str>, scope: &str) -> (Vec<String>, bool) {
    let (world, daemon, mut client) = staged(era);
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
    let (world, daemon, mut client) = staged(Era::Legacy);
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
    let (world, daemon, mut client) = staged(Era::Modern);
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
    let (world, daemon, mut client) = staged(Era::Legacy);
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
