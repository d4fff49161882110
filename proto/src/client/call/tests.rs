use super::{super::testing::*, *};
use crate::op;

fn update() -> Request<op::Update> {
    Request::new(op::UpdateParams {
        path: "A.lean".to_owned(),
    })
    .in_workspace("/p")
}

/// What the client makes of a daemon that answers `update` with `lines` and closes.
async fn answered_with(lines: &[&str]) -> BeamResult<Answer<op::UpdateResult>> {
    let place = Place::made();
    let listener = place.listen("daemon-1.sock");
    let client = async {
        let connection = place.connector().connect().await.unwrap();
        connection.send(&update()).await?.finish().await
    };
    let daemon = async { serve(&mut accept(&listener).await, lines).await };
    both(client, daemon).await.0
}

fn with_result(result: &str) -> String {
    OK.replace(r#"{"ok":{}}"#, result)
}

#[tokio::test]
async fn events_come_in_order_and_end_with_the_final_line() {
    let place = Place::made();
    let listener = place.listen("daemon-1.sock");
    let client = async {
        let connection = place.connector().connect().await.unwrap();
        let mut call = connection
            .send(&Request::<op::Ping>::new(op::Empty {}))
            .await
            .unwrap();
        let mut events = Vec::new();
        while let Some(event) = call.next_event().await.unwrap() {
            events.push(event);
        }
        assert_eq!(call.next_event().await.unwrap(), None);
        (events, call.finish().await.unwrap())
    };
    let daemon = async {
        let lines = [
            r#"{"event":"accepted","request_id":"r1"}"#,
            r#"{"event":"of a later version","x":[1]}"#,
            r#"{"event":"notice","message":"m"}"#,
            OK,
        ];
        serve(&mut accept(&listener).await, &lines).await
    };
    let ((events, answer), request) = both(client, daemon).await;
    assert_eq!(
        events,
        [
            Event::Accepted {
                request_id: "r1".to_owned()
            },
            Event::Unknown,
            Event::Notice {
                message: "m".to_owned()
            }
        ]
    );
    assert_eq!(answer.identity.version, "9.9.9");
    assert_eq!(request["op"], "ping");
    assert_eq!(request["protocol"], 1);
    assert_eq!(request["client"]["name"], "test");
}

#[tokio::test]
async fn lines_can_be_had_as_they_were_written() {
    let place = Place::made();
    let listener = place.listen("daemon-1.sock");
    let unknown = r#"{ "event" : "of a later version", "x":[1] }"#;
    let client = async {
        let connection = place.connector().connect().await.unwrap();
        let request = Request::<op::Ping>::new(op::Empty {});
        let mut call = connection.send(&request).await.unwrap();
        let mut texts = Vec::new();
        while let Some((text, _)) = call.raw_mut().next_line().await.unwrap() {
            texts.push(text);
        }
        texts
    };
    let daemon = async { serve(&mut accept(&listener).await, &[unknown, OK]).await };
    assert_eq!(both(client, daemon).await.0, [unknown, OK]);
}

#[tokio::test]
async fn the_result_is_decoded_with_its_workspace() {
    let line = r#"{"response":{"ok":{"path":"A.lean","version":3,"changed":true}},"workspace":{"root":"/real/p"},"identity":{"version":"9","protocol":1,"build":"b","pid":1,"started_ms":0}}"#;
    let answer = answered_with(&[line]).await.unwrap();
    assert_eq!(answer.output.version, 3);
    assert_eq!(answer.workspace.unwrap().root, "/real/p");
}

#[tokio::test]
async fn the_daemons_error_is_the_calls_error() {
    let line = with_result(
        r#"{"error":{"code":"workerCrashed","message":"m","hint":"h","data":{"a":1}}}"#,
    );
    let error = answered_with(&[&line]).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::WorkerCrashed);
    assert_eq!(error.hint.as_deref(), Some("h"));
    assert_eq!(error.data.unwrap()["a"], 1);
}

#[tokio::test]
async fn a_result_of_another_shape_names_the_field() {
    let line = with_result(r#"{"ok":{"path":"A.lean","version":"three","changed":true}}"#);
    let error = answered_with(&[&line]).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::InternalError);
    assert!(error.message.contains("version"), "{}", error.message);
}

#[tokio::test]
async fn an_end_before_the_final_line_is_never_an_answer() {
    let cases: [&[&str]; 3] = [
        &[],
        &[r#"{"event":"accepted","request_id":"r1"}"#],
        &[r#"{"response":{"ok":{"path":"A.le"#],
    ];
    for lines in cases {
        let error = answered_with(lines).await.unwrap_err();
        assert_eq!(
            error.code,
            ErrorCode::DaemonUnavailable,
            "{lines:?}: {error}"
        );
        assert!(error.hint.is_some());
    }
}

#[tokio::test]
async fn garbage_is_shown_cut_short() {
    let garbage = format!("Segmentation fault{}", "!".repeat(10_000));
    let error = answered_with(&[&garbage]).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::InternalError);
    assert!(error.message.contains("Segmentation fault"));
    assert!(error.message.len() < 500);
}

#[tokio::test]
async fn a_refusal_before_the_request_is_read_is_heard() {
    let place = Place::made();
    let listener = place.listen("daemon-1.sock");
    let refusal = with_result(r#"{"error":{"code":"resourceExhausted","message":"full"}}"#);
    let client = async {
        let connection = place.connector().connect().await.unwrap();
        // Longer than any socket buffer, so that the write fails when the daemon hangs up.
        let request = Request::<op::Update>::new(op::UpdateParams {
            path: "x".repeat(8 << 20),
        });
        connection.send(&request).await?.finish().await
    };
    let daemon = async {
        let mut stream = accept(&listener).await;
        stream.write_all(refusal.as_bytes()).await.unwrap();
        stream.write_all(b"\n").await.unwrap();
    };
    let (outcome, ()) = both(client, daemon).await;
    assert_eq!(outcome.unwrap_err().code, ErrorCode::ResourceExhausted);
}

#[tokio::test]
async fn a_request_over_the_limit_is_refused_here() {
    let place = Place::made();
    let _listener = place.listen("daemon-1.sock");
    let connection = place.connector().connect().await.unwrap();
    let request = Request::<op::Update>::new(op::UpdateParams {
        path: "x".repeat(MAX_REQUEST_BYTES),
    });
    let error = connection.send(&request).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidInput);
}

#[tokio::test]
async fn dropping_a_call_closes_the_connection_and_not_before() {
    let place = Place::made();
    let listener = place.listen("daemon-1.sock");
    let connection = place.connector().connect().await.unwrap();
    let (call, mut stream) = both(async { connection.send(&update()).await.unwrap() }, async {
        let mut stream = accept(&listener).await;
        serve(&mut stream, &[]).await;
        stream
    })
    .await;
    let brief = Duration::from_millis(50);
    assert!(timeout(brief, is_closed(&mut stream)).await.is_err());
    drop(call);
    assert!(timeout(LIMIT, is_closed(&mut stream)).await.unwrap());
}
