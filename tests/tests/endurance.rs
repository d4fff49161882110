//! What the daemon meets in a project over weeks: many edits, workers that grow, saves that were cut off.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::{fs, path::PathBuf};

use lean_beam_proto::{
    ErrorCode,
    op::{Empty, Stats},
    status::{ProcessStatus, WorkspaceStats},
};
use lean_beam_tests::{
    lean_text::slow_proof,
    must::{Must, MustFail},
    probing::Prober,
    wait::{HANG, eventually, within},
    world::{Beam, Project},
};

const GROW: &str =
    "def grow : Nat → List Nat → List Nat\n  | 0, l => l\n  | n + 1, l => grow n (n :: l)\n";

async fn stats(project: &Project) -> WorkspaceStats {
    let stats = project.call::<Stats>(Empty {}).await.must("ask for stats");
    stats.workspaces.into_iter().next().must("have a workspace")
}

async fn workers(beam: &Beam) -> Vec<ProcessStatus> {
    let workspace = beam.status().await.workspaces.remove(0);
    let processes = workspace.processes.into_iter();
    processes
        .filter(|process| process.kind == "worker")
        .collect()
}

/// The directories of saves that are under way, or were cut off.
fn scratch(project: &Project) -> Vec<PathBuf> {
    let entries = fs::read_dir(project.path(".lake/build")).into_iter();
    let paths = entries.flatten().flatten().map(|entry| entry.path());
    paths
        .filter(|path| path.to_string_lossy().contains("/.saving-"))
        .collect()
}

#[tokio::test]
async fn hundreds_of_edits_above_a_heavy_definition_stay_below_the_ceiling() {
    // Each elaboration takes a megabyte at least: kept, three hundred of them would pass the ceiling.
    let beam = Beam::builder()
        .config("[limits]\nworker_memory_bytes = 250000000\n")
        .build();
    let project = beam.project();
    for number in 0..300 {
        let text =
            format!("def above : Nat := {number}\n{GROW}#eval (grow (above + 40000) []).length\n");
        project.write("A.lean", text);
        let result = project.sync("A.lean").await.must("sync an edit");
        assert_eq!(
            (
                result.diagnostics.counts.error,
                result.diagnostics.counts.information
            ),
            (0, 1),
            "edit {number}"
        );
    }
    let workers = workers(&beam).await;
    assert_eq!(workers.len(), 1, "{workers:?}");
    assert!(workers[0].resident_bytes < 400_000_000, "{workers:?}");
    let stats = stats(&project).await;
    assert_eq!(stats.workers_over_ceiling, 0, "{stats:?}");
}

#[tokio::test]
async fn a_worker_that_only_grows_is_let_go_at_a_quiet_moment_and_nobody_notices() {
    let beam = Beam::builder()
        .config("[limits]\nrecycle_memory_bytes = 60000000\n[log]\nfilter = \"lean_beam_daemon=debug\"\n")
        .build();
    let project = beam.project();
    project.write("A.lean", "def a := 1\n");
    let first = project.sync("A.lean").await.must("sync");
    eventually(HANG, "the first size to be noted", async || {
        beam.log_text()
            .contains("a document is complete")
            .then_some(())
    })
    .await;
    project.write("A.lean", format!("{GROW}#eval (grow 4000000 []).length\n"));
    let grown = project.sync("A.lean").await.must("sync what takes memory");
    let old = workers(&beam).await;
    eventually(HANG, "the grown worker to be let go", async || {
        (stats(&project).await.workers_recycled == 1).then_some(())
    })
    .await;
    let hover = project
        .hover("A.lean", grown.version, (0, 4))
        .await
        .must("ask at the version from before");
    assert!(hover.contents.must("have an answer").contains("grow"));
    let again = project.sync("A.lean").await.must("sync again");
    assert!(
        again.readiness.save_ready
            && again.version > grown.version
            && grown.version > first.version
    );
    let new = workers(&beam).await;
    assert!(
        new.iter()
            .all(|new| old.iter().all(|old| old.pid != new.pid)),
        "{old:?} {new:?}"
    );
}

#[tokio::test]
async fn a_text_without_bounds_is_stopped_by_name_and_the_document_is_not() {
    let beam = Beam::builder()
        .config("[limits]\nworker_memory_bytes = 300000000\n")
        .build();
    let project = beam.project();
    let text = format!("{GROW}theorem t : 1 = 1 := rfl\n");
    let prober = Prober::open(&project, "A.lean", &text).await;
    project.sync("A.lean").await.must("sync");
    let endless = prober.run_at((4, 0), "#eval (grow 300000000 []).length");
    let error = within(HANG, "the end of a text without bounds", endless)
        .await
        .must_fail();
    assert_eq!(error.code, ErrorCode::WorkerMemoryLimit, "{error:?}");
    assert_eq!(error.data.must("have data")["path"], "A.lean");
    let good = prober.run_at((4, 0), "#check t").await.must("run a text");
    assert!(good.success, "{good:?}");
    let stats = stats(&project).await;
    assert_eq!(
        (
            stats.workers_over_ceiling,
            stats.worker_crashes,
            stats.probes.over_ceiling
        ),
        (0, 0, 1),
        "{stats:?}"
    );
}

#[tokio::test]
async fn what_a_killed_daemon_left_of_a_save_goes_with_the_next_one() {
    let beam = Beam::real();
    let project = beam.project();
    project.write("A.lean", slow_proof(3_000));
    let cut_off = project.save("A.lean");
    let kill = async {
        eventually(HANG, "a save to be under way", async || {
            (scratch(&project).len() == 1).then_some(())
        })
        .await;
        beam.kill_daemon().await;
    };
    let (cut_off, ()) = tokio::join!(cut_off, kill);
    assert_eq!(cut_off.must_fail().code, ErrorCode::DaemonUnavailable);
    assert_eq!(scratch(&project).len(), 1, "nobody was left to clean up");
    assert!(!project.path(".lake/build/lib/lean/A.olean").exists());
    project.write("B.lean", "def b := 1\n");
    project.save("B.lean").await.must("save another module");
    assert_eq!(scratch(&project), Vec::<PathBuf>::new());
}

#[tokio::test]
async fn a_save_that_nobody_waits_for_ends_and_leaves_the_old_artifacts() {
    let beam = Beam::real();
    let project = beam.project();
    project.write("A.lean", "def a := 1\n");
    let saved = project.save("A.lean").await.must("save");
    let before = fs::read(&saved.olean).must("read the artifact");
    project.write("A.lean", slow_proof(3_000));
    project.sync("A.lean").await.must("judge the edit");
    let under_way = eventually(HANG, "a save to be under way", async || {
        (scratch(&project).len() == 1).then_some(())
    });
    tokio::select! {
        saved = project.save("A.lean") => panic!("it takes longer than to be seen: {saved:?}"),
        () = under_way => {}
    }
    eventually(HANG, "the end of the save", async || {
        let workspace = beam.status().await.workspaces.remove(0);
        let builds = workspace
            .processes
            .iter()
            .filter(|process| process.kind.starts_with("build"));
        (scratch(&project).is_empty() && builds.count() == 0).then_some(())
    })
    .await;
    assert_eq!(fs::read(&saved.olean).must("read the artifact"), before);
}
