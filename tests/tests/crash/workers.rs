//! Workers of Lean that are killed, crash or fall silent.

use lean_beam_proto::ErrorCode;
use lean_beam_tests::{
    fake::scenario::{Action, Occurrence, Rule},
    must::{Must, MustFail},
    process::Process,
    wait::{HANG, eventually, within},
    world::{Beam, Project},
};
use nix::sys::signal::Signal;

use crate::{assert_works, fake_world, stderr_of, with_rules};

#[tokio::test]
async fn a_killed_worker_fails_what_waits_for_it_and_nothing_else() {
    let beam = Beam::real();
    let project = beam.project();
    project.write(
        "A.lean",
        "theorem slow : 1 = 1 := by\n  sleep 60000\n  rfl\n",
    );
    project.write(
        "B.lean",
        "theorem slow : 1 = 1 := by\n  sleep 4000\n  rfl\n#check nope\n",
    );
    let version = project.update("A.lean").await.unwrap().version;
    let both_open = async {
        eventually(HANG, "a worker for each file", async || {
            let workers = workers(&beam, &project).await;
            (workers.len() == 2).then_some(workers)
        })
        .await
    };
    let kill = async {
        let workers = both_open.await;
        let (_, pid) = workers
            .iter()
            .find(|(path, _)| path.ends_with("A.lean"))
            .must("find the worker");
        Process::find(*pid)
            .must("find the worker")
            .signal(Signal::SIGKILL);
    };
    let waits = within(HANG, "the end of all waits", async {
        tokio::join!(
            project.sync("A.lean"),
            project.hover("A.lean", version, (2, 3)),
            project.sync("B.lean"),
            kill
        )
    });
    let (sync, hover, other, ()) = Box::pin(waits).await;
    for error in [sync.map(drop).must_fail(), hover.map(drop).must_fail()] {
        assert_eq!(error.code, ErrorCode::WorkerCrashed, "{error:?}");
        assert!(
            error.data.is_some_and(|data| data["stderr"].is_array()),
            "the last words of Lean are told"
        );
    }
    assert_eq!(
        other.must("sync the other file").diagnostics.counts.error,
        1
    );
    project.write("A.lean", "#check nope\n");
    let result = project.sync("A.lean").await.must("sync after the crash");
    assert_eq!(result.diagnostics.counts.error, 1);
}

/// The workers that the daemon knows: document and process id.
async fn workers(beam: &Beam, project: &Project) -> Vec<(String, u32)> {
    let status = beam.status().await;
    let workspace = status
        .workspaces
        .iter()
        .find(|one| one.root == project.root_text());
    workspace
        .into_iter()
        .flat_map(|one| &one.processes)
        .filter_map(|process| Some((process.path.clone()?, process.pid)))
        .collect()
}

#[tokio::test]
async fn a_crashed_document_is_opened_again_by_the_next_call_without_an_edit() {
    let beam = Beam::real();
    let project = beam.project();
    project.write("A.lean", "#check nope\n");
    let version = project.sync("A.lean").await.unwrap().version;
    let (_, pid) = workers(&beam, &project).await.pop().must("find the worker");
    Process::find(pid)
        .must("find the worker")
        .signal(Signal::SIGKILL);
    // A call that comes before Lean has noticed may fail with the crash; the one after it must not.
    let first = project.sync("A.lean").await;
    if let Err(error) = first {
        assert_eq!(error.code, ErrorCode::WorkerCrashed, "{error:?}");
    }
    let result = project.sync("A.lean").await.must("sync after the crash");
    assert_eq!(result.diagnostics.counts.error, 1);
    assert!(result.version >= version);
}

#[tokio::test]
async fn a_request_that_meets_the_silence_of_a_dead_worker_does_not_wait_for_ever() {
    for method in ["textDocument/waitForDiagnostics", "textDocument/hover"] {
        let dead = Rule::on(method, [Action::WorkerIsDead]).when(Occurrence::Only(2));
        let (_beam, project) = fake_world(with_rules([dead]));
        let mut version = project.sync("A.lean").await.unwrap().version;
        project.hover("A.lean", version, (0, 0)).await.unwrap();
        let (sync, hover) = tokio::join!(
            project.sync("A.lean"),
            project.hover("A.lean", version, (0, 0))
        );
        let failed = [sync.map(drop).err(), hover.map(drop).err()];
        for error in failed.into_iter().flatten() {
            assert!(
                matches!(
                    error.code,
                    ErrorCode::WorkerCrashed | ErrorCode::ContentModified
                ),
                "{error:?}"
            );
        }
        assert_works(&project).await;
        version = project.update("A.lean").await.unwrap().version;
        let hover = project.hover("A.lean", version, (0, 0)).await.unwrap();
        assert!(hover.contents.must("get contents").contains("word"));
    }
}

#[tokio::test]
async fn a_worker_crash_is_told_with_the_last_words_of_the_server() {
    let rule = Rule::on(
        "textDocument/hover",
        [
            Action::stderr("libc++abi: deep recursion"),
            Action::CrashWorker { after_ms: 50 },
        ],
    )
    .when(Occurrence::Only(1));
    let (beam, project) = fake_world(with_rules([rule]));
    let version = project.sync("A.lean").await.unwrap().version;
    let error = project.hover("A.lean", version, (0, 0)).await.must_fail();
    assert_eq!(error.code, ErrorCode::WorkerCrashed, "{error:?}");
    assert!(stderr_of(&error).contains("deep recursion"), "{error:?}");
    // No edit, and yet the silence after a crash is not met with an endless wait.
    assert_works(&project).await;
    assert_eq!(beam.record().violations(), Vec::<String>::new());
}

#[tokio::test]
async fn a_worker_that_crashes_while_a_sync_waits_never_gives_a_verdict() {
    let mut scenario = with_rules([Rule::on(
        "textDocument/didOpen",
        [Action::CrashWorker { after_ms: 100 }],
    )
    .when(Occurrence::Only(1))]);
    scenario.elaboration.takes_ms = 300;
    let (_beam, project) = fake_world(scenario);
    let error = project.sync("A.lean").await.must_fail();
    assert_eq!(error.code, ErrorCode::WorkerCrashed, "{error:?}");
    assert_works(&project).await;
}
