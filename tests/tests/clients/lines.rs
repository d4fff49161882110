//! What clients write: lines that are no requests, lines in pieces, none at all.

use super::*;

struct Bad {
    line: String,
    code: ErrorCode,
    names: &'static str,
}

fn bad(line: &dyn ToString, code: ErrorCode, names: &'static str) -> Bad {
    Bad {
        line: line.to_string(),
        code,
        names,
    }
}

fn bad_lines(project: &Project) -> Vec<Bad> {
    use ErrorCode::{InvalidInput, ProtocolMismatch};
    let workspace = json!({"root": project.root_text()});
    let with = |change: &dyn Fn(&mut Value)| {
        let mut value = sync_envelope(project, "A.lean");
        change(&mut value);
        value
    };
    vec![
        bad(&"", InvalidInput, ""),
        bad(&"garbage", InvalidInput, ""),
        bad(&"\u{0}\u{1}\u{2}", InvalidInput, ""),
        bad(&"{", InvalidInput, ""),
        bad(&"[]", InvalidInput, ""),
        bad(&"null", InvalidInput, ""),
        bad(&"{}", InvalidInput, "protocol"),
        bad(&"[".repeat(100_000), InvalidInput, ""),
        bad(&json!({"protocol": PROTOCOL}), InvalidInput, "op"),
        bad(&json!({"op": "ping"}), InvalidInput, "protocol"),
        bad(
            &json!({"protocol": "1", "op": "ping"}),
            InvalidInput,
            "protocol",
        ),
        bad(&json!({"protocol": PROTOCOL, "op": 7}), InvalidInput, "op"),
        bad(
            &json!({"protocol": PROTOCOL + 1, "op": "sync"}),
            ProtocolMismatch,
            "",
        ),
        bad(
            &json!({"protocol": PROTOCOL, "op": "fly"}),
            InvalidInput,
            "fly",
        ),
        bad(
            &with(&|value| value["extra"] = 1.into()),
            InvalidInput,
            "extra",
        ),
        bad(
            &with(&|value| value["params"]["extra"] = 1.into()),
            InvalidInput,
            "extra",
        ),
        bad(
            &with(&|value| value["params"]["path"] = 1.into()),
            InvalidInput,
            "path",
        ),
        bad(
            &with(&|value| value["params"] = json!({})),
            InvalidInput,
            "path",
        ),
        bad(
            &with(&|value| value["params"] = json!([1])),
            InvalidInput,
            "",
        ),
        bad(
            &with(&|value| value["params"]["diagnostic_scope"] = "some".into()),
            InvalidInput,
            "diagnostic_scope",
        ),
        bad(
            &with(&|value| value["workspace"] = 1.into()),
            InvalidInput,
            "workspace",
        ),
        bad(
            &with(&|value| value["workspace"]["extra"] = 1.into()),
            InvalidInput,
            "extra",
        ),
        bad(
            &with(&|value| value["workspace"] = Value::Null),
            InvalidInput,
            "workspace",
        ),
        bad(
            &with(&|value| value["workspace"]["root"] = "relative".into()),
            InvalidInput,
            "relative",
        ),
        bad(
            &with(&|value| value["workspace"]["root"] = "/nonexistent/project".into()),
            InvalidInput,
            "/nonexistent/project",
        ),
        bad(
            &with(&|value| value["deadline_ms"] = "soon".into()),
            InvalidInput,
            "deadline_ms",
        ),
        bad(
            &with(&|value| value["deadline_ms"] = (-1).into()),
            InvalidInput,
            "deadline_ms",
        ),
        bad(
            &with(&|value| value["client"] = json!({"name": 1})),
            InvalidInput,
            "client",
        ),
        bad(
            &json!({"protocol": PROTOCOL, "op": "hover", "workspace": workspace, "params": {"path": "A.lean", "version": 1, "line": -1, "character": 0}}),
            InvalidInput,
            "line",
        ),
        bad(
            &json!({"protocol": PROTOCOL, "op": "ping", "params": {"a": 1}}),
            InvalidInput,
            "a",
        ),
    ]
}

#[tokio::test]
async fn a_line_that_is_no_request_is_answered_with_what_is_wrong_and_harms_nobody() {
    let (beam, project) = fake_world([]);
    let before = beam.ensure().await;
    for Bad { line, code, names } in bad_lines(&project) {
        let shown: String = line.chars().take(200).collect();
        let mut socket = socket(&beam).await;
        assert!(socket.write(format!("{line}\n").as_bytes()).await);
        let response = socket
            .response()
            .await
            .must(&format!("get an answer to {shown}"));
        let error = response.response.into_result().must_fail();
        assert_eq!(error.code, code, "{shown}: {error:?}");
        assert!(told(&error).contains(names), "{shown}: {error:?}");
        assert_eq!(
            socket.read_line().await,
            None,
            "the connection is closed after {shown}"
        );
    }
    assert_eq!(beam.ensure().await, before);
    assert_eq!(project.errors("A.lean").await, 1);
}

fn told(error: &BeamError) -> String {
    format!(
        "{} {} {}",
        error.message,
        error.hint.as_deref().unwrap_or_default(),
        error
            .data
            .as_ref()
            .map(Value::to_string)
            .unwrap_or_default()
    )
}

#[tokio::test]
async fn bytes_that_are_not_utf8_are_answered_like_other_garbage() {
    let (beam, _project) = fake_world([]);
    let before = beam.ensure().await;
    let mut socket = socket(&beam).await;
    assert!(
        socket
            .write(b"{\"protocol\":1,\"op\":\"\xff\xfe\"}\n")
            .await
    );
    let error = socket
        .response()
        .await
        .must("get an answer")
        .response
        .into_result()
        .must_fail();
    assert_eq!(error.code, ErrorCode::InvalidInput, "{error:?}");
    assert_eq!(beam.ensure().await, before);
}

#[tokio::test]
async fn a_line_over_the_limit_is_refused_while_it_is_still_coming() {
    let (beam, project) = fake_world([]);
    let before = beam.ensure().await;
    let mut socket = socket(&beam).await;
    let chunk = vec![b'x'; 1 << 20];
    let mut taken = 0;
    // The daemon may stop reading as soon as the limit is passed.
    while taken <= MAX_REQUEST_BYTES + chunk.len() && socket.write(&chunk).await {
        taken += chunk.len();
    }
    let error = socket
        .response()
        .await
        .must("get an answer to an endless line")
        .response
        .into_result()
        .must_fail();
    assert_eq!(error.code, ErrorCode::InvalidInput, "{error:?}");
    assert!(
        told(&error).contains(&MAX_REQUEST_BYTES.to_string()),
        "{error:?}"
    );
    assert_eq!(beam.ensure().await, before);
    assert_eq!(project.errors("A.lean").await, 1);
}

#[tokio::test]
async fn a_request_just_within_the_limit_is_read() {
    let (beam, _project) = fake_world([]);
    beam.ensure().await;
    let frame = envelope("ping", &json!({})).to_string();
    let padding = " ".repeat(MAX_REQUEST_BYTES - frame.len());
    let mut socket = socket(&beam).await;
    assert!(socket.write(format!("{frame}{padding}\n").as_bytes()).await);
    let response = socket.response().await.must("get an answer");
    assert!(matches!(response.response, Outcome::Ok(_)));
}

#[tokio::test]
async fn half_a_line_and_no_line_hold_up_nobody() {
    let (beam, project) = fake_world([]);
    let before = beam.ensure().await;
    let mut silent = socket(&beam).await;
    let mut half = socket(&beam).await;
    assert!(half.write(b"{\"protocol\":1,\"op\":").await);
    let mut gone = socket(&beam).await;
    assert!(gone.write(b"{\"protocol\":1,").await);
    drop(gone);
    assert_eq!(project.errors("A.lean").await, 1);
    // The rest of the half line makes it a request like any other.
    assert!(half.write(b"\"ping\"}\n").await);
    assert!(matches!(
        half.response().await.must("get an answer").response,
        Outcome::Ok(_)
    ));
    silent.write_line(&envelope("ping", &json!({}))).await;
    assert!(matches!(
        silent.response().await.must("get an answer").response,
        Outcome::Ok(_)
    ));
    assert_eq!(beam.ensure().await, before);
}

#[tokio::test]
async fn a_line_cut_off_by_the_end_of_the_input_is_no_request() {
    let (beam, project) = fake_world([]);
    beam.ensure().await;
    let mut socket = socket(&beam).await;
    assert!(socket.write(b"{\"protocol\":1,\"op\":\"shutdown\"}").await);
    socket.close_input();
    if let Some(response) = socket.response().await {
        assert_eq!(
            response.response.into_result().must_fail().code,
            ErrorCode::InvalidInput
        );
    }
    assert_eq!(project.errors("A.lean").await, 1);
}

#[tokio::test]
async fn what_a_client_sends_after_its_request_is_not_taken_for_another() {
    let (beam, project) = fake_world([]);
    let before = beam.ensure().await;
    let mut socket = socket(&beam).await;
    let line = format!(
        "{}\n{}\n",
        sync_envelope(&project, "A.lean"),
        envelope("shutdown", &json!({}))
    );
    assert!(socket.write(line.as_bytes()).await);
    assert!(socket.response().await.is_some());
    assert_eq!(socket.read_line().await, None);
    assert_eq!(beam.ensure().await, before);
}

#[tokio::test]
async fn pieces_of_a_line_may_come_one_by_one() {
    let (beam, project) = fake_world([]);
    beam.ensure().await;
    let mut socket = socket(&beam).await;
    for byte in format!("{}\r\n", sync_envelope(&project, "A.lean")).bytes() {
        assert!(socket.write(&[byte]).await);
    }
    let response = socket.response().await.must("get an answer");
    let result: Value =
        serde_json::from_str(response.response.into_result().unwrap().get()).unwrap();
    assert_eq!(result["diagnostics"]["counts"]["error"], 1);
}
