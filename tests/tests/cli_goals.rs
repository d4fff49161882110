//! The commands that ask about proofs, names and symbols: both kinds of output, exit codes.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use lean_beam_tests::{
    must::Must,
    world::{Beam, Project},
};
use serde_json::Value;

const SOURCE: &str = "\
namespace Shapes

/-- How far apart. -/
def distance (a b : Nat) : Nat := a - b + (b - a)

theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p := by
  constructor
  · exact h.right
  · exact h.left

theorem unknown (n : Nat) : distance n n = 0 := by
  sorry

def hole : Nat := distance 1 _
#check dista
end Shapes
";

fn world() -> (Beam, Project) {
    let beam = Beam::real();
    let project = beam.project();
    project.write("A.lean", SOURCE);
    (beam, project)
}

async fn json(beam: &Beam, project: &Project, arguments: &[&str], code: i32) -> Value {
    let call = project.cli(beam, arguments.iter().copied());
    call.run().await.expect_code(code).json()
}

/// The text for people.
async fn human(beam: &Beam, project: &Project, arguments: &[&str], code: i32) -> String {
    let arguments = arguments.iter().copied().chain(["--human"]);
    project
        .cli(beam, arguments)
        .run()
        .await
        .expect_code(code)
        .stdout
}

#[tokio::test]
async fn goals_are_shown_on_both_sides_of_a_tactic() {
    let (beam, project) = world();
    let before = json(&beam, &project, &["goals", "before", "A.lean:7:3"], 0).await;
    assert_eq!(before["status"], "open");
    assert_eq!(before["goals"][0]["target"], "q ∧ p");
    assert_eq!(before["basis"]["start"]["line"], 6);
    let zero_based = ["goals", "before", "A.lean", "6", "--anchor", "constructor"];
    assert_eq!(json(&beam, &project, &zero_based, 0).await, before);
    let after = json(&beam, &project, &["goals", "after", "A.lean:7:3"], 0).await;
    assert_eq!(after["goals"].as_array().map(Vec::len), Some(2));

    assert_eq!(
        human(&beam, &project, &["goals", "before", "A.lean:7:3"], 0).await,
        "A.lean:7:3 before constructor\n1 goal\np q : Prop\nh : p ∧ q\n⊢ q ∧ p\n"
    );
    let after = human(&beam, &project, &["goals", "after", "A.lean:7:3"], 0).await;
    assert!(
        after.starts_with("A.lean:7:3 after constructor\n2 goals\ncase left\n"),
        "{after}"
    );
    assert_eq!(
        human(&beam, &project, &["goals", "after", "A.lean:9:5"], 0).await,
        "A.lean:9:5 after exact h.left\n✓ goals accomplished\n"
    );
    let nothing = human(&beam, &project, &["goals", "before", "A.lean:1:1"], 0).await;
    assert_eq!(nothing, "A.lean:1:1\nno proof here\n");
}

#[tokio::test]
async fn the_goal_of_a_term_is_what_is_expected_of_it() {
    let (beam, project) = world();
    let found = json(&beam, &project, &["term-goal", "A.lean:9:11"], 0).await;
    assert_eq!(found["goal"]["target"], "p");
    assert_eq!(
        human(&beam, &project, &["term-goal", "A.lean:9:11"], 0).await,
        "A.lean:9:11 h\np q : Prop\nh : p ∧ q\n⊢ p\n"
    );
    let nothing = human(&beam, &project, &["term-goal", "A.lean:1:1"], 0).await;
    assert_eq!(nothing, "no term stands at A.lean:1:1\n");
}

#[tokio::test]
async fn axioms_decide_the_exit_code_where_something_is_not_proved() {
    let (beam, project) = world();
    project.write(
        "B.lean",
        "theorem clean : 1 = 1 := rfl\naxiom mine : 1 = 2\ntheorem other : 1 = 2 := mine\ntheorem gap : 1 = 2 := by sorry\ntheorem wrong : 1 = 2 := nope\n",
    );
    for (name, code, mark) in [("clean", 0, "✓"), ("other", 0, "⚠"), ("gap", 1, "✗")] {
        let found = json(&beam, &project, &["check-axioms", "B.lean", name], code).await;
        assert_eq!(found["uses_sorry"], code == 1, "{found}");
        assert_eq!(found["standard_only"], mark == "✓", "{found}");
        let text = human(&beam, &project, &["check-axioms", "B.lean", name], code).await;
        assert!(text.starts_with(&format!("{mark} {name} ")), "{text}");
    }
    let error = json(&beam, &project, &["check-axioms", "B.lean", "nobody"], 3).await;
    assert!(error["error"]["message"].is_string());
}

#[tokio::test]
async fn names_lead_to_their_definitions_and_uses_in_lines_that_can_be_clicked() {
    let (beam, project) = world();
    let use_of_it = "A.lean:11:29";
    let found = json(&beam, &project, &["definition", use_of_it], 0).await;
    assert_eq!(found["locations"][0]["path"], "A.lean");
    assert_eq!(found["locations"][0]["selection_range"]["start"]["line"], 3);
    assert_eq!(
        human(&beam, &project, &["definition", use_of_it], 0).await,
        "A.lean:4:5  def distance (a b : Nat) : Nat := a - b + (b - a)\n"
    );
    let all = json(&beam, &project, &["references", use_of_it], 0).await;
    let arguments = ["references", use_of_it, "--without-declaration"];
    let uses = json(&beam, &project, &arguments, 0).await;
    let count = |found: &Value| found["total"].as_u64().must("get a number");
    assert_eq!(count(&all), count(&uses) + 1);
    let text = human(&beam, &project, &arguments, 0).await;
    assert!(text.contains("A.lean:11:29  theorem unknown"), "{text}");
    assert!(!text.contains("A.lean:4:5"), "{text}");
    // From elsewhere the file is still where it is.
    let file = project.path("A.lean");
    let absolute = format!("{}:11:29", file.to_str().must("have plain text"));
    let elsewhere = beam.cli(["definition", &absolute, "--human"]);
    let shown = elsewhere
        .in_directory("/".as_ref())
        .run()
        .await
        .expect_code(0)
        .stdout;
    let expected = file.strip_prefix("/").must("have an absolute path");
    assert!(
        shown.starts_with(&format!("{}:4:5  ", expected.display())),
        "{shown}"
    );
    let nothing = human(&beam, &project, &["definition", "A.lean:2:1"], 0).await;
    assert!(
        nothing.contains("no definition") && nothing.contains("A.lean:2:1"),
        "{nothing}"
    );
}

#[tokio::test]
async fn signatures_and_completions_say_how_to_go_on() {
    let (beam, project) = world();
    let signature = human(&beam, &project, &["signature-help", "A.lean:14:28"], 0).await;
    assert!(signature.contains("Nat"), "{signature}");
    let arguments = ["completions", "A.lean:15:13"];
    let found = json(&beam, &project, &arguments, 0).await;
    let labels: Vec<_> = found["items"]
        .as_array()
        .must("get completions")
        .iter()
        .map(|item| item["label"].clone())
        .collect();
    assert!(labels.contains(&"distance".into()), "{labels:?}");
    let text = human(&beam, &project, &arguments, 0).await;
    let line = text
        .lines()
        .find(|line| line.trim_start().starts_with("distance "));
    let line = line.must("find the completion");
    assert!(
        line.contains("Nat → Nat → Nat") || line.contains("(a b : Nat)"),
        "{line}"
    );
    let one = json(
        &beam,
        &project,
        &["completions", "A.lean:15:13", "--limit", "1"],
        0,
    )
    .await;
    assert_eq!(one["items"].as_array().map(Vec::len), Some(1));
    assert_eq!(one["total"], found["total"]);
}

#[tokio::test]
async fn symbols_are_a_tree_and_names_are_found_in_the_whole_project() {
    let (beam, project) = world();
    let found = json(&beam, &project, &["document-symbols", "A.lean"], 0).await;
    assert_eq!(found["symbols"][0]["name"], "Shapes");
    let text = human(&beam, &project, &["document-symbols", "A.lean"], 0).await;
    let lines: Vec<_> = text.lines().map(str::trim_end).collect();
    assert_eq!(lines[0], "A.lean");
    assert!(lines[1].starts_with("└─ namespace Shapes") && lines[1].ends_with("A.lean:1:11"));
    assert!(lines[2].starts_with("   ├─ def distance") && lines[2].ends_with("A.lean:4:5"));
    assert!(
        lines.last().must("get lines").starts_with("   └─ def hole"),
        "{text}"
    );

    project
        .cli(&beam, ["sync", "A.lean"])
        .run()
        .await
        .expect_code(1);
    let found = json(&beam, &project, &["workspace-symbols", "distance"], 0).await;
    assert_eq!(found["symbols"][0]["name"], "Shapes.distance");
    let text = human(&beam, &project, &["workspace-symbols", "distance"], 0).await;
    assert!(
        text.starts_with("Shapes.distance  def  A.lean:4:5\n"),
        "{text}"
    );
    let nothing = human(&beam, &project, &["workspace-symbols", "nobodyHasThis"], 0).await;
    assert!(
        nothing.starts_with("no name matches `nobodyHasThis`\n"),
        "{nothing}"
    );
}

#[tokio::test]
async fn what_is_left_to_do_is_listed_by_part_and_kind() {
    let (beam, project) = world();
    let kinds = |found: &Value| -> Vec<String> {
        let items = found["items"].as_array().must("get items").iter();
        let kind = |item: &Value| item["kind"].as_str().must("get a kind").to_owned();
        items.map(kind).collect()
    };
    let all = kinds(&json(&beam, &project, &["todo", "A.lean"], 0).await);
    for kind in ["sorry", "hole", "diagnostic"] {
        assert!(all.iter().any(|found| found == kind), "{kind}: {all:?}");
    }
    let only = ["todo", "A.lean", "--kind", "sorry,hole", "--suggest"];
    assert_eq!(
        kinds(&json(&beam, &project, &only, 0).await),
        ["sorry", "hole"]
    );
    for (part, expected) in [
        ("A.lean:12", vec!["sorry"]),
        ("A.lean:12:4", vec!["sorry"]),
        ("A.lean:1-9", vec![]),
        ("A.lean:12:3-14:1", vec!["sorry"]),
    ] {
        let found = json(&beam, &project, &["todo", part, "--kind", "sorry"], 0).await;
        assert_eq!(kinds(&found), expected, "{part}");
    }
    let numbers = ["todo", "A.lean", "11", "2", "13", "0", "--kind", "sorry"];
    assert_eq!(kinds(&json(&beam, &project, &numbers, 0).await), ["sorry"]);

    let text = human(&beam, &project, &only, 0).await;
    assert!(text.contains("12 |   sorry\n"), "{text}");
    assert!(text.contains("⊢ distance n n = 0"), "{text}");
    assert!(text.ends_with("A.lean: 1 sorry, 1 hole\n"), "{text}");
    let done = human(&beam, &project, &["todo", "A.lean:1-9"], 0).await;
    assert_eq!(done, "✓ A.lean: nothing is left to do\n");
    let backwards = json(&beam, &project, &["todo", "A.lean:9-1"], 2).await;
    assert_eq!(backwards["error"]["code"], "invalidInput");
}

#[tokio::test]
async fn a_code_action_is_shown_as_old_and_new_lines_and_changes_nothing() {
    let (beam, project) = world();
    let arguments = ["todo", "A.lean:15", "--kind", "code-action"];
    let listed = json(&beam, &project, &arguments, 0).await;
    let items = listed["items"].as_array().must("get items");
    let item = items
        .iter()
        .find(|item| {
            item["code_action"]["title"]
                .to_string()
                .contains("distance")
        })
        .must("find the edit to the right name");
    project.write("item.json", item.to_string());
    let resolve = [
        "code-action",
        "resolve",
        "A.lean",
        "--text-file",
        "item.json",
    ];
    let resolved = json(&beam, &project, &resolve, 0).await;
    let edit = &resolved["code_action"]["edit"][0];
    assert_eq!(edit["path"], "A.lean");
    assert_eq!(edit["edits"][0]["new_text"], "distance");
    let text = human(&beam, &project, &resolve, 0).await;
    assert!(
        text.ends_with("A.lean:15:8\n- #check dista\n+ #check distance\n"),
        "{text}"
    );
    assert_eq!(project.read("A.lean"), SOURCE);
    let alone = item["code_action"].to_string();
    let by_argument = json(
        &beam,
        &project,
        &["code-action", "resolve", "A.lean", &alone],
        0,
    )
    .await;
    assert_eq!(by_argument, resolved);
    for (arguments, code) in [
        (vec!["code-action", "resolve", "A.lean", "{}"], 2),
        (vec!["code-action", "resolve", "A.lean"], 2),
        (vec!["code-action"], 2),
        (
            vec![
                "code-action",
                "resolve",
                "A.lean",
                &alone,
                "--version",
                "99",
            ],
            3,
        ),
    ] {
        json(&beam, &project, &arguments, code).await;
    }
}
