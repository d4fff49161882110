//! Clients that speak another protocol.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
};

use lean_beam_proto::{BeamError, ErrorCode, PROTOCOL, op::Hover, ready::ReadyLine};
use lean_beam_tests::{
    fake::{
        Scenario,
        scenario::{Action, Rule},
    },
    must::{Must, MustFail},
    raw_socket::RawSocket,
    wait::HANG,
    world::{Beam, Project},
};
use serde_json::json;

use crate::with_fake_error;

#[tokio::test]
async fn an_idle_daemon_makes_room_for_one_of_another_protocol() {
    let beam = Beam::fake(Scenario::default());
    with_fake_error(&beam).sync("A.lean").await.unwrap();
    let next = "next generation";
    let failed = BeamError::new(ErrorCode::RuntimeSetup, next);
    let program = script(
        &beam,
        &format!(
            "echo '{}'",
            serde_json::to_string(&ReadyLine::Failed(failed)).unwrap()
        ),
    );
    let connector = beam
        .connector()
        .with_protocol(PROTOCOL + 1)
        .with_program(program);
    let error = connector.ensure().await.map(drop).must_fail();
    assert_eq!(
        error.message, next,
        "the other program was started: {error:?}"
    );
    beam.assert_nothing_left(HANG).await;
}

fn script(beam: &Beam, body: &str) -> std::path::PathBuf {
    let path = beam.root().join("other-daemon");
    fs::write(&path, format!("#!/bin/sh\n{body}\n")).must("write a script");
    fs::set_permissions(&path, Permissions::from_mode(0o755)).must("make it executable");
    path
}

#[tokio::test]
async fn a_busy_daemon_stays_and_the_client_of_another_protocol_is_told() {
    let never = Rule::on("textDocument/hover", [Action::Ignore]);
    let beam = Beam::fake(Scenario {
        rules: vec![never],
        ..Scenario::default()
    });
    let project = with_fake_error(&beam);
    let version = project.sync("A.lean").await.unwrap().version;
    let busy = project.request::<Hover>(Project::position("A.lean", version, (0, 0)));
    let call = beam.connector().call(&busy).await.unwrap();
    let connector = beam.connector().with_protocol(PROTOCOL + 1);
    let error = connector.ensure().await.map(drop).must_fail();
    assert_eq!(error.code, ErrorCode::ProtocolMismatch, "{error:?}");
    assert!(error.hint.is_some());
    assert_eq!(
        error.data.unwrap(),
        json!({"client": PROTOCOL + 1, "daemon": PROTOCOL})
    );
    assert_eq!(
        beam.status().await.requests.len(),
        1,
        "the other request goes on"
    );
    drop(call);
}

#[tokio::test]
async fn only_the_frozen_operations_are_open_to_another_protocol() {
    let beam = Beam::fake(Scenario::default());
    let identity = beam.ensure().await;
    for (op, accepted) in [
        ("ping", true),
        ("status", true),
        ("sync", false),
        ("open_files", false),
        ("stats", false),
        ("shutdown", true),
    ] {
        let mut socket = RawSocket::connect(&beam.runtime_dir().socket()).await;
        // What another protocol adds to the envelope is not known here.
        socket
            .write_line(&json!({"protocol": PROTOCOL + 1, "op": op, "params": {}, "news": [1]}))
            .await;
        let response = socket.response().await.must("get a response");
        assert_eq!(response.identity, identity);
        match response.response.into_result() {
            Ok(_) => assert!(accepted, "{op}"),
            Err(error) => {
                assert!(!accepted, "{op}: {error:?}");
                assert_eq!(error.code, ErrorCode::ProtocolMismatch);
            }
        }
    }
    beam.assert_nothing_left(HANG).await;
}
