//! Which file is meant, which document that is, and what of the verdict is listed.

use lean_beam_proto::{ErrorCode, op::Sync};
use lean_beam_tests::{
    lean_text::{Line, text_of},
    must::{Must, MustFail},
    wait::{HANG, eventually, within},
    world::{Beam, Project},
};

use crate::{assert_clean, assert_verdict};

#[tokio::test]
async fn a_file_that_is_gone_or_no_file_is_an_error_that_names_it() {
    let beam = Beam::real();
    let project = beam.project();
    project.write("A.lean", "example : 1 = 1 := rfl\n");
    assert_clean(&project.sync("A.lean").await.unwrap());
    project.remove("A.lean");
    project.write("Folder.lean/x", "");
    for name in ["A.lean", "Folder.lean", "Missing.lean"] {
        let error = project.sync(name).await.must_fail();
        assert_eq!(error.code, ErrorCode::InvalidParams, "{error:?}");
        assert!(error.message.contains(name), "{error:?}");
    }
}

#[tokio::test]
async fn paths_may_be_relative_absolute_or_through_links_and_mean_one_document() {
    let beam = Beam::real();
    let project = beam.project();
    let path = project.write("Sub/Ä 😀.lean", "#check nope\n");
    std::os::unix::fs::symlink(project.path("Sub"), project.path("Link")).unwrap();
    let absolute = path.to_str().unwrap();
    let mut versions = Vec::new();
    for name in [
        "Sub/Ä 😀.lean",
        absolute,
        "Link/Ä 😀.lean",
        "Sub/../Sub/./Ä 😀.lean",
    ] {
        let result = project.sync(name).await.must(name);
        assert_eq!(result.diagnostics.counts.error, 1);
        assert_eq!(result.path, "Sub/Ä 😀.lean");
        versions.push(result.version);
    }
    versions.dedup();
    assert_eq!(versions.len(), 1, "{versions:?}");
    assert_eq!(project.open_files().await.unwrap().files.len(), 1);
}

#[tokio::test]
async fn a_closed_document_is_opened_again_with_a_higher_version() {
    let beam = Beam::real();
    let project = beam.project();
    project.write("A.lean", "#check nope\n");
    let first = project.sync("A.lean").await.unwrap();
    let closed = project.close("A.lean").await.unwrap();
    assert!(closed.closed && closed.was_open);
    assert!(!project.close("A.lean").await.unwrap().was_open);
    let second = project.sync("A.lean").await.unwrap();
    assert!(
        second.version > first.version,
        "{} after {}",
        second.version,
        first.version
    );
    assert_eq!(second.diagnostics.counts, first.diagnostics.counts);
}

#[tokio::test]
async fn refresh_gives_the_same_verdict_from_a_fresh_worker() {
    let beam = Beam::real();
    let project = beam.project();
    let lines: Vec<_> = (0..7).map(|number| Line::of(number, number)).collect();
    project.write("A.lean", text_of(&lines, "\n"));
    project.sync("A.lean").await.unwrap();
    let before = worker_pids(&beam);
    assert!(!before.is_empty(), "a synced file has a worker");
    assert_verdict(&project.refresh("A.lean").await.unwrap(), &lines);
    // Lean lets the old worker go in its own time.
    eventually(HANG, "a new worker in place of the old one", async || {
        let after = worker_pids(&beam);
        (!after.is_empty() && before.iter().all(|pid| !after.contains(pid))).then_some(())
    })
    .await;
}

fn worker_pids(beam: &Beam) -> Vec<u32> {
    let workers = beam
        .lean_processes()
        .into_iter()
        .filter(|one| one.is_worker() && !one.is_for_probes());
    workers.map(|process| process.pid).collect()
}

#[tokio::test]
async fn many_files_at_once_each_get_their_own_verdict() {
    let beam = Beam::real();
    let project = beam.project();
    let count = 8;
    for number in 0..count {
        let lines: Vec<_> = (0..number).map(Line::Unknown).collect();
        project.write(&format!("F{number}.lean"), text_of(&lines, "\n"));
    }
    let syncs = (0..count).map(|number| {
        let project = project.clone();
        async move {
            project
                .sync(&format!("F{number}.lean"))
                .await
                .must("sync one of many")
        }
    });
    let results = within(HANG, "all verdicts", futures_util::future::join_all(syncs)).await;
    let errors: Vec<_> = results
        .iter()
        .map(|result| result.diagnostics.counts.error)
        .collect();
    assert_eq!(errors, (0..count as usize).collect::<Vec<_>>());
}

#[tokio::test]
async fn the_scope_decides_what_is_listed_and_never_what_is_counted() {
    let beam = Beam::real();
    let project = beam.project();
    project.write(
        "A.lean",
        text_of(&[Line::Check, Line::Sorry, Line::Mismatch], "\n"),
    );
    let mut params = Project::sync_params("A.lean");
    params.diagnostic_scope = Default::default();
    let errors = project.call::<Sync>(params.clone()).await.unwrap();
    assert_eq!(errors.diagnostics.items.unwrap().len(), 1);
    params.diagnostics_in_result = false;
    let counts = project.call::<Sync>(params).await.unwrap();
    assert_eq!(counts.diagnostics.items, None);
    assert_eq!(counts.diagnostics.counts, errors.diagnostics.counts);
    assert_eq!(counts.diagnostics.counts.total, 3);
}
