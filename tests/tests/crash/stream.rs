//! Garbage, silence and floods in what a server writes, and a server that does not read.

use std::time::Duration;

use lean_beam_proto::{ErrorCode, client::Request, op::Sync};
use lean_beam_tests::{
    fake::{
        Scenario,
        scenario::{Action, Garbage, Rule},
    },
    must::{Must, MustFail},
    wait::{HANG, within},
    world::Project,
};

use crate::{assert_works, assert_works_once_mended, fake_world, with_rules};

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
        assert_works_once_mended(&beam, &project).await;
    }
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
