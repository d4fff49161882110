//! Clients do not disturb each other, and no client can harm the daemon.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod lines;

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use lean_beam_proto::{
    BeamError, ErrorCode, PROTOCOL,
    client::{Call, Request},
    event::Event,
    frame::MAX_REQUEST_BYTES,
    op::{Cancel, CancelParams, Hover, OPERATIONS, Stats, Sync},
    response::Outcome,
};
use lean_beam_tests::{
    fake::{
        Scenario,
        scenario::{Action, Elaboration, Occurrence, Rule},
    },
    lean_text::{Line, text_of},
    must::{Must, MustFail},
    raw_socket::RawSocket,
    wait::{HANG, eventually, within},
    world::{Beam, Project},
};
use serde_json::{Value, json};

/// How long one client reads nothing.
const ASLEEP: Duration = Duration::from_secs(10);

/// No answer about an unchanged file takes this long, unless something holds it up.
const HELD_UP: Duration = Duration::from_secs(5);

fn fake_world(rules: impl Into<Vec<Rule>>) -> (Beam, Project) {
    let beam = Beam::fake(Scenario {
        rules: rules.into(),
        ..Scenario::default()
    });
    let project = beam.project();
    project.write("A.lean", "word other\nERROR: bad\n");
    (beam, project)
}

fn never(method: &str) -> Rule {
    Rule::on(method, [Action::Ignore])
}

fn envelope(op: &str, params: &Value) -> Value {
    json!({"protocol": PROTOCOL, "op": op, "params": params})
}

fn sync_envelope(project: &Project, name: &str) -> Value {
    let mut envelope = envelope(
        "sync",
        &json!({"path": name, "diagnostic_scope": "all", "diagnostics_in_result": true}),
    );
    envelope["workspace"] = json!({"root": project.root_text()});
    envelope
}

async fn socket(beam: &Beam) -> RawSocket {
    RawSocket::connect(&beam.runtime_dir().socket()).await
}

#[tokio::test]
async fn a_client_that_reads_nothing_delays_nobody_and_still_gets_its_answer() {
    let beam = Beam::real();
    let project = beam.project();
    // More diagnostics than any buffer between the daemon and its client holds.
    let lines: Vec<_> = (0..6_000).map(Line::Unknown).collect();
    project.write("Many.lean", text_of(&lines, "\n"));
    project.write("A.lean", "#check nope\n");
    beam.ensure().await;
    let mut asleep = socket(&beam).await;
    asleep
        .write_line(&sync_envelope(&project, "Many.lean"))
        .await;
    let end = Instant::now() + ASLEEP;
    let mut answers = 0;
    while Instant::now() < end {
        let result = within(
            HELD_UP,
            "an answer beside a sleeping client",
            project.sync("A.lean"),
        )
        .await;
        assert_eq!(
            result
                .must("sync beside a sleeping client")
                .diagnostics
                .counts
                .error,
            1
        );
        answers += 1;
    }
    assert!(answers > 10, "{answers} answers");
    let response = asleep.response().await.must("get the answer late");
    let result: Value =
        serde_json::from_str(response.response.into_result().must("get a result").get()).unwrap();
    assert_eq!(result["diagnostics"]["counts"]["error"], lines.len());
}

#[tokio::test]
async fn sleeping_clients_do_not_make_the_daemon_grow_without_end() {
    let flood = Action::Flood {
        notifications: 300,
        diagnostics: 200,
        message_bytes: 1_000,
    };
    let (beam, project) = fake_world([Rule::on("textDocument/didOpen", [flood])]);
    beam.ensure().await;
    let mut asleep = Vec::new();
    for _ in 0..10 {
        let mut one = socket(&beam).await;
        one.write_line(&sync_envelope(&project, "A.lean")).await;
        asleep.push(one);
    }
    assert_eq!(project.errors("A.lean").await, 1);
    let resident = beam
        .status()
        .await
        .resident_bytes
        .must("know the memory of the daemon");
    assert!(resident < 400_000_000, "{resident} bytes");
    for mut one in asleep {
        assert!(matches!(
            one.response().await.must("get the answer late").response,
            Outcome::Ok(_)
        ));
    }
}

#[tokio::test]
async fn a_client_that_goes_away_cancels_its_request_and_only_it() {
    let (beam, project) = fake_world([never("textDocument/hover")]);
    let version = project.sync("A.lean").await.unwrap().version;
    let first = hover_at_lean(&beam, &project, version, "first", 1).await;
    let second = hover_at_lean(&beam, &project, version, "second", 2).await;
    drop(first);
    eventually(HANG, "the end of one request", async || {
        let requests = beam.status().await.requests;
        (requests.len() == 1 && requests[0].request_id == "second").then_some(())
    })
    .await;
    let record = beam.record();
    let cancelled = eventually(HANG, "the cancellation", async || {
        beam.record().messages("$/cancelRequest").pop()
    })
    .await;
    assert_eq!(
        cancelled["params"]["id"],
        record.messages("textDocument/hover")[0]["id"]
    );
    assert_eq!(project.errors("A.lean").await, 1);
    assert_eq!(beam.record().messages("$/cancelRequest").len(), 1);
    drop(second);
}

/// A hover that has got as far as Lean, which has `count` of them then.
async fn hover_at_lean(
    beam: &Beam,
    project: &Project,
    version: u64,
    name: &str,
    count: usize,
) -> Call<Hover> {
    let position = Project::position("A.lean", version, (0, 0));
    let request = project.request::<Hover>(position).named(name);
    let call = beam
        .connector()
        .call(&request)
        .await
        .must("ask for a hover");
    eventually(HANG, "the request at Lean", async || {
        (beam.record().messages("textDocument/hover").len() == count).then_some(())
    })
    .await;
    call
}

#[tokio::test]
async fn a_client_that_goes_away_takes_nothing_from_those_who_wait_for_the_same_verdict() {
    let beam = Beam::fake(Scenario {
        elaboration: Elaboration {
            takes_ms: 1_000,
            ..Elaboration::default()
        },
        ..Scenario::default()
    });
    let project = beam.project();
    project.write("A.lean", "ERROR: bad\n");
    let request = project.request::<Sync>(Project::sync_params("A.lean"));
    let leaves = beam.connector().call(&request).await.unwrap();
    let stays = beam.connector().call(&request).await.unwrap();
    drop(leaves);
    assert_eq!(
        stays
            .finish()
            .await
            .unwrap()
            .output
            .diagnostics
            .counts
            .error,
        1
    );
}

#[tokio::test]
async fn a_request_is_cancelled_by_its_name() {
    let (beam, project) = fake_world([never("textDocument/hover")]);
    let version = project.sync("A.lean").await.unwrap().version;
    let request = project
        .request::<Hover>(Project::position("A.lean", version, (0, 0)))
        .named("mine");
    let call = beam.connector().call(&request).await.unwrap();
    let cancel = |name: &str| {
        beam.call(Request::<Cancel>::new(CancelParams {
            request_id: name.to_owned(),
        }))
    };
    assert!(!cancel("another").await.unwrap().cancelled);
    assert!(cancel("mine").await.unwrap().cancelled);
    let error = within(HANG, "the end of a cancelled request", call.finish())
        .await
        .map(drop)
        .must_fail();
    assert_eq!(error.code, ErrorCode::RequestCancelled, "{error:?}");
    assert!(!cancel("mine").await.unwrap().cancelled);
}

#[tokio::test]
async fn two_hundred_requests_at_once_each_get_their_own_answer() {
    let beam = Beam::fake(Scenario {
        rules: vec![Rule::on(
            "textDocument/hover",
            [Action::delay(Duration::from_millis(500))],
        )],
        ..Scenario::default()
    });
    let project = beam.project();
    let text: String = (0..200).map(|number| format!("word{number}\n")).collect();
    project.write("A.lean", text);
    let version = project.sync("A.lean").await.unwrap().version;
    let hovers = (0..200).map(|line| {
        let project = &project;
        async move {
            let hover = project
                .hover("A.lean", version, (line, 1))
                .await
                .must("hover in a crowd");
            assert!(
                hover
                    .contents
                    .must("get contents")
                    .contains(&format!("word{line}\n"))
            );
        }
    });
    within(HANG, "200 answers", join_all(hovers)).await;
    assert_eq!(beam.record().messages("textDocument/hover").len(), 200);
}

#[tokio::test]
async fn more_requests_than_allowed_are_refused_and_nothing_else() {
    let beam = Beam::builder()
        .lean(lean_beam_tests::world::Lean::Fake(Scenario {
            rules: vec![never("textDocument/hover")],
            ..Scenario::default()
        }))
        .config("[limits]\nrequests = 3\n")
        .build();
    let project = beam.project();
    project.write("A.lean", "word\n");
    let version = project.sync("A.lean").await.unwrap().version;
    let request = project.request::<Hover>(Project::position("A.lean", version, (0, 0)));
    let mut calls = Vec::new();
    for _ in 0..3 {
        calls.push(beam.connector().call(&request).await.unwrap());
    }
    let error = beam.call(request.clone()).await.must_fail();
    assert_eq!(error.code, ErrorCode::ResourceExhausted, "{error:?}");
    assert!(error.hint.is_some());
    // What helps out of the situation is still possible.
    assert_eq!(beam.status().await.requests.len(), 3);
    calls.clear();
    eventually(HANG, "room for requests", async || {
        project.sync("A.lean").await.ok()
    })
    .await;
}

#[tokio::test]
async fn events_come_in_order_and_the_final_line_is_the_last() {
    let beam = Beam::fake(Scenario {
        elaboration: Elaboration {
            takes_ms: 300,
            progress_steps: 5,
            ..Elaboration::default()
        },
        ..Scenario::default()
    });
    let project = beam.project();
    project.write("A.lean", "a\nERROR: x\nb\nWARN: y\n");
    let request = project
        .request::<Sync>(Project::sync_params("A.lean"))
        .named("seen");
    let mut call = beam.connector().call(&request).await.unwrap();
    let mut events = Vec::new();
    while let Some(event) = call.next_event().await.unwrap() {
        events.push(event);
    }
    assert!(matches!(&events[0], Event::Accepted { request_id } if request_id == "seen"));
    let result = call.finish().await.unwrap().output;
    let progress: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::Progress(progress) => Some(progress),
            _ => None,
        })
        .collect();
    assert!(!progress.is_empty());
    assert!(
        progress
            .iter()
            .all(|one| one.path == "A.lean" && one.version == result.version && one.lines > 0)
    );
    assert!(
        progress
            .windows(2)
            .all(|pair| pair[0].updates <= pair[1].updates)
    );
    let streamed: Vec<_> = events
        .into_iter()
        .filter_map(|event| match event {
            Event::Diagnostics {
                items,
                version,
                path,
            } => {
                assert_eq!((path.as_str(), version), ("A.lean", result.version));
                Some(items)
            }
            _ => None,
        })
        .flatten()
        .collect();
    assert_eq!(Some(streamed), result.diagnostics.items);
}

/// A line that is no request, and what is to be said about it.

#[tokio::test]
async fn a_crowd_that_leaves_at_once_leaves_nothing_behind() {
    let (beam, project) = fake_world([never("textDocument/hover").when(Occurrence::Always)]);
    let version = project.sync("A.lean").await.unwrap().version;
    let request = project.request::<Hover>(Project::position("A.lean", version, (0, 0)));
    let connector = beam.connector();
    let calls = join_all((0..100).map(|_| connector.call(&request))).await;
    assert!(calls.iter().all(Result::is_ok));
    drop(calls);
    eventually(HANG, "the end of all requests", async || {
        beam.status().await.requests.is_empty().then_some(())
    })
    .await;
    eventually(HANG, "all cancellations", async || {
        (beam.record().messages("$/cancelRequest").len()
            == beam.record().messages("textDocument/hover").len())
        .then_some(())
    })
    .await;
    let stats = beam
        .call(Request::<Stats>::new(Default::default()))
        .await
        .unwrap();
    assert_eq!(stats.operations["hover"].count, 100);
    assert_eq!(stats.operations["hover"].ok, 0);
}

#[tokio::test]
async fn stats_count_and_can_be_set_to_zero() {
    let (beam, project) = fake_world([]);
    project.sync("A.lean").await.unwrap();
    project.sync("Missing.lean").await.must_fail();
    let mut garbage = socket(&beam).await;
    assert!(garbage.write(b"garbage\n").await);
    garbage.response().await.must("get an answer");
    let stats = beam
        .call(Request::<Stats>::new(Default::default()))
        .await
        .unwrap();
    let sync = &stats.operations["sync"];
    assert_eq!(
        (sync.count, sync.ok, sync.errors["invalidParams"]),
        (2, 1, 1)
    );
    assert_eq!(stats.malformed, 1);
    assert!(sync.max_us > 0 && sync.max_us <= sync.total_us);
    assert!(
        stats
            .operations
            .keys()
            .all(|name| OPERATIONS.contains(&name.as_str()))
    );
    beam.call(Request::<lean_beam_proto::op::ResetStats>::new(
        Default::default(),
    ))
    .await
    .unwrap();
    let stats = beam
        .call(Request::<Stats>::new(Default::default()))
        .await
        .unwrap();
    assert!(!stats.operations.contains_key("sync"));
    assert_eq!(stats.malformed, 0);
}
