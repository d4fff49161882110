//! Tools that look at proofs and run text, with real Lean, one by one.

use lean_beam_tests::{must::Must, world::Beam};
use serde_json::{Value, json};

use crate::client::{ERAS, Era, Mcp, about, with};

const FILE: &str = "\
def two := 2
theorem two_is : two = 1 + 1 := by
  rfl
theorem open_one (a b : Nat) : a = b → b = a := by
  intro h
  exact h.symm
example : 1 = 2 := sorry
";

/// A world with a checked file, a client, and the arguments of a call at a line of it.
async fn checked(era: Era) -> (Beam, Mcp, impl Fn(u32, &str) -> Value) {
    let beam = Beam::real();
    let project = beam.project();
    project.write("A.lean", FILE);
    let mut mcp = Mcp::connect(&beam, era).await;
    let sync = mcp.ask("lean_sync", about(&project, "A.lean")).await;
    assert_eq!(sync["diagnostics"]["counts"]["error"], 0, "{sync}");
    let version = sync["version"].clone();
    let at = move |line: u32, anchor: &str| {
        let mut arguments = about(&project, "A.lean");
        arguments["version"] = version.clone();
        arguments["line"] = json!(line);
        arguments["anchor"] = json!(anchor);
        arguments
    };
    (beam, mcp, at)
}

/// Arguments without some of them.
fn without(mut arguments: Value, names: &[&str]) -> Value {
    let members = arguments.as_object_mut().must("have arguments");
    members.retain(|name, _| !names.contains(&name.as_str()));
    arguments
}

/// A call of the same file that is not about a place.
fn placeless(arguments: Value) -> Value {
    without(arguments, &["version", "line", "anchor"])
}

#[tokio::test]
async fn goals_before_and_after_a_tactic() {
    for era in ERAS {
        let (_beam, mut mcp, at) = checked(era).await;
        let before = mcp
            .ask(
                "lean_goals",
                with(at(4, "intro"), json!({"mode": "before"})),
            )
            .await;
        assert_eq!(before["status"], "open");
        let after = mcp
            .ask("lean_goals", with(at(4, "intro"), json!({"mode": "after"})))
            .await;
        let names = after["goals"][0]["hyps"].to_string();
        assert!(names.contains("\"h\""), "{after}");
        let end = mcp
            .ask("lean_goals", with(at(5, "exact"), json!({"mode": "after"})))
            .await;
        assert_eq!(end["status"], "solved");
        assert_eq!(end["goals"], json!([]));
        let error = mcp.ask_in_vain("lean_goals", at(4, "intro")).await;
        assert_eq!(error["data"]["field"], "mode");
        let error = mcp
            .ask_in_vain(
                "lean_goals",
                with(at(4, "nowhere"), json!({"mode": "after"})),
            )
            .await;
        assert_eq!(error["code"], "invalidParams");
        assert!(
            error.to_string().contains("intro h"),
            "the line is echoed: {error}"
        );
    }
}

#[tokio::test]
async fn what_is_expected_of_a_term() {
    let (_beam, mut mcp, at) = checked(Era::Modern).await;
    let expected = mcp.ask("lean_term_goal", at(6, "sorry")).await;
    assert!(
        expected["goal"]["target"]
            .as_str()
            .must("get a type")
            .contains("1 = 2"),
        "{expected}"
    );
}

#[tokio::test]
async fn a_text_is_tried_and_leaves_no_trace() {
    for era in ERAS {
        let (beam, mut mcp, at) = checked(era).await;
        let good = mcp
            .ask(
                "lean_run_at",
                with(at(2, "rfl"), json!({"text": "exact rfl"})),
            )
            .await;
        assert_eq!(good["success"], true, "{good}");
        assert_eq!(good["proof_state"]["goals"], json!([]));
        assert_eq!(good["next_handle"], Value::Null);
        let bad = mcp
            .ask(
                "lean_run_at",
                with(at(2, "rfl"), json!({"text": "exact nope"})),
            )
            .await;
        assert_eq!(
            bad["success"], false,
            "a failed text is a result, not a failed call"
        );
        assert!(!bad["messages"].as_array().must("get messages").is_empty());
        let lazy = mcp
            .ask("lean_run_at", with(at(2, "rfl"), json!({"text": "sorry"})))
            .await;
        assert_eq!(
            (&lazy["success"], &lazy["uses_sorry"]),
            (&json!(true), &json!(true))
        );
        let project = beam.project();
        assert_eq!(project.read("A.lean"), FILE);
    }
}

#[tokio::test]
async fn candidates_are_tried_in_one_call() {
    let (_beam, mut mcp, at) = checked(Era::Modern).await;
    let texts = json!(["exact nope", "skip", "exact h.symm", "exact h.symm"]);
    let all = with(at(5, "exact"), json!({"candidates": texts}));
    let tried = mcp.ask("lean_try", all.clone()).await;
    let items = tried["items"].as_array().must("get items");
    let states: Vec<_> = items.iter().map(|item| item["status"].clone()).collect();
    assert_eq!(states, ["failed", "ok", "closed", "closed"], "{tried}");
    assert_eq!(tried["first_success"], 2);
    let stopped = mcp
        .ask("lean_try", with(all, json!({"stop_on_first": true})))
        .await;
    let first = stopped["first_success"].as_u64().must("find one");
    assert!([2, 3].contains(&first), "{stopped}");
}

#[tokio::test]
async fn a_proof_is_explored_by_handles() {
    for era in ERAS {
        let (_beam, mut mcp, at) = checked(era).await;
        let file = placeless(at(0, ""));
        let first = mcp
            .ask(
                "lean_run_at_handle",
                with(at(4, "intro"), json!({"text": "intro x"})),
            )
            .await;
        let handle = first["next_handle"].clone();
        assert!(handle.is_string(), "{first}");
        let go_on = |text: &str| with(file.clone(), json!({"handle": handle, "text": text}));
        let failed = mcp.ask("lean_run_with", go_on("exact nope")).await;
        assert_eq!(failed["success"], false, "{failed}");
        let closed = mcp.ask("lean_run_with", go_on("exact x.symm")).await;
        assert_eq!(
            closed["proof_state"]["goals"],
            json!([]),
            "the handle is still good: {closed}"
        );
        let linear = mcp.ask("lean_run_with_linear", go_on("exact x.symm")).await;
        assert_eq!(linear["success"], true, "{linear}");
        let error = mcp.ask_in_vain("lean_run_with", go_on("rfl")).await;
        assert_eq!(error["code"], "handleInvalidated", "{error}");

        let last = closed["next_handle"].clone();
        let released = mcp
            .ask("lean_release", with(file.clone(), json!({"handle": last})))
            .await;
        assert_eq!(released["released"], true, "{released}");
    }
}

#[tokio::test]
async fn a_drop_ends_handles_and_counts_them() {
    let (beam, mut mcp, at) = checked(Era::Modern).await;
    let first = mcp
        .ask(
            "lean_run_at_handle",
            with(at(4, "intro"), json!({"text": "intro x"})),
        )
        .await;
    let file = placeless(at(0, ""));
    let other = beam.project_named("other");
    other.write("A.lean", FILE);
    let arguments = json!({"handle": first["next_handle"], "text": "rfl"});
    let foreign = mcp
        .ask_in_vain(
            "lean_run_with",
            with(about(&other, "A.lean"), arguments.clone()),
        )
        .await;
    assert!(
        ["handleNotFound", "handleInvalidated"]
            .contains(&foreign["code"].as_str().must("get a code"))
    );

    let dropped = mcp
        .ask(
            "lean_drop_workspace",
            json!({"workspace": file["workspace"]}),
        )
        .await;
    assert_eq!(dropped["invalidated_handles"], 1, "{dropped}");
    let error = mcp
        .ask_in_vain("lean_run_with", with(file, arguments))
        .await;
    assert!(
        ["handleNotFound", "handleInvalidated"]
            .contains(&error["code"].as_str().must("get a code"))
    );
}

#[tokio::test]
async fn axioms_tell_whether_something_is_proved() {
    let (_beam, mut mcp, at) = checked(Era::Modern).await;
    let arguments = without(at(0, ""), &["line", "anchor"]);
    let axioms = mcp
        .ask(
            "lean_check_axioms",
            with(arguments, json!({"name": "two_is"})),
        )
        .await;
    assert_eq!(
        (&axioms["uses_sorry"], &axioms["standard_only"]),
        (&json!(false), &json!(true)),
        "{axioms}"
    );
}
