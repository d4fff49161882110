//! Whatever happens to Lean, those who wait are told, and the next call works.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod answers;

use std::time::Duration;

use lean_beam_proto::{
    BeamError, ErrorCode,
    client::Request,
    op::{Hover, Operation, ReadinessReason, Sync},
    status::{SessionState, WorkspaceStatus},
    text::Severity,
};
use lean_beam_tests::{
    fake::{
        Scenario,
        scenario::{
            Action, Elaboration, Garbage, Occurrence, OnCancel, Overtaken, Report, RequestId, Rule,
            Shape, Start,
        },
    },
    must::{Must, MustFail},
    process::Process,
    wait::{HANG, eventually, within},
    world::{Beam, Project},
};
use nix::sys::signal::Signal;
use serde_json::json;

fn with_rules(rules: impl Into<Vec<Rule>>) -> Scenario {
    Scenario {
        rules: rules.into(),
        ..Scenario::default()
    }
}

/// A scripted world with a file that has one error and one warning.
fn fake_world(scenario: Scenario) -> (Beam, Project) {
    let beam = Beam::fake(scenario);
    let project = beam.project();
    project.write("A.lean", "word other\nERROR: bad\nWARN: so so\n");
    (beam, project)
}

/// Fails unless a plain sync gives the verdict that is due.
async fn assert_works(project: &Project) {
    let result = project.sync("A.lean").await.must("sync when all is well");
    let counts = result.diagnostics.counts;
    assert_eq!(
        (counts.error, counts.warning, counts.total),
        (1, 1, 2),
        "{result:?}"
    );
}

async fn workspace(beam: &Beam) -> WorkspaceStatus {
    let mut status = beam.status().await;
    assert_eq!(status.workspaces.len(), 1);
    status.workspaces.remove(0)
}

/// The lines of standard error that an error carries.
fn stderr_of(error: &BeamError) -> String {
    error
        .data
        .as_ref()
        .map(|data| data["stderr"].to_string())
        .unwrap_or_default()
}

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

#[tokio::test]
async fn a_server_that_always_dies_is_given_up_with_a_reason_and_not_started_for_ever() {
    let rule = Rule::on(
        "initialized",
        [Action::stderr("dying again"), Action::Exit { code: 3 }],
    );
    let (beam, project) = fake_world(with_rules([rule]));
    let mut last = None;
    let given_up = eventually(HANG, "giving up", async || {
        last = Some(project.sync("A.lean").await.must_fail());
        (workspace(&beam).await.state == SessionState::GivenUp).then_some(())
    });
    given_up.await;
    let error = last.must("get an error");
    assert!(
        matches!(
            error.code,
            ErrorCode::WorkerCrashed | ErrorCode::RuntimeSetup
        ),
        "{error:?}"
    );
    let starts = beam.record().starts();
    assert!((2..=10).contains(&starts), "{starts} starts");
    let error = project.sync("A.lean").await.must_fail();
    assert!(error.hint.is_some(), "what to do is told: {error:?}");
    assert!(stderr_of(&error).contains("dying again"), "{error:?}");
    assert_eq!(beam.record().starts(), starts, "it is left alone");
    assert!(workspace(&beam).await.reason.is_some());
    // Once it is dropped, a mended server is used.
    beam.play(&Scenario::default());
    project
        .call::<lean_beam_proto::op::DropWorkspace>(Default::default())
        .await
        .unwrap();
    assert_works(&project).await;
}

#[tokio::test]
async fn a_server_that_dies_now_and_then_is_started_again() {
    let rule = Rule::on("textDocument/hover", [Action::Kill]);
    let (beam, project) = fake_world(with_rules([rule]));
    let version = project.sync("A.lean").await.unwrap().version;
    let error = project.hover("A.lean", version, (0, 0)).await.must_fail();
    assert_eq!(error.code, ErrorCode::WorkerCrashed, "{error:?}");
    assert_works(&project).await;
    assert_eq!(beam.record().starts(), 2);
}

#[tokio::test]
async fn a_server_that_does_not_come_up_is_told_with_its_last_words() {
    for start in [
        Start {
            stderr: vec!["no such toolchain".to_owned()],
            exit_code: Some(1),
            ..Start::default()
        },
        Start {
            stderr: vec!["no such toolchain".to_owned()],
            garbage: Some(Garbage::Text("hello\n".to_owned())),
            exit_code: Some(0),
            ..Start::default()
        },
    ] {
        let (beam, project) = fake_world(Scenario {
            start,
            ..Scenario::default()
        });
        let error = project.sync("A.lean").await.must_fail();
        assert!(
            matches!(
                error.code,
                ErrorCode::RuntimeSetup | ErrorCode::WorkerCrashed
            ),
            "{error:?}"
        );
        assert!(stderr_of(&error).contains("no such toolchain"), "{error:?}");
        beam.play(&Scenario::default());
        eventually(HANG, "a mended server to be used", async || {
            project.sync("A.lean").await.ok()
        })
        .await;
        assert_works(&project).await;
    }
}

#[tokio::test]
async fn without_any_lean_the_error_says_where_it_was_looked_for() {
    let beam = Beam::builder()
        .lean(lean_beam_tests::world::Lean::None)
        .env("PATH", "/nonexistent")
        .build();
    let project = beam.project();
    project.write("A.lean", "x\n");
    let error = project.sync("A.lean").await.must_fail();
    assert_eq!(error.code, ErrorCode::RuntimeSetup, "{error:?}");
    let told = format!("{error:?}");
    assert!(
        told.contains("LEAN_BEAM_LEAN") && told.contains("elan"),
        "{told}"
    );
}

#[tokio::test]
async fn garbage_of_the_server_ends_the_wait_with_an_error_and_the_next_call_works() {
    for garbage in [
        Garbage::Text("stray output of a library\n".to_owned()),
        Garbage::BadHeader,
        Garbage::BadJson("{\"jsonrpc\": oops".to_owned()),
        Garbage::BadJson("[1, 2]".to_owned()),
        Garbage::WrongLength(-5),
        Garbage::WrongLength(5),
        Garbage::HalfFrame(u64::MAX),
    ] {
        let rule = Rule::on("textDocument/didOpen", [Action::Garbage(garbage.clone())]);
        let (beam, project) = fake_world(with_rules([rule]));
        match within(HANG, "the end of the wait", project.sync("A.lean")).await {
            // Some garbage can be skipped without harm; then the verdict must be the right one.
            Ok(result) => assert_eq!(result.diagnostics.counts.total, 2, "{garbage:?}"),
            Err(error) => assert!(
                matches!(
                    error.code,
                    ErrorCode::InvalidResult | ErrorCode::WorkerCrashed
                ),
                "{garbage:?}: {error:?}"
            ),
        }
        beam.play(&Scenario::default());
        assert_works(&project).await;
    }
}

#[tokio::test]
async fn a_server_that_falls_silent_within_a_message_or_closes_its_output_holds_nobody_for_ever() {
    for action in [
        Action::Garbage(Garbage::HalfFrame(1000)),
        Action::CloseStdout,
        Action::Mute,
    ] {
        let (beam, project) = fake_world(with_rules([Rule::on(
            "textDocument/didOpen",
            [action.clone()],
        )]));
        let request: Request<Sync> = project
            .request(Project::sync_params("A.lean"))
            .within(Duration::from_secs(2));
        let error = beam.call(request).await.must_fail();
        let codes = [
            ErrorCode::DeadlineExceeded,
            ErrorCode::WorkerCrashed,
            ErrorCode::InvalidResult,
        ];
        assert!(codes.contains(&error.code), "{action:?}: {error:?}");
        beam.play(&Scenario::default());
        project
            .call::<lean_beam_proto::op::DropWorkspace>(Default::default())
            .await
            .unwrap();
        assert_works(&project).await;
    }
}

#[tokio::test]
async fn a_server_that_never_answers_the_handshake_meets_the_deadline() {
    let (beam, project) = fake_world(with_rules([Rule::on("initialize", [Action::Ignore])]));
    let request: Request<Sync> = project
        .request(Project::sync_params("A.lean"))
        .within(Duration::from_secs(1));
    let error = beam.call(request).await.must_fail();
    assert_eq!(error.code, ErrorCode::DeadlineExceeded, "{error:?}");
    assert_eq!(workspace(&beam).await.state, SessionState::Starting);
    beam.stop().await;
    beam.assert_nothing_left(Duration::from_secs(3)).await;
}

#[tokio::test]
async fn a_flood_of_diagnostics_and_of_stderr_is_survived() {
    let rules = [Rule::on(
        "textDocument/didOpen",
        [
            Action::Flood {
                notifications: 2_000,
                diagnostics: 50,
                message_bytes: 200,
            },
            Action::Flood {
                notifications: 3,
                diagnostics: 1,
                message_bytes: 10_000_000,
            },
            Action::Stderr {
                line: "noise ".repeat(100),
                times: 20_000,
            },
        ],
    )];
    let (beam, project) = fake_world(with_rules(rules));
    assert_works(&project).await;
    let resident = beam
        .status()
        .await
        .resident_bytes
        .must("know the memory of the daemon");
    assert!(resident < 300_000_000, "{resident} bytes");
    let log = beam.log_text().len();
    assert!(log < 1_000_000, "noise of {log} bytes in the log");
}

#[tokio::test]
async fn a_server_that_does_not_read_for_a_while_loses_nothing() {
    let (_beam, project) = fake_world(with_rules([Rule::on(
        "textDocument/didOpen",
        [Action::StopReading { ms: Some(1_500) }],
    )]));
    let filler = "-- filler to be more than any pipe holds\n".repeat(20_000);
    for number in 0..5 {
        project.write(&format!("F{number}.lean"), format!("{filler}ERROR: x\n"));
    }
    let syncs = (0..5).map(|number| {
        let project = project.clone();
        async move {
            project
                .sync(&format!("F{number}.lean"))
                .await
                .must("sync a large file")
        }
    });
    let results = within(HANG, "all verdicts", futures_util::future::join_all(syncs)).await;
    assert!(
        results
            .iter()
            .all(|result| result.diagnostics.counts.error == 1)
    );
}
