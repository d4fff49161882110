//! Saving modules over MCP, in both protocol families.

use std::path::Path;

use lean_beam_tests::{
    must::Must,
    world::{Beam, Project},
};
use serde_json::{Value, json};

use crate::client::{ERAS, Era, Mcp, about};

/// A imports B.
fn world() -> (Beam, Project) {
    let beam = Beam::real();
    let project = beam.project();
    project.write("A.lean", "import B\ntheorem a : b = 1 := rfl\n");
    project.write("B.lean", "def b := 1\n");
    (beam, project)
}

#[tokio::test]
async fn the_plan_of_a_refused_sync_names_tools_and_ends_clean() {
    for era in ERAS {
        let (beam, project) = world();
        let mut mcp = Mcp::connect(&beam, era).await;
        let error = mcp
            .ask_in_vain("lean_sync", about(&project, "A.lean"))
            .await;
        assert_eq!(error["code"], "syncBarrierIncomplete", "{error}");
        let plan = error["data"]["recovery_plan"].clone();
        assert_eq!(
            plan,
            json!([{"tool": "lean_save", "path": "B.lean"}, {"tool": "lean_sync", "path": "A.lean"}])
        );
        let mut last = Value::Null;
        for step in plan.as_array().must("have steps") {
            let text = |name: &str| step[name].as_str().must("be a text").to_owned();
            last = mcp.ask(&text("tool"), about(&project, &text("path"))).await;
        }
        assert_eq!(last["readiness"]["save_ready"], true, "{last}");
    }
}

#[tokio::test]
async fn a_save_tells_what_it_wrote_and_close_save_closes() {
    for era in ERAS {
        let (beam, project) = world();
        let mut mcp = Mcp::connect(&beam, era).await;
        mcp.call_watched("save", "lean_save", about(&project, "B.lean"))
            .await;
        let saved = mcp.result("save").await;
        let mut members: Vec<_> = saved.as_object().must("be an object").keys().collect();
        members.sort_unstable();
        assert_eq!(
            members,
            [
                "c",
                "document_progress",
                "ilean",
                "module",
                "olean",
                "path",
                "source_hash",
                "sync",
                "trace",
                "version",
                "workspace"
            ]
        );
        assert_eq!(saved["workspace"]["root"], project.root_text());
        let olean = saved["olean"].as_str().must("name an artifact");
        assert!(Path::new(olean).is_file(), "{olean}");
        assert!(saved["sync"].get("document_progress").is_none());
        let progress = mcp.notifications("notifications/progress");
        assert!(
            progress.iter().any(|params| params["progressToken"] == 7),
            "{progress:?}"
        );

        let closed = mcp.ask("lean_close_save", about(&project, "A.lean")).await;
        assert_eq!(
            (&closed["closed"], &closed["saved"]["module"]),
            (&json!(true), &json!("A"))
        );
        let again = mcp.ask("lean_close", about(&project, "A.lean")).await;
        assert_eq!(again["was_open"], false);
    }
}

#[tokio::test]
async fn a_file_with_errors_is_a_failed_save_that_lists_them() {
    let (beam, project) = world();
    project.write("B.lean", "def b : Nat := nope\n");
    let mut mcp = Mcp::connect(&beam, Era::Modern).await;
    for tool in ["lean_save", "lean_close_save"] {
        let error = mcp.ask_in_vain(tool, about(&project, "B.lean")).await;
        assert_eq!(error["code"], "saveFailed");
        let readiness = &error["data"]["readiness"];
        assert_eq!(readiness["blocking_error_count"], 1, "{error}");
        assert_eq!(
            readiness["blocking_diagnostics"][0]["range"]["start"],
            json!({"line": 0, "character": 15})
        );
    }
    let mut arguments = about(&project, "B.lean");
    arguments["diagnostics_in_result"] = json!(true);
    let error = mcp.ask_in_vain("lean_save", arguments).await;
    assert_eq!(
        error["code"], "invalidInput",
        "diagnostics are not replayed by a save"
    );
    let close = mcp.ask("lean_close", about(&project, "B.lean")).await;
    assert_eq!(
        close["was_open"], true,
        "a save that failed leaves the file open"
    );
}
