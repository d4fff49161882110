//! Servers that die, do not come up, never answer the handshake, or are not there.

use std::time::Duration;

use lean_beam_proto::{
    ErrorCode,
    client::Request,
    op::Sync,
    status::{SessionState, WorkspaceStatus},
};
use lean_beam_tests::{
    fake::{
        Scenario,
        scenario::{Action, Garbage, Rule, Start},
    },
    must::{Must, MustFail},
    wait::{HANG, eventually},
    world::{Beam, Project},
};

use crate::{assert_works, assert_works_once_mended, fake_world, stderr_of, with_rules};

async fn workspace(beam: &Beam) -> WorkspaceStatus {
    let mut status = beam.status().await;
    assert_eq!(status.workspaces.len(), 1);
    status.workspaces.remove(0)
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
    assert_works_once_mended(&beam, &project).await;
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
