//! Tools that look around in files and projects, with real Lean, one by one.

use lean_beam_tests::{must::Must, world::Beam};
use serde_json::{Value, json};

use crate::client::{ERAS, Era, Mcp, about, with};

const FILE: &str = "\
def two := 2
theorem two_is : two = 1 + 1 := rfl
example : two = two := by
  sorry
#check two
";

/// A world with a checked file, a client, and arguments about that file and version.
async fn checked(era: Era) -> (Beam, Mcp, Value) {
    let beam = Beam::real();
    let project = beam.project();
    project.write("A.lean", FILE);
    let mut mcp = Mcp::connect(&beam, era).await;
    let sync = mcp.ask("lean_sync", about(&project, "A.lean")).await;
    let mut file = about(&project, "A.lean");
    file["version"] = sync["version"].clone();
    (beam, mcp, file)
}

fn start(range: &Value) -> (u64, u64) {
    let number = |name: &str| range["start"][name].as_u64().must("get a place");
    (number("line"), number("character"))
}

#[tokio::test]
async fn from_a_use_to_the_definition_and_back_to_all_uses() {
    for era in ERAS {
        let (_beam, mut mcp, file) = checked(era).await;
        let definition = mcp
            .ask(
                "lean_definition",
                with(file.clone(), json!({"line": 4, "anchor": "two"})),
            )
            .await;
        let place = &definition["locations"][0];
        assert_eq!(place["path"], "A.lean", "{definition}");
        assert_eq!(start(&place["selection_range"]), (0, 4));

        let all = with(file.clone(), json!({"line": 0, "anchor": "two"}));
        let references = mcp.ask("lean_references", all.clone()).await;
        let lines: Vec<_> = references["locations"]
            .as_array()
            .must("get places")
            .iter()
            .map(|place| start(&place["range"]).0)
            .collect();
        assert_eq!(lines, [0, 1, 2, 2, 4], "{references}");
        assert_eq!(
            (&references["total"], &references["truncated"]),
            (&json!(5), &json!(false))
        );
        let uses = mcp
            .ask(
                "lean_references",
                with(all, json!({"include_declaration": false})),
            )
            .await;
        assert_eq!(uses["total"], 4, "{uses}");
    }
}

#[tokio::test]
async fn what_a_file_and_a_project_declare() {
    let (_beam, mut mcp, file) = checked(Era::Modern).await;
    let tree = mcp.ask("lean_document_symbols", file.clone()).await;
    let names: Vec<_> = tree["symbols"]
        .as_array()
        .must("get symbols")
        .iter()
        .map(|symbol| symbol["name"].clone())
        .collect();
    assert!(
        names.contains(&json!("two")) && names.contains(&json!("two_is")),
        "{tree}"
    );
    let query = json!({"workspace": file["workspace"], "query": "two_is"});
    let found = mcp.ask("lean_workspace_symbols", query.clone()).await;
    assert_eq!(found["symbols"][0]["path"], "A.lean", "{found}");
    let error = mcp
        .ask_in_vain("lean_workspace_symbols", with(query, json!({"version": 1})))
        .await;
    assert_eq!(
        error["data"]["field"], "version",
        "it asks about no version"
    );
}

#[tokio::test]
async fn what_can_be_written_and_what_it_takes() {
    let (beam, mut mcp, _) = checked(Era::Modern).await;
    let project = beam.project();
    project.write("B.lean", "def twenty := 20\n#check twe\n#check Nat.add 1\n");
    let mut file = about(&project, "B.lean");
    file["version"] = mcp.ask("lean_sync", file.clone()).await["version"].clone();
    let completions = mcp
        .ask(
            "lean_completions",
            with(file.clone(), json!({"line": 1, "character": 10})),
        )
        .await;
    let labels: Vec<_> = completions["items"]
        .as_array()
        .must("get completions")
        .iter()
        .map(|item| item["label"].clone())
        .collect();
    assert!(labels.contains(&json!("twenty")), "{completions}");
    let help = mcp
        .ask(
            "lean_signature_help",
            with(file, json!({"line": 2, "character": 15})),
        )
        .await;
    assert!(help["signatures"].is_array(), "{help}");
}

#[tokio::test]
async fn what_is_left_to_do_and_where_to_try_it() {
    for era in ERAS {
        let (_beam, mut mcp, file) = checked(era).await;
        let range = json!({"start_line": 0, "start_character": 0, "end_line": 5, "end_character": 0, "kinds": ["sorry"]});
        let todo = mcp.ask("lean_todo", with(file.clone(), range)).await;
        assert_eq!(todo["total"], 1, "{todo}");
        let item = &todo["items"][0];
        assert_eq!(
            (item["kind"].as_str(), start(&item["range"])),
            (Some("sorry"), (3, 2))
        );
        let place = json!({
            "line": item["run_at_position"]["line"], "character": item["run_at_position"]["character"], "text": "rfl",
        });
        let run = mcp.ask("lean_run_at", with(file.clone(), place)).await;
        assert_eq!(run["success"], true, "{run}");

        let bad = json!({"start_line": 0, "start_character": 0, "end_line": 5, "end_character": 0, "kinds": ["wish"]});
        let error = mcp.ask_in_vain("lean_todo", with(file, bad)).await;
        assert_eq!(error["data"]["field"], "kinds[0]", "{error}");
    }
}

#[tokio::test]
async fn a_code_action_that_nobody_offered_is_refused() {
    let (_beam, mut mcp, file) = checked(Era::Modern).await;
    let made_up = json!({"code_action": {"title": "made up", "kind": "quickfix"}});
    let answer = {
        mcp.call("x", "lean_code_action_resolve", with(file.clone(), made_up))
            .await;
        mcp.answer("x").await
    };
    // Whatever Lean makes of it, the answer is a result about a code action, or an error with a code.
    let content = &answer["result"]["structuredContent"];
    assert!(
        content["code"].is_string() || content["code_action"].is_object(),
        "{answer}"
    );
    let error = mcp
        .ask_in_vain(
            "lean_code_action_resolve",
            with(file, json!({"code_action": "text"})),
        )
        .await;
    assert_eq!(
        (&error["code"], &error["data"]["field"]),
        (&json!("invalidInput"), &json!("code_action"))
    );
}
