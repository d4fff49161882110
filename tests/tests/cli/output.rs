//! Exit codes, and what is written where, for programs and for people.

use lean_beam_tests::{
    fake::Scenario,
    lean_text::{Line, text_of},
    must::Must,
    world::{Beam, Lean},
};
use serde_json::Value;

use crate::fake_world;

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
