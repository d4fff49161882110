//! The command line: exit codes, both kinds of output, roots, signals.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::time::Duration;

use lean_beam_tests::{
    fake::{
        Scenario,
        scenario::{Action, Elaboration, Rule},
    },
    lean_text::{Line, slow_proof, text_of},
    must::Must,
    wait::{HANG, eventually},
    world::{Beam, Lean, Project},
};
use nix::sys::signal::Signal;
use serde_json::{Value, json};

fn fake_world() -> (Beam, Project) {
    let beam = Beam::fake(Scenario::default());
    let project = beam.project();
    project.write("Good.lean", "word\n");
    project.write("Bad.lean", "word\nERROR: bad\nWARN: so so\n");
    (beam, project)
}

#[tokio::test]
async fn exit_codes_are_as_documented() {
    let (beam, project) = fake_world();
    let blocked = Beam::builder()
        .lean(Lean::Fake(Scenario::default()))
        .env("LEAN_BEAM_RUNTIME_DIR", "/dev/null/nowhere")
        .build();
    for (arguments, code) in [
        (vec!["sync", "Good.lean"], 0),
        (vec!["hover", "Good.lean", "0", "1"], 0),
        (vec!["update", "Bad.lean"], 0),
        (vec!["sync", "Bad.lean"], 1),
        (vec!["refresh", "Bad.lean"], 1),
        (vec![], 2),
        (vec!["no-such-command"], 2),
        (vec!["sync"], 2),
        (vec!["sync", "Good.lean", "--no-such-option"], 2),
        (vec!["sync", "Good.lean", "--timeout", "never"], 2),
        (vec!["sync", "Missing.lean"], 3),
        (vec!["hover", "Good.lean", "77", "0"], 3),
        (vec!["hover", "Good.lean", "0", "0", "--version", "99"], 3),
        (vec!["request", "fly"], 3),
        (vec!["--help"], 0),
        (vec!["sync", "--help"], 0),
        (vec!["--version"], 0),
    ] {
        let output = project.cli(&beam, arguments.clone()).run().await;
        assert_eq!(output.code, code, "{arguments:?}: {output:?}");
    }
    let elsewhere = blocked.project();
    elsewhere.write("A.lean", "x\n");
    elsewhere
        .cli(&blocked, ["sync", "A.lean"])
        .run()
        .await
        .expect_code(4);
}

#[tokio::test]
async fn piped_output_is_one_json_object_and_nothing_else_is_on_standard_output() {
    let beam = Beam::real();
    let project = beam.project();
    project.write(
        "A.lean",
        text_of(&[Line::Mismatch, Line::Check, Line::Sorry], "\n"),
    );
    let output = project
        .cli(&beam, ["sync", "A.lean", "--items", "--scope", "all"])
        .run()
        .await
        .expect_code(1);
    let json = output.json();
    assert_eq!(json["workspace"]["root"], project.root_text());
    assert_eq!(json["path"], "A.lean");
    assert_eq!(json["diagnostics"]["counts"]["total"], 3);
    assert_eq!(
        json["diagnostics"]["items"].as_array().map(Vec::len),
        Some(3)
    );
    assert_eq!(json["readiness"]["save_ready"], false);
    assert_eq!(output.stdout.lines().count(), 1);
    let version = json["version"]
        .as_u64()
        .must("read the version")
        .to_string();
    let hover = project
        .cli(&beam, ["hover", "A.lean", "1", "8", "--version", &version])
        .run()
        .await
        .expect_code(0)
        .json();
    assert!(
        hover["contents"]
            .as_str()
            .is_some_and(|text| text.contains("Nat")),
        "{hover}"
    );
    let files = project
        .cli(&beam, ["open-files"])
        .run()
        .await
        .expect_code(0)
        .json();
    assert_eq!(files["files"][0]["path"], "A.lean");
    let closed = project
        .cli(&beam, ["close", "A.lean"])
        .run()
        .await
        .expect_code(0)
        .json();
    assert_eq!(closed["was_open"], true);
    let dropped = project
        .cli(&beam, ["drop"])
        .run()
        .await
        .expect_code(0)
        .json();
    assert_eq!(dropped["dropped"], true);
}

#[tokio::test]
async fn a_failed_request_is_one_json_object_with_code_and_hint() {
    let (beam, project) = fake_world();
    project
        .cli(&beam, ["sync", "Good.lean"])
        .run()
        .await
        .expect_code(0);
    for (arguments, code) in [
        (vec!["sync", "Missing.lean"], "invalidParams"),
        (
            vec!["hover", "Good.lean", "0", "0", "--version", "99"],
            "contentModified",
        ),
    ] {
        let output = project
            .cli(&beam, arguments.clone())
            .run()
            .await
            .expect_code(3);
        let json: Value = [&output.stdout, &output.stderr]
            .into_iter()
            .find_map(|text| serde_json::from_str(text).ok())
            .must("find one JSON value");
        assert_eq!(json["error"]["code"], code, "{arguments:?}: {json}");
        assert!(json["error"]["message"].is_string());
    }
}

#[tokio::test]
async fn a_person_sees_the_line_with_a_caret_under_the_place() {
    let beam = Beam::real();
    let project = beam.project();
    project.write("A.lean", "example : 1 = 1 := rfl\n#check nope\n");
    let output = project
        .cli(&beam, ["sync", "A.lean", "--color", "never"])
        .run_on_terminal()
        .await
        .expect_code(1);
    let shown = output.stdout.replace('\r', "");
    let lines: Vec<_> = shown.lines().collect();
    let source = lines
        .iter()
        .position(|line| line.contains("#check nope"))
        .must("find the source line");
    let column = lines[source].find("nope").must("find the word");
    assert_eq!(
        lines[source + 1].get(column..column + 4),
        Some("^^^^"),
        "{shown}"
    );
    assert!(shown.contains("A.lean:2:8"), "{shown}");
    assert!(!shown.contains("{\""), "no JSON for people: {shown}");
}

#[tokio::test]
async fn a_person_is_told_that_all_is_well_and_colours_need_a_terminal() {
    let (beam, project) = fake_world();
    let human = project
        .cli(&beam, ["sync", "Bad.lean", "--human"])
        .run()
        .await
        .expect_code(1);
    assert!(
        !human.stdout.contains('\u{1b}') && !human.stderr.contains('\u{1b}'),
        "{human:?}"
    );
    assert!(
        human.stdout.contains("bad") && human.stdout.contains("so so"),
        "{human:?}"
    );
    let coloured = project
        .cli(&beam, ["sync", "Bad.lean"])
        .run_on_terminal()
        .await
        .expect_code(1);
    assert!(coloured.stdout.contains("\u{1b}["), "{coloured:?}");
    let plain = project
        .cli(&beam, ["sync", "Bad.lean"])
        .env("NO_COLOR", "1")
        .run_on_terminal()
        .await;
    assert!(!plain.stdout.contains("\u{1b}[1"), "{plain:?}");
    let good = project
        .cli(&beam, ["sync", "Good.lean", "--color", "never"])
        .run_on_terminal()
        .await
        .expect_code(0);
    assert!(!good.stdout.trim().is_empty(), "silence is no answer");
}

#[tokio::test]
async fn errors_for_people_have_a_hint_and_are_on_standard_error() {
    let (beam, project) = fake_world();
    let output = project
        .cli(
            &beam,
            ["hover", "Good.lean", "0", "0", "--version", "99", "--human"],
        )
        .run()
        .await
        .expect_code(3);
    assert_eq!(output.stdout, "");
    assert!(output.stderr.contains("error"), "{output:?}");
}

#[tokio::test]
async fn the_root_is_the_nearest_project_above() {
    let (beam, project) = fake_world();
    project.write("Sub/Deep/C.lean", "ERROR: c\n");
    let deep = project.path("Sub/Deep");
    let json = beam
        .cli(["sync", "C.lean"])
        .in_directory(&deep)
        .run()
        .await
        .expect_code(1)
        .json();
    assert_eq!(json["path"], "Sub/Deep/C.lean");
    assert_eq!(json["workspace"]["root"], project.root_text());
    // From anywhere, by absolute path or with a root.
    let absolute = project.path("Sub/Deep/C.lean");
    let absolute = absolute.to_str().must("have plain text");
    beam.cli(["sync", absolute]).run().await.expect_code(1);
    beam.cli(["sync", "Sub/Deep/C.lean", "--root", project.root_text()])
        .run()
        .await
        .expect_code(1);
    let link = beam.root().join("link");
    std::os::unix::fs::symlink(project.root(), &link).unwrap();
    let json = beam
        .cli(["sync", "Bad.lean"])
        .in_directory(&link)
        .run()
        .await
        .expect_code(1)
        .json();
    assert_eq!(
        json["workspace"]["root"],
        project.root_text(),
        "an alias is the same project"
    );
    assert_eq!(beam.status().await.workspaces.len(), 1);
}

#[tokio::test]
async fn a_file_of_a_nearer_project_is_refused_with_that_project_as_a_hint() {
    let (beam, project) = fake_world();
    project.write("Nested/lean-toolchain", "leanprover/lean4:v4.35.0\n");
    project.write("Nested/N.lean", "ERROR: n\n");
    let nested = project.path("Nested");
    let json = project
        .cli(&beam, ["sync", "Nested/N.lean"])
        .run()
        .await
        .expect_code(1)
        .json();
    assert_eq!(
        json["workspace"]["root"].as_str(),
        nested.to_str(),
        "without --root the nearest one is meant"
    );
    let output = project
        .cli(
            &beam,
            [
                "sync",
                "Nested/N.lean",
                "--root",
                project.root_text(),
                "--human",
            ],
        )
        .run()
        .await;
    assert!(matches!(output.code, 2 | 3), "{output:?}");
    assert!(
        output
            .stderr
            .contains(nested.to_str().must("have plain text")),
        "{output:?}"
    );
    // The daemon refuses it as well, whoever asks.
    let error = project.sync("Nested/N.lean").await.map(drop).unwrap_err();
    let told = format!("{error:?}");
    assert!(told.contains("Nested"), "{told}");
    assert!(error.hint.is_some());
}

#[tokio::test]
async fn outside_of_any_project_it_says_what_a_project_is() {
    let beam = Beam::fake(Scenario::default());
    let output = beam.cli(["sync", "A.lean", "--human"]).run().await;
    assert!(matches!(output.code, 2 | 3), "{output:?}");
    assert!(output.stderr.contains("lean-toolchain"), "{output:?}");
    assert_eq!(beam.processes(), [], "nothing is started for it");
}

#[tokio::test]
async fn status_stop_and_version_start_nothing() {
    let beam = Beam::fake(Scenario::default());
    beam.cli(["stop"]).run().await.expect_code(0);
    let version = beam.cli(["version"]).run().await.expect_code(0);
    assert!(
        version.stdout.contains(env!("CARGO_PKG_VERSION")),
        "{version:?}"
    );
    let status = beam.cli(["status"]).run().await;
    assert!(matches!(status.code, 0 | 4), "{status:?}");
    status.json();
    beam.cli(["logs"]).run().await;
    assert_eq!(beam.processes(), []);
    assert!(beam.daemon().is_none());
}

#[tokio::test]
async fn serve_returns_when_the_daemon_is_ready_and_stop_when_it_is_gone() {
    let (beam, project) = fake_world();
    let served = beam.cli(["serve"]).run().await.expect_code(0).json();
    assert_eq!(served["started"], true);
    let daemon = beam.daemon().must("find the daemon at once");
    assert_eq!(served["identity"]["pid"], daemon.pid);
    let again = beam.cli(["serve"]).run().await.expect_code(0).json();
    assert_eq!(again["started"], false);
    assert_eq!(again["identity"]["pid"], daemon.pid);
    project
        .cli(&beam, ["sync", "Good.lean"])
        .run()
        .await
        .expect_code(0);
    let status = beam.cli(["status"]).run().await.expect_code(0).json();
    assert_eq!(status["workspaces"][0]["root"], project.root_text());
    let restarted = beam.cli(["restart"]).run().await.expect_code(0).json();
    assert_ne!(restarted["identity"]["pid"], daemon.pid);
    assert!(!daemon.is_alive());
    let last = beam.daemon().must("find the new daemon");
    let stopped = beam.cli(["stop"]).run().await.expect_code(0).json();
    assert_eq!(stopped["was_running"], true);
    assert!(beam.daemon().is_none());
    beam.assert_nothing_left(HANG).await;
    assert!(!last.is_alive());
    let log = beam.cli(["logs"]).run().await.expect_code(0);
    assert!(!log.stdout.is_empty());
}

#[tokio::test]
async fn a_daemon_in_the_foreground_ends_with_ctrl_c_and_leaves_nothing() {
    let (beam, project) = fake_world();
    let running = beam.cli(["serve", "--foreground"]).start().await;
    eventually(HANG, "the daemon", async || {
        beam.connector().connect().await.ok()
    })
    .await;
    project
        .cli(&beam, ["sync", "Bad.lean"])
        .run()
        .await
        .expect_code(1);
    running.signal(Signal::SIGINT);
    running.finish().await;
    beam.assert_nothing_left(Duration::from_secs(3)).await;
}

#[tokio::test]
async fn ctrl_c_cancels_the_request_and_gives_130() {
    for (signal, code) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143)] {
        let beam = Beam::fake(Scenario {
            rules: vec![Rule::on("textDocument/hover", [Action::Ignore])],
            ..Scenario::default()
        });
        let project = beam.project();
        project.write("Good.lean", "word\n");
        let running = project
            .cli(&beam, ["hover", "Good.lean", "0", "1"])
            .start()
            .await;
        eventually(HANG, "the request at Lean", async || {
            beam.record().messages("textDocument/hover").pop()
        })
        .await;
        running.signal(signal);
        let output = running
            .finish_within(Duration::from_secs(5))
            .await
            .expect_code(code);
        assert_eq!(output.stdout, "");
        eventually(HANG, "the cancellation", async || {
            beam.record().messages("$/cancelRequest").pop()
        })
        .await;
        assert_eq!(beam.status().await.requests, []);
    }
}

#[tokio::test]
async fn a_timeout_is_a_failed_request_and_the_same_command_resumes() {
    let beam = Beam::real();
    let project = beam.project();
    project.write("A.lean", slow_proof(4_000));
    project.write("B.lean", "#check Nat\n");
    project
        .cli(&beam, ["sync", "B.lean"])
        .run()
        .await
        .expect_code(0);
    let output = project
        .cli(&beam, ["sync", "A.lean", "--timeout", "1"])
        .run()
        .await
        .expect_code(3);
    assert!((output.stdout + &output.stderr).contains("deadlineExceeded"));
    let json = project
        .cli(&beam, ["sync", "A.lean"])
        .run()
        .await
        .expect_code(0)
        .json();
    assert_eq!(json["diagnostics"]["counts"]["error"], 0);
}

#[tokio::test]
async fn a_raw_request_prints_events_and_the_final_line() {
    let (beam, project) = fake_world();
    let output = project
        .cli(&beam, ["request", "sync", r#"{"path": "Bad.lean"}"#])
        .run()
        .await
        .expect_code(0);
    let lines: Vec<Value> = output
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).must("read a line"))
        .collect();
    assert_eq!(lines[0]["event"], "accepted");
    assert_eq!(
        lines
            .iter()
            .filter(|line| line.get("response").is_some())
            .count(),
        1
    );
    assert_eq!(
        lines.last().must("get lines")["response"]["ok"]["diagnostics"]["counts"]["error"],
        1
    );
    let piped = project
        .cli(&beam, ["request"])
        .stdin(json!({"op": "ping"}).to_string())
        .run()
        .await
        .expect_code(0);
    assert!(piped.stdout.contains("\"ok\""), "{piped:?}");
}

#[tokio::test]
async fn a_request_is_cancelled_by_name_from_another_terminal() {
    let beam = Beam::fake(Scenario {
        elaboration: Elaboration {
            takes_ms: 600_000,
            ..Elaboration::default()
        },
        ..Scenario::default()
    });
    let project = beam.project();
    project.write("A.lean", "x\n");
    let running = project.cli(&beam, ["sync", "A.lean"]).start().await;
    let name = eventually(HANG, "the request", async || {
        beam.status()
            .await
            .requests
            .first()
            .map(|request| request.request_id.clone())
    })
    .await;
    beam.cli(["cancel", &name]).run().await.expect_code(0);
    let output = running.finish().await.expect_code(3);
    assert!((output.stdout + &output.stderr).contains("requestCancelled"));
}

#[tokio::test]
async fn the_log_can_be_followed_until_ctrl_c() {
    let (beam, project) = fake_world();
    beam.ensure().await;
    let mut running = project.cli(&beam, ["logs", "--follow"]).start().await;
    project
        .cli(&beam, ["sync", "Good.lean"])
        .run()
        .await
        .expect_code(0);
    running.wait_for_output("\n").await;
    running.signal(Signal::SIGINT);
    running.finish().await.expect_code(130);
}

#[tokio::test]
async fn the_manual_and_the_completions_need_no_daemon() {
    let beam = Beam::fake(Scenario::default());
    let man = beam.cli(["man"]).run().await.expect_code(0);
    assert!(man.stdout.contains("sync"));
    for shell in ["bash", "zsh", "fish"] {
        let script = beam
            .cli(["completions-for", shell])
            .run()
            .await
            .expect_code(0);
        assert!(script.stdout.contains("open-files"), "{shell}");
    }
    assert_eq!(beam.processes(), []);
}
