//! `save` makes exactly the artifacts of what was judged, and a file is judged only when its imports are current.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::{fs, path::Path};

use lean_beam_proto::{
    BeamError, BeamResult, ErrorCode,
    client::Request,
    op::{CloseSave, Save, SaveParams, SaveResult, Sync, SyncResult},
};
use lean_beam_tests::{
    must::{Must, MustFail},
    process::command,
    programs,
    world::{Beam, Project},
};

async fn save(project: &Project, path: &str) -> BeamResult<SaveResult> {
    project.call::<Save>(params(path)).await
}

fn params(path: &str) -> SaveParams {
    SaveParams {
        path: path.to_owned(),
        ..SaveParams::default()
    }
}

/// A imports B imports C.
fn chain(beam: &Beam) -> Project {
    chain_in(beam, "project", 1)
}

/// The same in a folder of the world, with a number that the three agree about.
fn chain_in(beam: &Beam, folder: &str, number: u32) -> Project {
    let project = beam.project_named(folder);
    project.write(
        "A.lean",
        format!("import B\ntheorem a : b = {number} := rfl\n"),
    );
    project.write("B.lean", "import Sub.C\ndef b := c\n");
    project.write("Sub/C.lean", format!("def c := {number}\n"));
    project
}

/// The calls of an error's plan, as they stand there.
fn plan(error: &BeamError) -> Vec<(String, String)> {
    assert_eq!(error.code, ErrorCode::SyncBarrierIncomplete, "{error:?}");
    let data = error.data.as_ref().must("have data");
    let steps = data["recovery_plan"].as_array().must("have a plan");
    steps
        .iter()
        .map(|step| {
            (
                step["op"].as_str().must("name an operation").to_owned(),
                step["path"].as_str().must("name a file").to_owned(),
            )
        })
        .collect()
}

/// Syncs A; follows the plan of a refusal to the letter, once. The result of the plan's last call.
async fn follow(project: &Project) -> SyncResult {
    let error = match project.sync("A.lean").await {
        Ok(result) => return result,
        Err(error) => error,
    };
    let steps = plan(&error);
    assert_eq!(
        steps.last().map(|(op, path)| (op.as_str(), path.as_str())),
        Some(("sync", "A.lean"))
    );
    for (op, path) in &steps[..steps.len() - 1] {
        assert_eq!(op, "save");
        save(project, path).await.must("save as the plan says");
    }
    project
        .sync("A.lean")
        .await
        .must("sync after the plan was followed")
}

#[tokio::test]
async fn no_sync_is_clean_while_an_import_is_stale_and_the_plan_ends_clean() {
    let beam = Beam::real();
    let project = chain(&beam);
    assert!(follow(&project).await.readiness.save_ready);
    // Each edit of each file, one after the other and together, in every order.
    let edits = [
        ("Sub/C.lean", "def c := 2\n"),
        ("Sub/C.lean", "def c := 1\n"),
        ("B.lean", "import Sub.C\ndef b := c + 0\n"),
        ("B.lean", "import Sub.C\ndef b := c\n"),
    ];
    for (path, text) in edits {
        project.write(path, text);
        assert_eq!(
            project.sync("A.lean").await.must_fail().code,
            ErrorCode::SyncBarrierIncomplete,
            "after {path}"
        );
        let result = follow(&project).await;
        let is_true = project.read("Sub/C.lean").contains('1');
        assert_eq!(result.readiness.save_ready, is_true, "after {path}: {text}");
    }
    project.write("B.lean", "import Sub.C\ndef b := c + 1\n");
    project.write("Sub/C.lean", "def c := 0\n");
    assert!(follow(&project).await.readiness.save_ready, "0 + 1 = 1");
}

#[tokio::test]
async fn edits_of_all_three_in_every_order_are_never_passed_over() {
    let beam = Beam::real();
    let project = chain(&beam);
    follow(&project).await;
    let orders = ["ABC", "ACB", "BAC", "BCA", "CAB", "CBA"];
    for (number, order) in orders.into_iter().enumerate() {
        let c = number + 2;
        for (step, letter) in order.chars().enumerate() {
            let (path, text) = match letter {
                'A' => (
                    "A.lean",
                    format!("import B\ntheorem a : b = {} := rfl\n", c + 1),
                ),
                'B' => (
                    "B.lean",
                    format!("import Sub.C\n-- {number}\ndef b := c + 1\n"),
                ),
                _ => ("Sub/C.lean", format!("def c := {c}\n")),
            };
            project.write(path, text);
            if number % 2 == 1 {
                project.update(path).await.must("let the daemon see it");
            }
            let imports_changed = order.chars().take(step + 1).any(|edited| edited != 'A');
            match project.sync("A.lean").await {
                Ok(result) => assert!(
                    !imports_changed && !result.readiness.save_ready,
                    "{order} after {letter}: {result:?}"
                ),
                Err(error) => {
                    assert!(imports_changed, "{order} after {letter}: {error:?}");
                    plan(&error);
                }
            }
        }
        let result = follow(&project).await;
        assert!(result.readiness.save_ready, "{order}: {result:?}");
    }
    save(&project, "A.lean").await.must("save");
    expect_loadable(&project, "A");
}

/// A Lean that knows nothing of the daemon loads what was saved of a module.
fn expect_loadable(project: &Project, module: &str) {
    let user = project.write("User.lean", format!("import {module}\n"));
    let output = command(programs::real_lean())
        .arg(user)
        .env("LEAN_PATH", project.path(".lake/build/lib/lean"))
        .output()
        .must("run Lean");
    assert!(output.status.success(), "{output:?}");
}

#[tokio::test]
async fn a_worktree_inside_a_project_and_two_links_to_it_have_their_own_truth() {
    let beam = Beam::real();
    let project = chain(&beam);
    // What `git worktree add trees/next` makes, with another state of the same files.
    let tree = chain_in(&beam, "project/trees/next", 7);
    tree.write(".git", "gitdir: ../../.git/worktrees/next\n");
    assert!(follow(&project).await.readiness.save_ready);
    let links = ["one", "two"].map(|name| {
        let link = beam.root().join(name);
        std::os::unix::fs::symlink(tree.root(), &link).must("make a link");
        link.to_str().must("have a path").to_owned()
    });
    let sync = async |root: &str, path: &str| {
        let request = Request::<Sync>::new(Project::sync_params(path)).in_workspace(root);
        beam.call(request).await
    };
    for link in &links {
        let error = sync(link, "A.lean").await.must_fail();
        assert_eq!(plan(&error).len(), 3, "nothing of the worktree is saved");
    }
    for path in ["Sub/C.lean", "B.lean"] {
        let saved = save(&tree, path).await.must("save in the worktree");
        assert!(saved.olean.starts_with(tree.root_text()), "{}", saved.olean);
    }
    for link in &links {
        let result = sync(link, "A.lean").await.must("sync through a link");
        assert!(result.readiness.save_ready, "{result:?}");
    }
    // Each has its own `b`: 1 here, 7 there.
    project.write("A.lean", "import B\ntheorem a : b = 7 := rfl\n");
    let outer = project.sync("A.lean").await.must("sync the outer project");
    assert!(!outer.readiness.save_ready, "{outer:?}");
    assert_eq!(beam.status().await.workspaces.len(), 2);
    let error = project.sync("trees/next/A.lean").await.must_fail();
    assert_eq!(error.code, ErrorCode::InvalidParams);
}

#[tokio::test]
async fn an_import_that_was_only_saved_again_reaches_its_importers() {
    let beam = Beam::real();
    let project = chain(&beam);
    follow(&project).await;
    project.write("Sub/C.lean", "def c := 5\n");
    save(&project, "Sub/C.lean").await.must("save an import");
    let error = project.sync("A.lean").await.must_fail();
    assert_eq!(
        plan(&error),
        [
            ("save".to_owned(), "B.lean".to_owned()),
            ("sync".to_owned(), "A.lean".to_owned())
        ]
    );
    assert_eq!(
        error.data.must("have data")["stale_direct_deps"],
        serde_json::json!(["B"])
    );
}

#[tokio::test]
async fn saved_artifacts_load_in_a_fresh_lean() {
    let beam = Beam::real();
    let project = chain(&beam);
    follow(&project).await;
    let saved = save(&project, "A.lean").await.must("save");
    assert_eq!(
        (saved.module.as_str(), saved.path.as_str()),
        ("A", "A.lean")
    );
    for artifact in [&saved.olean, &saved.ilean, &saved.c, &saved.trace] {
        assert!(Path::new(artifact).is_file(), "{artifact}");
    }
    expect_loadable(&project, "A");
}

#[tokio::test]
async fn a_file_with_errors_is_not_saved_and_its_old_artifacts_stay() {
    let beam = Beam::real();
    let project = beam.project();
    project.write("A.lean", "def a := 1\n");
    let saved = save(&project, "A.lean").await.must("save");
    let before = fs::read(&saved.olean).must("read the artifact");
    project.write("A.lean", "def a := 2\ntheorem t : a = 3 := rfl\n");
    let error = save(&project, "A.lean").await.must_fail();
    assert_eq!(error.code, ErrorCode::SaveFailed);
    assert_eq!(
        error.data.must("have data")["readiness"]["save_ready"],
        false
    );
    assert_eq!(fs::read(&saved.olean).must("read the artifact"), before);
    let left: Vec<_> = fs::read_dir(project.path(".lake/build"))
        .must("list")
        .map(|entry| entry.must("list").file_name())
        .collect();
    assert!(
        left.iter()
            .all(|name| !name.to_string_lossy().starts_with('.')),
        "{left:?}"
    );
}

#[tokio::test]
async fn saving_the_same_twice_builds_once() {
    let beam = Beam::real();
    let project = beam.project();
    project.write("A.lean", "def a := 1\n");
    let first = save(&project, "A.lean").await.must("save");
    let stamp = |path: &str| {
        fs::metadata(path)
            .and_then(|metadata| metadata.modified())
            .must("look at the artifact")
    };
    let built = stamp(&first.olean);
    let second = save(&project, "A.lean").await.must("save again");
    assert_eq!(stamp(&second.olean), built);
    project.write("A.lean", "def a := 2\n");
    let third = save(&project, "A.lean").await.must("save an edit");
    assert_ne!(third.source_hash, first.source_hash);
    assert_ne!(stamp(&third.olean), built);
}

#[tokio::test]
async fn what_is_no_module_cannot_be_saved() {
    let beam = Beam::real();
    let project = beam.project();
    project.write("not-a-name.lean", "def a := 1\n");
    assert_eq!(
        save(&project, "not-a-name.lean").await.must_fail().code,
        ErrorCode::SaveTargetNotModule
    );
    let outside = beam.root().join("Outside.lean");
    fs::write(&outside, "def a := 1\n").must("write a file");
    assert_eq!(
        save(&project, outside.to_str().must("have a path"))
            .await
            .must_fail()
            .code,
        ErrorCode::SaveTargetNotModule
    );
}

#[tokio::test]
async fn close_save_saves_then_closes() {
    let beam = Beam::real();
    let project = beam.project();
    project.write("A.lean", "def a := 1\n");
    let result = project
        .call::<CloseSave>(params("A.lean"))
        .await
        .must("close_save");
    assert!(result.closed && Path::new(&result.saved.olean).is_file());
    assert!(project.open_files().await.must("list").files.is_empty());
}

#[tokio::test]
async fn import_cycles_and_missing_modules_are_clear_errors_without_restarts() {
    let beam = Beam::real();
    let project = beam.project();
    project.write("A.lean", "import B\ndef a := 1\n");
    project.write("B.lean", "import A\ndef b := 1\n");
    for _ in 0..3 {
        let error = project.sync("A.lean").await.must_fail();
        assert_eq!(error.code, ErrorCode::SyncBarrierIncomplete);
        assert!(error.message.contains("A → B → A"), "{error}");
    }
    project.write("Missing.lean", "import Nowhere\ndef m := 1\n");
    let result = project
        .sync("Missing.lean")
        .await
        .must("judge a file with a missing import");
    assert!(
        !result.readiness.save_ready && result.diagnostics.counts.error > 0,
        "{result:?}"
    );
    let starts = beam.status().await.workspaces[0]
        .processes
        .iter()
        .filter(|process| process.kind == "server")
        .count();
    assert_eq!(starts, 1);
}

#[tokio::test]
async fn two_clients_that_save_and_sync_a_chain_that_a_third_edits_never_see_a_lie() {
    let beam = Beam::real();
    let project = chain(&beam);
    follow(&project).await;
    let saver = async {
        for _ in 0..12 {
            // Whatever the moment: saved, or refused for a reason.
            for path in ["Sub/C.lean", "B.lean"] {
                if let Err(error) = save(&project, path).await {
                    assert!(
                        matches!(
                            error.code,
                            ErrorCode::ContentModified | ErrorCode::SyncBarrierIncomplete
                        ),
                        "{error:?}"
                    );
                }
            }
        }
    };
    let judge = async {
        let mut judged = 0;
        for _ in 0..25 {
            match project.sync("A.lean").await {
                // `b` is 1 or 2 by the text of C; nobody may be told that 2 = 1.
                Ok(result) => {
                    judged += 1;
                    assert!(result.readiness.save_ready || result.diagnostics.counts.error > 0);
                }
                Err(error) => assert!(
                    matches!(
                        error.code,
                        ErrorCode::ContentModified | ErrorCode::SyncBarrierIncomplete
                    ),
                    "{error:?}"
                ),
            }
        }
        judged
    };
    let editor = async {
        for number in 0..12 {
            project.write("Sub/C.lean", format!("def c := {}\n", 1 + number % 2));
            // Lets the others go on in between.
            project.update("Sub/C.lean").await.must("update");
        }
    };
    // Whatever is saved at a moment, a Lean that starts then can load it.
    let reader = async {
        for _ in 0..6 {
            expect_loadable(&project, "B");
            project.update("B.lean").await.must("let the others go on");
        }
    };
    tokio::join!(saver, judge, editor, reader);
    let result = follow(&project).await;
    assert_eq!(
        result.readiness.save_ready,
        project.read("Sub/C.lean").contains('1'),
        "{result:?}"
    );
}
