//! The daemon keeps Lean within limits, and nobody notices but by the time that it takes.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::{fs, os::unix::fs::symlink, time::Duration};

use lean_beam_proto::{
    BeamResult, ErrorCode,
    client::Request,
    op::HoverResult,
    status::{ProcessStatus, SessionState},
};
use lean_beam_tests::{
    must::{Must, MustFail},
    wait::{HANG, eventually, within},
    world::{Beam, Project},
};

/// Each opens a worker, which takes a tenth of a second.
const MANY: usize = 200;

fn workers(processes: &[ProcessStatus]) -> usize {
    processes
        .iter()
        .filter(|process| process.kind == "worker")
        .count()
}

async fn hover(project: &Project, path: &str, version: u64) -> BeamResult<HoverResult> {
    project.hover(path, version, (0, 4)).await
}

#[tokio::test]
async fn many_files_stay_within_the_limit_and_the_first_is_right_again_unseen() {
    let beam = Beam::builder()
        .config("[limits]\nopen_documents = 4\n")
        .build();
    let project = beam.project();
    let write_and_sync = async |number: usize| {
        let path = format!("F{number}.lean");
        project.write(&path, format!("def f{number} := {number}\n"));
        project.sync(&path).await.must("sync").version
    };
    let mut versions = Vec::new();
    for number in (0..MANY).step_by(2) {
        let (one, other) = tokio::join!(write_and_sync(number), write_and_sync(number + 1));
        versions.extend([one, other]);
        if number % 10 == 0 {
            // Workers that were let go may still be on their way out.
            eventually(HANG, "few workers with little memory", async || {
                let status = beam.status().await.workspaces.remove(0);
                assert!(status.open_documents <= 4, "{status:?}");
                let resident: u64 = status.processes.iter().map(|one| one.resident_bytes).sum();
                (workers(&status.processes) <= 4 && resident < 1_500_000_000).then_some(())
            })
            .await;
        }
    }
    let status = beam.status().await.workspaces.remove(0);
    assert_eq!((status.open_documents, status.documents), (4, MANY));
    let answer = hover(&project, "F0.lean", versions[0])
        .await
        .must("ask at the version from before");
    assert!(answer.contents.must("have an answer").contains("f0"));
    let again = project.sync("F1.lean").await.must("sync again");
    assert!(again.readiness.save_ready && again.version >= versions[1]);
}

#[tokio::test]
async fn a_worker_without_bounds_is_stopped_by_name_and_others_go_on() {
    let beam = Beam::builder()
        .config("[limits]\nworker_memory_bytes = 300000000\n")
        .build();
    let project = beam.project();
    project.write("Good.lean", "def g := 1\n");
    project.sync("Good.lean").await.must("sync");
    project.write("Big.lean", "def grow : Nat → List Nat → List Nat\n  | 0, l => l\n  | n + 1, l => grow n (n :: l)\n#eval (grow 300000000 []).length\n");
    let error = within(
        HANG,
        "the end of a worker without bounds",
        project.sync("Big.lean"),
    )
    .await
    .must_fail();
    assert_eq!(error.code, ErrorCode::WorkerMemoryLimit, "{error:?}");
    assert_eq!(error.data.must("have data")["path"], "Big.lean");
    assert!(
        project
            .sync("Good.lean")
            .await
            .must("sync another file")
            .readiness
            .save_ready
    );
    project.write("Big.lean", "def grow := 1\n");
    assert!(
        project
            .sync("Big.lean")
            .await
            .must("sync the mended file")
            .readiness
            .save_ready
    );
}

#[tokio::test]
async fn over_the_budget_what_nobody_uses_goes() {
    // No Lean fits: everything that is not in use has to go, and comes back for every call.
    let beam = Beam::builder()
        .config("[limits]\nlean_memory_bytes = 1000000\n")
        .build();
    let project = beam.project();
    for number in 0..3 {
        let path = format!("F{number}.lean");
        project.write(&path, format!("def f{number} := {number}\n"));
        assert!(project.sync(&path).await.must("sync").readiness.save_ready);
    }
    eventually(HANG, "the end of all workers", async || {
        (workers(&beam.status().await.workspaces[0].processes) == 0).then_some(())
    })
    .await;
    assert!(
        project
            .sync("F0.lean")
            .await
            .must("sync after it went")
            .readiness
            .save_ready
    );
}

#[tokio::test]
async fn idle_workspaces_and_documents_go_and_come_back_with_rising_versions() {
    let beam = Beam::builder()
        .config("[workspace]\nidle_seconds = 1\n")
        .build();
    let project = beam.project();
    project.write("A.lean", "def a := 1\n");
    let first = project.sync("A.lean").await.must("sync");
    eventually(HANG, "an idle workspace to be unloaded", async || {
        let workspace = beam.status().await.workspaces.remove(0);
        (workspace.state == SessionState::Stopped && workspace.processes.is_empty()).then_some(())
    })
    .await;
    beam.assert_no_lean_within(HANG).await;
    let answer = hover(&project, "A.lean", first.version)
        .await
        .must("ask at the version from before");
    assert!(answer.contents.must("have an answer").contains('a'));
    assert!(project.sync("A.lean").await.must("sync").version > first.version);
}

#[tokio::test]
async fn a_changed_configuration_refuses_the_workspace_until_it_is_dropped() {
    let beam = Beam::real();
    let project = beam.project();
    project.write("A.lean", "def a := 1\n");
    let version = project.sync("A.lean").await.must("sync").version;
    project.write("lean-toolchain", "another\n");
    for _ in 0..2 {
        let error = project.sync("A.lean").await.must_fail();
        assert_eq!(error.code, ErrorCode::WorkspaceConfigChanged);
        assert!(error.hint.must("have a hint").contains("drop"));
        assert_eq!(
            hover(&project, "A.lean", version).await.must_fail().code,
            ErrorCode::WorkspaceConfigChanged
        );
    }
    assert!(project.drop_workspace().await.must("drop").dropped);
    assert!(
        project
            .sync("A.lean")
            .await
            .must("sync after the drop")
            .version
            > version
    );
}

#[tokio::test]
async fn a_root_that_moved_away_is_named_lets_go_and_works_when_it_is_back() {
    let beam = Beam::real();
    let project = beam.project();
    project.write("A.lean", "def a := 1\n");
    project.sync("A.lean").await.must("sync");
    let away = beam.root().join("away");
    fs::rename(project.root(), &away).must("move the project away");
    assert_eq!(
        project.sync("A.lean").await.must_fail().code,
        ErrorCode::InvalidInput
    );
    beam.assert_no_lean_within(Duration::from_secs(10)).await;
    let dropped = project
        .drop_workspace()
        .await
        .must("drop a root that is gone");
    assert!(!dropped.dropped, "it was dropped already");
    fs::rename(&away, project.root()).must("move the project back");
    assert!(
        project
            .sync("A.lean")
            .await
            .must("sync again")
            .readiness
            .save_ready
    );
}

#[tokio::test]
async fn two_links_to_a_project_share_one_server_and_a_project_inside_does_not() {
    let beam = Beam::real();
    let project = beam.project();
    project.write("A.lean", "def a := 1\n");
    project.write("inner/lean-toolchain", "");
    project.write("inner/B.lean", "def b := 1\n");
    let link = beam.root().join("link");
    symlink(project.root(), &link).must("make a link");
    let through = |root: &str, path: &str| {
        Request::<lean_beam_proto::op::Sync>::new(Project::sync_params(path)).in_workspace(root)
    };
    let link = link.to_str().must("have a path");
    project.sync("A.lean").await.must("sync");
    beam.call(through(link, "A.lean"))
        .await
        .must("sync through the link");
    assert_eq!(beam.status().await.workspaces.len(), 1);
    let error = project.sync("inner/B.lean").await.must_fail();
    assert_eq!(error.code, ErrorCode::InvalidParams);
    assert!(error.hint.must("have a hint").contains("inner"));
    beam.call(through(&format!("{link}/inner"), "B.lean"))
        .await
        .must("sync the inner project");
    assert_eq!(beam.status().await.workspaces.len(), 2);
}
