//! Answers that are late, overtaken, empty or wrong.

use lean_beam_proto::{
    ErrorCode,
    client::Request,
    op::{Hover, Operation, ReadinessReason},
    text::Severity,
};
use lean_beam_tests::{
    fake::{
        Scenario,
        scenario::{
            Action, Elaboration, Occurrence, OnCancel, Overtaken, Report, RequestId, Rule, Shape,
        },
    },
    must::{Must, MustFail},
    wait::{HANG, eventually},
    world::{Beam, Project},
};
use serde_json::json;

use crate::{assert_works, fake_world, with_rules};

#[tokio::test]
async fn a_late_answer_to_a_cancelled_request_is_not_taken_for_another() {
    for on_cancel in [OnCancel::Late, OnCancel::AtOnce, OnCancel::Ignored] {
        let rule = Rule::on("textDocument/hover", [Action::Delay { ms: 500, on_cancel }])
            .when(Occurrence::Only(1));
        let (beam, project) = fake_world(with_rules([rule]));
        let version = project.sync("A.lean").await.unwrap().version;
        let request: Request<Hover> = project.request(Project::position("A.lean", version, (0, 0)));
        let call = beam.connector().call(&request).await.unwrap();
        eventually(HANG, "the request at Lean", async || {
            beam.record().messages("textDocument/hover").pop()
        })
        .await;
        drop(call);
        let (hover, sync) = tokio::join!(
            project.hover("A.lean", version, (0, 6)),
            project.sync("A.lean")
        );
        assert!(hover.unwrap().contents.unwrap().contains("other"));
        sync.unwrap();
        eventually(HANG, "the cancellation", async || {
            (beam.record().messages("$/cancelRequest").len() == 1).then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn an_answer_that_an_edit_overtook_is_thrown_away_and_asked_again_or_refused() {
    for overtaken in [Overtaken::EmptySuccess, Overtaken::ContentModified] {
        let mut scenario = with_rules([
            Rule::on("textDocument/hover", [Action::delay(HANG)]).when(Occurrence::Only(1))
        ]);
        scenario.shape = Shape {
            overtaken,
            ..Shape::default()
        };
        let (beam, project) = fake_world(scenario);
        let version = project.sync("A.lean").await.unwrap().version;
        let edit = async {
            eventually(HANG, "the request", async || {
                (beam.record().messages("textDocument/hover").len() == 1).then_some(())
            })
            .await;
            project.edit("A.lean", "word", "fresh");
            project.update("A.lean").await.unwrap()
        };
        let (hover, update) = tokio::join!(project.hover("A.lean", version, (0, 1)), edit);
        assert!(update.changed);
        match hover {
            Ok(hover) => {
                assert_eq!(hover.version, update.version);
                assert!(
                    hover
                        .contents
                        .must("get contents, not an empty success")
                        .contains("fresh")
                );
            }
            Err(error) => {
                assert_eq!(error.code, ErrorCode::ContentModified, "{error:?}");
                assert_eq!(
                    error.data.must("get data")["reason"],
                    "documentVersionMismatch"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_position_of_an_old_version_is_refused_with_all_versions() {
    let (_beam, project) = fake_world(Scenario::default());
    let old = project.sync("A.lean").await.unwrap().version;
    project.edit("A.lean", "word", "fresh");
    let new = project.sync("A.lean").await.unwrap().version;
    let error = project.hover("A.lean", old, (0, 0)).await.must_fail();
    assert_eq!(error.code, ErrorCode::ContentModified, "{error:?}");
    let data = error.data.must("get data");
    assert_eq!(data["reason"], "documentVersionMismatch");
    assert_eq!(data["expected"], old);
    assert_eq!(data["current"], new);
    assert!(
        data["uri"]
            .as_str()
            .is_some_and(|uri| uri.ends_with("/A.lean"))
    );
}

#[tokio::test]
async fn other_versions_of_lean_are_understood() {
    let shapes = [
        Shape {
            versions_in_notifications: false,
            ..Shape::default()
        },
        Shape {
            incremental_sync: false,
            ..Shape::default()
        },
        Shape {
            register_id: Some(RequestId::Number(1)),
            ..Shape::default()
        },
        Shape {
            register_id: None,
            refresh_requests: false,
            ..Shape::default()
        },
        Shape {
            crash_code: -32901,
            closed_code: -32900,
            overtaken: Overtaken::Stays,
            ..Shape::default()
        },
    ];
    for shape in shapes {
        for report in [Report::Once, Report::Growing, Report::Incremental] {
            let elaboration = Elaboration {
                takes_ms: 30,
                report,
                progress_steps: 3,
                progress_first: report == Report::Once,
            };
            let (beam, project) = fake_world(Scenario {
                shape: shape.clone(),
                elaboration,
                ..Scenario::default()
            });
            assert_works(&project).await;
            project.edit("A.lean", "word", "word\nERROR: more");
            let edited = project.sync("A.lean").await.unwrap();
            assert_eq!(edited.diagnostics.counts.total, 3, "{shape:?} {report:?}");
            let texts = beam.record().texts("A.lean");
            assert_eq!(texts.last().must("find the text").1, project.read("A.lean"));
            assert_eq!(beam.record().violations(), Vec::<String>::new());
        }
    }
}

#[tokio::test]
async fn a_worker_that_exits_instead_of_crashing_never_gives_an_empty_answer() {
    let mut scenario =
        with_rules([
            Rule::on("textDocument/hover", [Action::CrashWorker { after_ms: 10 }])
                .when(Occurrence::Only(1)),
        ]);
    // What Lean says of a worker that left on its own: the same question to a new one is fine.
    scenario.shape.crash_code = -32901;
    let (_beam, project) = fake_world(scenario);
    let version = project.sync("A.lean").await.unwrap().version;
    match project.hover("A.lean", version, (0, 0)).await {
        Ok(hover) => assert!(hover.contents.must("get contents").contains("word")),
        Err(error) => assert_eq!(error.code, ErrorCode::WorkerCrashed, "{error:?}"),
    }
    assert_works(&project).await;
}

#[tokio::test]
async fn a_failed_header_is_never_clean_even_without_a_single_error() {
    let rule = Rule::on(
        "textDocument/didOpen",
        [Action::FailHeader {
            message: "unknown module prefix".to_owned(),
        }],
    );
    let (_beam, project) = fake_world(with_rules([rule]));
    match project.sync("A.lean").await {
        Ok(result) => {
            assert!(!result.readiness.save_ready, "{result:?}");
            assert_eq!(result.readiness.reason, ReadinessReason::HeaderFailed);
            let items = result.diagnostics.items.unwrap();
            assert!(items.iter().any(|item| item.severity == Severity::Error));
        }
        Err(error) => assert_eq!(error.code, ErrorCode::SyncBarrierIncomplete, "{error:?}"),
    }
}

#[tokio::test]
async fn stale_imports_are_loaded_again_before_a_verdict() {
    let rule = Rule::on(
        "textDocument/didOpen",
        [Action::StaleImports {
            of: "B.lean".to_owned(),
        }],
    )
    .about("C.lean");
    let beam = Beam::fake(with_rules([rule]));
    let project = beam.project();
    project.write("B.lean", "import Elsewhere\n");
    project.write("C.lean", "word\n");
    let first = project.sync("B.lean").await.unwrap();
    project.sync("C.lean").await.unwrap();
    let second = project.sync("B.lean").await.unwrap();
    // A new worker has loaded what there is now: its verdict is the true one.
    assert!(
        second.readiness.save_ready && second.version > first.version,
        "{second:?}"
    );
    let opened = beam.record().messages("textDocument/didOpen");
    let of_b = opened
        .iter()
        .filter(|message| message.to_string().contains("B.lean"))
        .count();
    assert_eq!(of_b, 2);
}

/// Fails unless there is something to be said about the first place of the file.
async fn assert_hover(project: &Project, version: u64) {
    let hover = project.hover("A.lean", version, (0, 0)).await;
    assert!(hover.must("hover").contents.is_some());
}

#[tokio::test]
async fn an_error_of_lean_is_passed_on_and_not_mistaken_for_a_crash() {
    let fail = Action::Fail {
        code: -32603,
        message: "internal trouble".to_owned(),
    };
    let (_beam, project) = fake_world(with_rules([
        Rule::on("textDocument/hover", [fail]).when(Occurrence::Only(1))
    ]));
    let version = project.sync("A.lean").await.unwrap().version;
    let error = project.hover("A.lean", version, (0, 0)).await.must_fail();
    assert_eq!(error.code, ErrorCode::InvalidResult, "{error:?}");
    assert!(error.message.contains("internal trouble"), "{error:?}");
    assert_hover(&project, version).await;
}

#[tokio::test]
async fn an_answer_of_the_wrong_shape_is_an_error_and_harms_nobody() {
    let wrong = [
        json!("text"),
        json!({"contents": 7}),
        json!([1]),
        json!({"contents": {"value": null}}),
    ];
    for result in wrong {
        let rule = Rule::on(
            "textDocument/hover",
            [Action::Answer {
                result: result.clone(),
            }],
        )
        .when(Occurrence::Only(1));
        let (_beam, project) = fake_world(with_rules([rule]));
        let version = project.sync("A.lean").await.unwrap().version;
        let error = project.hover("A.lean", version, (0, 0)).await.must_fail();
        assert_eq!(error.code, ErrorCode::InvalidResult, "{result}: {error:?}");
        assert_hover(&project, version).await;
    }
}

#[tokio::test]
async fn requests_of_lean_are_answered_whatever_they_are() {
    let ask = |id: RequestId, method: &str| Action::Ask {
        id,
        method: method.to_owned(),
        params: json!({}),
    };
    let rule = Rule::on(
        "textDocument/didOpen",
        [
            ask(RequestId::Text("a".to_owned()), "workspace/applyEdit"),
            ask(RequestId::Number(99), "window/showMessageRequest"),
            ask(RequestId::Text("later".to_owned()), "something/unheardOf"),
        ],
    );
    let (beam, project) = fake_world(with_rules([rule]));
    assert_works(&project).await;
    for id in [
        json!("a"),
        json!(99),
        json!("later"),
        json!("register_lean_watcher"),
    ] {
        eventually(HANG, "an answer to each request", async || {
            let record = beam.record();
            let answers = record.0.iter().filter_map(|entry| entry.received());
            let found = answers
                .filter(|message| message.get("method").is_none() && message["id"] == id)
                .count();
            (found == 1).then_some(())
        })
        .await;
    }
}

/// The name of an operation keeps its place in the stats, whatever became of it.
#[tokio::test]
async fn crashes_are_counted() {
    let (beam, project) = fake_world(with_rules([Rule::on("textDocument/hover", [Action::Kill])]));
    let version = project.sync("A.lean").await.unwrap().version;
    project.hover("A.lean", version, (0, 0)).await.must_fail();
    assert_works(&project).await;
    let stats = beam
        .call(Request::<lean_beam_proto::op::Stats>::new(
            Default::default(),
        ))
        .await
        .unwrap();
    assert_eq!(stats.workspaces[0].servers_started, 2);
    assert_eq!(stats.workspaces[0].server_crashes, 1);
    let hovers = &stats.operations[Hover::NAME];
    assert_eq!((hovers.count, hovers.ok), (1, 0));
    assert_eq!(hovers.errors["workerCrashed"], 1);
}
