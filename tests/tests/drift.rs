//! A project whose configuration changes under its running Lean is refused until it is dropped.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::path::Path;

use lean_beam_proto::{
    BeamError, ErrorCode,
    op::{DropWorkspace, Empty, Save, SaveParams, WorkspaceSymbols, WorkspaceSymbolsParams},
    status::SessionState,
};
use lean_beam_tests::{
    lean_text::slow_proof,
    must::{Must, MustFail},
    programs,
    wait::{HANG, eventually},
    world::{Beam, Lean, Project},
};
use serde_json::json;

const FILES: [&str; 4] = [
    "lakefile.lean",
    "lakefile.toml",
    "lake-manifest.json",
    "lean-toolchain",
];

/// A project with a stand-in for Lake.
fn with_lake() -> (Beam, Project) {
    let lake = programs::built("fake_lake");
    let beam = Beam::builder()
        .lean(Lean::Real)
        .env("LEAN_BEAM_LAKE", lake.to_str().must("have a path"))
        .build();
    let project = beam.project();
    project.write("A.lean", "def a := 1\n");
    (beam, project)
}

fn check(error: &BeamError, changed: &str) {
    assert_eq!(error.code, ErrorCode::WorkspaceConfigChanged, "{error:?}");
    let data = error.data.as_ref().must("have data");
    assert_eq!(data["changed"], json!([changed]));
    let hint = error.hint.as_ref().must("have a hint");
    assert!(hint.contains("drop"), "{hint}");
}

/// Everything that asks Lean is refused, again and again.
async fn expect_refused(project: &Project, version: u64, changed: &str) {
    for _ in 0..2 {
        check(&project.sync("A.lean").await.must_fail(), changed);
        check(&project.update("A.lean").await.must_fail(), changed);
        let hover = project.hover("A.lean", version, (0, 4)).await;
        check(&hover.must_fail(), changed);
    }
    check(&project.refresh("A.lean").await.must_fail(), changed);
    let save = SaveParams {
        path: "A.lean".to_owned(),
        ..SaveParams::default()
    };
    check(&project.call::<Save>(save).await.must_fail(), changed);
    let query = WorkspaceSymbolsParams {
        query: "a".to_owned(),
        limit: None,
    };
    let symbols = project.call::<WorkspaceSymbols>(query).await;
    check(&symbols.must_fail(), changed);
}

async fn drop_and_sync(project: &Project, version: u64) {
    let dropped = project.call::<DropWorkspace>(Empty {}).await.must("drop");
    assert!(dropped.dropped);
    let again = project.sync("A.lean").await.must("sync after the drop");
    assert!(again.readiness.save_ready && again.version > version);
}

#[tokio::test]
async fn each_file_counts_whether_it_is_made_changed_or_removed() {
    let (_beam, project) = with_lake();
    project.write("lakefile.toml", "name = \"demo\"\n");
    let version = project.sync("A.lean").await.must("sync").version;
    assert!(
        Path::new(&project.path("lake-manifest.json")).is_file(),
        "Lake made a manifest while it started, and that was no change"
    );
    for name in FILES {
        let before = project.path(name).exists().then(|| project.read(name));
        let (made, other) = ("one\n", "two\n");
        project.write(name, made);
        expect_refused(&project, version, name).await;
        project.write(name, other);
        expect_refused(&project, version, name).await;
        match before {
            Some(before) => {
                project.remove(name);
                expect_refused(&project, version, name).await;
                project.write(name, before);
            }
            None => project.remove(name),
        }
        let again = project.sync("A.lean").await;
        assert!(again.is_ok(), "{name} is what it was: {again:?}");
    }
    project.write("lakefile.toml", "name = \"other\"\n");
    expect_refused(&project, version, "lakefile.toml").await;
    drop_and_sync(&project, version).await;
}

#[tokio::test]
async fn a_change_while_nothing_is_loaded_counts_as_well() {
    let beam = Beam::builder()
        .config("[workspace]\nidle_seconds = 1\n")
        .build();
    let project = beam.project();
    project.write("A.lean", "def a := 1\n");
    let version = project.sync("A.lean").await.must("sync").version;
    eventually(HANG, "an idle workspace to be unloaded", async || {
        let workspace = beam.status().await.workspaces.remove(0);
        (workspace.state == SessionState::Stopped).then_some(())
    })
    .await;
    project.write("lean-toolchain", "another\n");
    expect_refused(&project, version, "lean-toolchain").await;
    drop_and_sync(&project, version).await;
}

#[tokio::test]
async fn a_change_after_a_file_was_let_go_counts_as_well() {
    let beam = Beam::builder()
        .config("[limits]\nopen_documents = 1\n")
        .build();
    let project = beam.project();
    project.write("A.lean", "def a := 1\n");
    project.write("B.lean", "def b := 1\n");
    let version = project.sync("A.lean").await.must("sync").version;
    project.sync("B.lean").await.must("sync another file");
    project.write("lake-manifest.json", "{}\n");
    expect_refused(&project, version, "lake-manifest.json").await;
    drop_and_sync(&project, version).await;
}

#[tokio::test]
async fn a_change_while_lean_is_at_work_overtakes_the_verdict() {
    let beam = Beam::real();
    let project = beam.project();
    project.write("A.lean", slow_proof(2_000));
    let verdict = project.sync("A.lean");
    let edit = async {
        eventually(HANG, "the file to be in work", async || {
            let status = beam.status().await;
            let workspace = status.workspaces.first()?;
            (workspace.open_documents == 1).then_some(())
        })
        .await;
        project.write("lean-toolchain", "another\n");
    };
    let (verdict, ()) = tokio::join!(verdict, edit);
    check(&verdict.must_fail(), "lean-toolchain");
}
