//! The commands that run texts: where texts come from, positions, exit codes, both kinds of output.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use lean_beam_tests::{
    must::Must,
    world::{Beam, Output, Project},
};
use serde_json::{Value, json};

/// The second half of the first proof is wrong; the second one has not begun.
const SOURCE: &str = "\
theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p := by
  constructor
  · exact h.right
  · exact h.right

theorem both (p q : Prop) (hp : p) (hq : q) : p ∧ q ∧ p := by
  skip
";

/// The mistake, as people write places.
const MISTAKE: &str = "A.lean:4:5";
/// The proof that has not begun.
const START: &str = "A.lean:7:3";

fn world() -> (Beam, Project) {
    let beam = Beam::real();
    let project = beam.project();
    project.write("A.lean", SOURCE);
    (beam, project)
}

async fn cli(beam: &Beam, project: &Project, arguments: &[&str]) -> Output {
    project.cli(beam, arguments.iter().copied()).run().await
}

async fn json(beam: &Beam, project: &Project, arguments: &[&str], code: i32) -> Value {
    cli(beam, project, arguments).await.expect_code(code).json()
}

/// What is seen on a terminal in the end, without colors.
async fn shown(beam: &Beam, project: &Project, arguments: &[&str], code: i32) -> String {
    let arguments = arguments.iter().copied().chain(["--color", "never"]);
    let output = project.cli(beam, arguments).run_on_terminal().await;
    let lines = output.expect_code(code).stdout;
    // What stood before on the same line, such as a progress line, is wiped away.
    let last = |line: &str| {
        let line = line.trim_end_matches('\r');
        let line = line.rsplit('\r').next().unwrap_or_default();
        line.replace("\u{1b}[2K", "") + "\n"
    };
    lines.lines().map(last).collect()
}

#[tokio::test]
async fn a_text_comes_from_the_command_line_from_standard_input_or_from_a_file() {
    let (beam, project) = world();
    project.write("text.txt", "exact h.left\n");
    let given = json(&beam, &project, &["run-at", MISTAKE, "exact h.left"], 0).await;
    assert_eq!(given["workspace"]["root"], project.root_text());
    assert_eq!(given["success"], true);
    assert_eq!(given["proof_state"]["status"], "solved");
    assert_eq!(given["next_handle"], Value::Null);
    let from_file = json(
        &beam,
        &project,
        &["run-at", MISTAKE, "--text-file", "text.txt"],
        0,
    )
    .await;
    let from_input = project
        .cli(&beam, ["run-at", MISTAKE, "--stdin"])
        .stdin("exact h.left\n")
        .run()
        .await
        .expect_code(0)
        .json();
    let dashes = ["run-at", MISTAKE, "--", "-- a comment\nexact h.left"];
    let behind_dashes = json(&beam, &project, &dashes, 0).await;
    for other in [from_file, from_input, behind_dashes] {
        assert_eq!(other, given);
    }
    assert_eq!(project.read("A.lean"), SOURCE, "the file stays as it is");
}

#[tokio::test]
async fn positions_are_written_as_for_hover() {
    let (beam, project) = world();
    let version = json(&beam, &project, &["update", "A.lean"], 0).await["version"].to_string();
    let forms: [&[&str]; 5] = [
        &[MISTAKE],
        &["A.lean", "3", "4"],
        &["A.lean:4", "--anchor", "exact"],
        &["A.lean", "3", "--anchor", "exact"],
        &[MISTAKE, "--version", &version],
    ];
    for form in forms {
        let arguments = [&["run-at"], form, &["exact h.left"]].concat();
        let ran = json(&beam, &project, &arguments, 0).await;
        assert_eq!(ran["proof_state"]["status"], "solved", "{form:?}");
        let arguments = [&["try"], form, &["skip", "exact h.left"]].concat();
        let tried = json(&beam, &project, &arguments, 0).await;
        assert_eq!(tried["first_success"], 1, "{form:?}");
    }
    // Without a version the file is read first.
    project.write("A.lean", format!("-- new\n{SOURCE}"));
    json(
        &beam,
        &project,
        &["run-at", "A.lean:5:5", "exact h.left"],
        0,
    )
    .await;
    let stale = ["run-at", MISTAKE, "exact h.left", "--version", &version];
    let error = json(&beam, &project, &stale, 3).await;
    assert_eq!(error["error"]["code"], "contentModified");
}

#[tokio::test]
async fn exit_codes_tell_refused_texts_wrong_commands_and_failed_requests_apart() {
    let (beam, project) = world();
    project.write("candidates.txt", "skip\n");
    let cases: [(&[&str], i32); 17] = [
        (&["run-at", MISTAKE, "exact h.left"], 0),
        (&["run-at", MISTAKE, "sorry"], 0),
        (&["run-at", MISTAKE, "exact h.right"], 1),
        (&["run-at", MISTAKE, "exact (h.left"], 1),
        (&["try", MISTAKE, "exact h", "exact h.left"], 0),
        (&["try", MISTAKE, "exact h", "rfl"], 1),
        (&["run-at", MISTAKE], 2),
        (&["run-at", MISTAKE, "exact", "h.left"], 2),
        (&["run-at", MISTAKE, "simp", "--stdin"], 2),
        (&["run-at", "A.lean", "simp"], 2),
        (&["run-at", MISTAKE, "--text-file", "missing.txt"], 2),
        (&["try", MISTAKE], 2),
        (
            &[
                "try",
                MISTAKE,
                "skip",
                "--candidates-file",
                "candidates.txt",
            ],
            2,
        ),
        (&["try", MISTAKE, "skip", "--per-candidate", "0"], 2),
        (&["run-with", "A.lean", "h1-0123456789abcdef", "skip"], 3),
        (&["run-at", "A.lean:77:1", "skip"], 3),
        (&["run-at", "Missing.lean:1:1", "skip"], 3),
    ];
    for (arguments, code) in cases {
        let output = cli(&beam, &project, arguments).await;
        assert_eq!(output.code, code, "{arguments:?}: {output:?}");
        let json = output.json();
        assert_eq!(
            json.get("error").is_some(),
            code > 1,
            "{arguments:?}: {json}"
        );
    }
}

#[tokio::test]
async fn a_proof_goes_on_by_handles_until_they_are_given_up() {
    let (beam, project) = world();
    let arguments = ["run-at-handle", START, "constructor"];
    let first = json(&beam, &project, &arguments, 0).await;
    assert_eq!(
        first["proof_state"]["goals"].as_array().map(Vec::len),
        Some(2)
    );
    let first = handle(&first);
    // The handle stays, so that both ways can be gone.
    for text in ["exact hp", "assumption"] {
        let next = json(&beam, &project, &["run-with", "A.lean", &first, text], 0).await;
        assert_eq!(
            next["proof_state"]["goals"].as_array().map(Vec::len),
            Some(1)
        );
    }
    let next = json(
        &beam,
        &project,
        &["run-with", "A.lean", &first, "exact hp"],
        0,
    )
    .await;
    let second = handle(&next);
    let rest = ["run-with-linear", "A.lean", &second, "exact ⟨hq, hp⟩"];
    let last = json(&beam, &project, &rest, 0).await;
    assert_eq!(last["proof_state"]["status"], "solved");
    let error = json(&beam, &project, &rest, 3).await;
    assert_eq!(error["error"]["code"], "handleInvalidated");
    let released = json(&beam, &project, &["release", "A.lean", &first], 0).await;
    assert_eq!(released["released"], true);
    let error = json(&beam, &project, &["run-with", "A.lean", &first, "skip"], 3).await;
    assert_eq!(error["error"]["data"]["reason"], "released");
}

fn handle(result: &Value) -> String {
    let handle = result["next_handle"].as_str();
    handle.must("get a handle").to_owned()
}

#[tokio::test]
async fn a_person_sees_the_message_under_the_text_and_the_goals() {
    let (beam, project) = world();
    let failed = ["run-at", MISTAKE, "skip\nexact h.foo"];
    let text = shown(&beam, &project, &failed, 1).await;
    let lines: Vec<_> = text.lines().collect();
    let source = lines
        .iter()
        .position(|line| line.contains("exact h.foo"))
        .must("find the text");
    let column = lines[source].find("foo").must("find the word");
    assert_eq!(
        lines[source + 1].get(column..column + 3),
        Some("^^^"),
        "{text}"
    );
    assert!(text.contains("text:2:9"), "{text}");
    assert!(text.contains("✗ A.lean:4:5"), "{text}");
    assert!(
        text.contains("case right\np q : Prop\nh : p ∧ q\n⊢ p\n"),
        "{text}"
    );

    let open = shown(&beam, &project, &["run-at-handle", START, "constructor"], 0).await;
    assert!(open.contains("✓ A.lean:7:3: 2 goals left"), "{open}");
    assert!(
        open.contains("case left\n") && open.contains("⊢ q ∧ p\n"),
        "{open}"
    );
    assert!(
        open.lines().any(|line| line.starts_with("handle h")),
        "{open}"
    );

    let closed = shown(&beam, &project, &["run-at", MISTAKE, "exact h.left"], 0).await;
    assert!(
        closed.contains("✓ A.lean:4:5: goals accomplished"),
        "{closed}"
    );
    let sorry = shown(&beam, &project, &["run-at", MISTAKE, "sorry"], 0).await;
    assert!(
        sorry.contains("⚠") && sorry.contains("with `sorry`"),
        "{sorry}"
    );
    assert!(!sorry.contains('✓'), "{sorry}");
}

#[tokio::test]
async fn commands_run_where_there_is_no_proof() {
    let (beam, project) = world();
    project.write("B.lean", "def one := 1\n\n\n");
    let arguments = ["run-at", "B.lean:3:1", "#eval one + 1\n#check one"];
    let ran = json(&beam, &project, &arguments, 0).await;
    assert_eq!(ran["proof_state"], Value::Null);
    let messages: Vec<_> = ran["messages"]
        .as_array()
        .must("get messages")
        .iter()
        .map(|message| (&message["text"], &message["range"]["start"]["line"]))
        .collect();
    assert_eq!(
        messages,
        [(&json!("2"), &json!(0)), (&json!("one : Nat"), &json!(1))]
    );
    let text = shown(&beam, &project, &arguments, 0).await;
    assert!(text.contains("info: one : Nat\n --> text:2:1\n"), "{text}");
    assert!(text.contains("✓ B.lean:3:1: no errors"), "{text}");
}

#[tokio::test]
async fn candidates_come_from_arguments_files_and_standard_input() {
    let (beam, project) = world();
    project.write("lines.txt", "exact h\n\nexact h.left\n");
    project.write("array.json", r#"["exact h", "skip\nexact h.left"]"#);
    let arguments = ["try", MISTAKE, "exact h", "exact h.left"];
    let given = json(&beam, &project, &arguments, 0).await;
    let lines = json(
        &beam,
        &project,
        &["try", MISTAKE, "--candidates-file", "lines.txt"],
        0,
    )
    .await;
    let array = json(
        &beam,
        &project,
        &["try", MISTAKE, "--candidates-file", "array.json"],
        0,
    )
    .await;
    let input = project
        .cli(&beam, ["try", MISTAKE, "--stdin"])
        .stdin("exact h\nexact h.left\n")
        .run()
        .await
        .expect_code(0)
        .json();
    for tried in [given, lines, array, input] {
        let statuses: Vec<_> = tried["items"]
            .as_array()
            .must("get items")
            .iter()
            .map(|item| item["status"].clone())
            .collect();
        assert_eq!(statuses, ["failed", "closed"]);
        assert_eq!(tried["first_success"], 1);
    }
}

#[tokio::test]
async fn a_candidate_has_its_time_and_the_first_good_one_may_be_enough() {
    let (beam, project) = world();
    // Nobody waits for these ten minutes.
    let arguments = [
        "try",
        MISTAKE,
        "sleep 600000",
        "exact h.left",
        "--per-candidate",
        "0.5",
    ];
    let tried = json(&beam, &project, &arguments, 0).await;
    assert_eq!(tried["items"][0]["status"], "timeout");
    assert_eq!(tried["items"][1]["status"], "closed");
    let arguments = [
        "try",
        MISTAKE,
        "exact h.left",
        "sleep 600000",
        "--stop-on-first",
    ];
    let tried = json(&beam, &project, &arguments, 0).await;
    assert_eq!(tried["first_success"], 0);
    assert_eq!(tried["items"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn a_person_sees_a_line_for_each_candidate_and_the_best_one_marked() {
    let (beam, project) = world();
    let arguments = [
        "try",
        MISTAKE,
        "exact h",
        "cases h",
        "exact h.left",
        "sorry",
    ];
    let text = shown(&beam, &project, &arguments, 0).await;
    let line = |start: &str| {
        let line = text
            .lines()
            .find(|line| line.trim_start().starts_with(start));
        line.must("find a candidate's line").to_owned()
    };
    assert!(
        line("1 ").contains("✗ failed") && line("1 ").contains("Type mismatch"),
        "{text}"
    );
    assert!(
        line("2 ").contains("✓ ok") && line("2 ").contains("1 goal left"),
        "{text}"
    );
    assert!(line("▸ 3 ").contains("✓ closed"), "{text}");
    assert!(
        line("4 ").contains("⚠ closed") && line("4 ").contains("`sorry`"),
        "{text}"
    );
    assert!(
        text.contains("✓ A.lean:4:5: candidate 3 accomplishes the goals (4 tried"),
        "{text}"
    );
}

#[tokio::test]
async fn a_waiting_line_leaves_the_cursor_where_it_can_be_wiped_away() {
    let (beam, project) = world();
    let arguments = [
        "try",
        MISTAKE,
        "sleep 600000",
        "--per-candidate",
        "1",
        "--color",
        "never",
    ];
    let output = project.cli(&beam, arguments).run_on_terminal().await;
    let shown = output.expect_code(1).stdout;
    let waiting: Vec<_> = shown.split("trying 1 candidate").skip(1).collect();
    assert!(!waiting.is_empty(), "{shown:?}");
    for rest in waiting {
        // What a terminal echoes for Ctrl-C then falls on this very line and not behind its end.
        let (_, behind) = rest.split_once('\r').must("find the end of the line");
        assert!(behind.starts_with("\r\u{1b}[2K"), "{shown:?}");
    }
}
