//! `status --watch`: a live view for people and for programs that disturbs nothing.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::{process::Stdio, time::Duration};

use lean_beam_tests::{
    fake::{
        Scenario,
        scenario::{Action, Rule},
    },
    must::Must,
    process::command,
    programs,
    wait::{HANG, eventually, within},
    world::{Beam, Lean, Project},
};
use nix::sys::signal::Signal;
use serde_json::Value;

const WATCH: [&str; 4] = ["status", "--watch", "--interval", "0.1"];

fn world(scenario: Scenario, config: &str) -> (Beam, Project) {
    let beam = Beam::builder()
        .lean(Lean::Fake(scenario))
        .config(config)
        .build();
    let project = beam.project();
    project.write("A.lean", "ERROR: one\n");
    (beam, project)
}

#[tokio::test]
async fn programs_get_a_line_for_each_look() {
    let slow = Rule::on("textDocument/hover", [Action::Ignore]);
    let scenario = Scenario {
        rules: vec![slow],
        ..Scenario::default()
    };
    let (beam, project) = world(scenario, "");
    let mut watching = beam.cli(WATCH).start().await;
    watching.wait_for_output("\"running\":false").await;
    assert_eq!(beam.processes().len(), 1, "it started something");

    project.sync("A.lean").await.must("sync");
    watching.wait_for_output("\"running\":true").await;
    watching.wait_for_output("\"lanes\":").await;
    let hover = project.cli(&beam, ["hover", "A.lean:1:1"]).start().await;
    watching.wait_for_output("\"op\":\"hover\"").await;
    hover.signal(Signal::SIGINT);
    hover.finish().await.expect_code(130);

    watching.signal(Signal::SIGINT);
    let output = watching.finish().await.expect_code(130);
    let looks: Vec<Value> = output
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).must("read a line as JSON"))
        .collect();
    let last = looks.last().must("look at least once");
    let workspace = &last["status"]["workspaces"][0];
    assert_eq!(workspace["root"], project.root_text());
    assert_eq!(workspace["open_documents"], 1);
    let in_flight = looks
        .iter()
        .flat_map(|look| look["status"]["requests"].as_array().into_iter().flatten())
        .find(|request| request["op"] == "hover")
        .must("find the request");
    assert!(in_flight["age_ms"].is_u64(), "{in_flight}");
    let times: Vec<_> = looks.iter().map(|look| look["time_ms"].as_u64()).collect();
    assert!(times.is_sorted(), "{times:?}");
}

#[tokio::test]
async fn a_daemon_that_is_watched_leaves_all_the_same() {
    let (beam, project) = world(Scenario::default(), "[daemon]\nidle_seconds = 1\n");
    project.sync("A.lean").await.must("sync");
    let mut watching = beam.cli(WATCH).start().await;
    watching.wait_for_output("\"running\":true").await;
    watching.wait_for_output("\"running\":false").await;
    eventually(HANG, "the end of the daemon", async || {
        beam.daemon().is_none().then_some(())
    })
    .await;
    watching.signal(Signal::SIGTERM);
    watching.finish().await.expect_code(143);
}

#[tokio::test]
async fn it_ends_when_nobody_reads_any_more() {
    let (beam, _project) = world(Scenario::default(), "");
    let mut shell = command("sh");
    shell
        .args(["-c", "\"$0\" status --watch --interval 0.1 | head -n 2"])
        .arg(programs::built("lean-beam"))
        .env_clear()
        .envs(beam.environment())
        .stdin(Stdio::null());
    let output = tokio::process::Command::from(shell).output();
    let output = within(HANG, "the end of the watch", output)
        .await
        .must("watch");
    let text = String::from_utf8(output.stdout).must("read text");
    assert_eq!(text.lines().count(), 2);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    beam.assert_nothing_left(HANG).await;
}

#[tokio::test]
async fn people_get_it_in_place_and_without_colors_where_they_want_none() {
    let (beam, project) = world(Scenario::default(), "");
    project.sync("A.lean").await.must("sync");
    let arguments = ["status", "--watch", "--interval", "0.1", "--times", "2"];
    for (no_color, has_colors) in [("", true), ("1", false)] {
        let cli = beam.cli(arguments).env("NO_COLOR", no_color);
        let shown = cli.run_on_terminal().await.expect_code(0).stdout;
        for part in [
            "\x1b[?1049h",
            "\x1b[H",
            "lean-beam 0.",
            "1 open of 1 known",
            "lanes",
            "server",
            "No requests in flight",
            "\x1b[?1049l",
        ] {
            assert!(shown.contains(part), "{part:?} in {shown:?}");
        }
        assert_eq!(shown.contains("\x1b[0m"), has_colors, "{shown:?}");
        assert!(shown.ends_with("\x1b[?25h\x1b[?1049l"), "{shown:?}");
    }
    let piped = beam.cli(["status", "--watch", "--times", "1", "--human"]);
    let shown = piped.run().await.expect_code(0).stdout;
    assert!(!shown.contains('\x1b'), "{shown:?}");
    assert!(shown.contains(project.root_text()), "{shown}");
}

#[tokio::test]
async fn a_wrong_command_line_is_told() {
    let (beam, _project) = world(Scenario::default(), "");
    for arguments in [
        &["status", "--times", "2"][..],
        &["status", "--watch", "--interval", "0.01"],
        &["status", "--watch", "--times", "0"],
    ] {
        beam.cli(arguments.iter().copied())
            .run()
            .await
            .expect_code(2);
    }
    let span = Duration::from_secs(3600).as_secs().to_string();
    let once = ["status", "--watch", "--interval", &span, "--times", "1"];
    beam.cli(once).run().await.expect_code(0);
}
