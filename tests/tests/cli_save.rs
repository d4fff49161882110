//! The commands `save` and `close-save`: both kinds of output, exit codes, the way out of stale imports.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::path::Path;

use lean_beam_tests::{
    must::Must,
    world::{Beam, Project},
};
use serde_json::json;

/// A imports Sub/B.
fn world() -> (Beam, Project) {
    let beam = Beam::real();
    let project = beam.project();
    project.write("A.lean", "import Sub.B\ntheorem a : b = 1 := rfl\n");
    project.write("Sub/B.lean", "def b := 1\n");
    (beam, project)
}

#[tokio::test]
async fn a_program_learns_what_was_written() {
    let (beam, project) = world();
    let call = project.cli(&beam, ["save", "Sub/B.lean"]);
    let saved = call.run().await.expect_code(0).json();
    assert_eq!(saved["workspace"]["root"], project.root_text());
    assert_eq!(
        (&saved["module"], &saved["path"]),
        (&json!("Sub.B"), &json!("Sub/B.lean"))
    );
    assert_eq!(saved["sync"]["readiness"]["save_ready"], true);
    for artifact in ["olean", "ilean", "c", "trace"] {
        let path = saved[artifact].as_str().must("name an artifact");
        assert!(Path::new(path).is_file(), "{artifact}: {path}");
    }
    let call = project.cli(&beam, ["close-save", "A.lean"]);
    let closed = call.run().await.expect_code(0).json();
    assert_eq!(
        (&closed["closed"], &closed["saved"]["module"]),
        (&json!(true), &json!("A"))
    );
    let call = project.cli(&beam, ["open-files"]);
    let files = call.run().await.expect_code(0).json();
    assert_eq!(files["files"].as_array().map(Vec::len), Some(1), "{files}");
}

#[tokio::test]
async fn a_person_sees_the_module_and_the_artifacts_from_where_they_are() {
    let (beam, project) = world();
    let call = project.cli(&beam, ["save", "Sub/B.lean", "--color", "never"]);
    let shown = call.run_on_terminal().await.expect_code(0).stdout;
    assert!(
        shown.contains("✓ Sub/B.lean: no errors, saved as module Sub.B (version 1,"),
        "{shown}"
    );
    for artifact in [
        "  .lake/build/lib/lean/Sub/B.olean\r\n",
        "  .lake/build/lib/lean/Sub/B.ilean\r\n",
        "  .lake/build/ir/Sub/B.c\r\n",
    ] {
        assert!(shown.contains(artifact), "{artifact}: {shown}");
    }
    let call = project.cli(&beam, ["close-save", "A.lean", "--human"]);
    let shown = call.run().await.expect_code(0).stdout;
    assert!(shown.contains("saved as module A and closed"), "{shown}");
}

#[tokio::test]
async fn a_file_with_errors_is_refused_like_a_sync_of_it() {
    let (beam, project) = world();
    project.write("Bad.lean", "def bad : Nat := nope\n");
    for command in ["save", "close-save"] {
        let call = project.cli(&beam, [command, "Bad.lean"]);
        let refused = call.run().await.expect_code(1).json();
        assert_eq!(refused["error"]["code"], "saveFailed", "{refused}");
        assert_eq!(
            refused["error"]["data"]["readiness"]["blocking_error_count"],
            1
        );
        let call = project.cli(&beam, [command, "Bad.lean", "--human"]);
        let shown = call.run().await.expect_code(1).stdout;
        assert!(
            shown.contains("Bad.lean:1:18\n") && shown.contains("^^^^"),
            "{shown}"
        );
        assert!(
            shown.contains("✗ Bad.lean: 1 error, not saved (version 1,"),
            "{shown}"
        );
    }
    assert!(!project.path(".lake").exists(), "nothing was written");
    project.write("no-name.lean", "def a := 1\n");
    let call = project.cli(&beam, ["save", "no-name.lean"]);
    let refused = call.run().await.expect_code(3).json();
    assert_eq!(refused["error"]["code"], "saveTargetNotModule");
}

#[tokio::test]
async fn a_person_is_given_the_commands_that_mend_stale_imports_and_they_do() {
    let (beam, project) = world();
    let call = project.cli(&beam, ["sync", "A.lean", "--human"]);
    let told = call.run().await.expect_code(3).stderr;
    let commands: Vec<Vec<String>> = told
        .lines()
        .filter_map(|line| line.strip_prefix("  lean-beam "))
        .map(|line| line.split(' ').map(str::to_owned).collect())
        .collect();
    assert_eq!(commands, [["save", "Sub/B.lean"], ["sync", "A.lean"]]);
    for command in &commands {
        let call = project.cli(&beam, command.iter().map(String::as_str));
        call.run().await.expect_code(0);
    }
}
