use std::fs;

use futures_util::future::join_all;
use tokio::time::timeout;

use super::{super::testing::*, *};
use crate::op;

fn hold(path: &Path) -> LockFile {
    match LockFile::try_acquire(path).unwrap() {
        TryLock::Acquired(lock) => lock,
        TryLock::Held => panic!("{} is held", path.display()),
    }
}

/// A daemon program that listens: it moves a socket on which the test listens into place.
fn appearing() -> String {
    format!("echo run >> runs; mv hidden.sock daemon-1.sock; echo '{READY}'")
}

#[tokio::test]
async fn a_daemon_that_is_there_is_used_and_none_is_started() {
    let place = Place::made();
    let _listener = place.listen("daemon-1.sock");
    let connector = place.connector_starting("touch started");
    connector.ensure().await.unwrap();
    assert!(!place.runtime_dir.path().join("started").exists());
}

#[tokio::test]
async fn of_many_clients_at_once_one_starts_the_daemon() {
    let place = Place::made();
    let _listener = place.listen("hidden.sock");
    let connector = place.connector_starting(&appearing());
    let clients = (0..20).map(|_| connector.ensure());
    let outcomes = timeout(LIMIT, join_all(clients)).await.unwrap();
    assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
    let runs = fs::read_to_string(place.runtime_dir.path().join("runs")).unwrap();
    assert_eq!(runs.lines().count(), 1);
}

#[tokio::test]
async fn the_daemon_is_told_where_to_listen_and_what_was_added() {
    let place = Place::made();
    let _listener = place.listen("hidden.sock");
    let body = format!(
        "echo \"$LEAN_BEAM_RUNTIME_DIR $EXTRA\" > told; {}",
        appearing()
    );
    let connector = place
        .connector_starting(&body)
        .with_variable("EXTRA", "x y");
    connector.ensure().await.unwrap();
    let run = place.runtime_dir.path();
    let told = fs::read_to_string(run.join("told")).unwrap();
    assert_eq!(told, format!("{} x y\n", run.display()));
}

#[tokio::test]
async fn the_runtime_directory_is_made() {
    let place = Place::new();
    let connector = place.connector_starting("exit 1");
    connector.ensure().await.unwrap_err();
    place.runtime_dir.check().unwrap();
}

#[tokio::test]
async fn the_daemons_reason_for_not_starting_is_passed_on() {
    let place = Place::made();
    let connector = place.connector_starting(
        r#"echo '{"failed":{"code":"runtimeSetup","message":"no room","hint":"make room"}}'"#,
    );
    let error = connector.ensure().await.unwrap_err();
    assert_eq!(error.code, ErrorCode::RuntimeSetup);
    assert_eq!(error.hint.as_deref(), Some("make room"));
}

#[tokio::test]
async fn a_daemon_that_leaves_because_another_lives_leads_to_that_one() {
    let place = Place::made();
    let _listener = place.listen("hidden.sock");
    let connector =
        place.connector_starting(r#"mv hidden.sock daemon-1.sock; echo '"already_running"'"#);
    connector.ensure().await.unwrap();
}

#[tokio::test]
async fn a_daemon_that_is_stopping_is_waited_for() {
    let place = Place::made();
    let _listener = place.listen("hidden.sock");
    let connector = place.connector_starting(&appearing());
    let life_lock = hold(&place.runtime_dir.life_lock());
    let leave = async {
        sleep(POLL * 3).await;
        assert!(!place.runtime_dir.path().join("runs").exists());
        drop(life_lock);
    };
    both(connector.ensure(), leave).await.0.unwrap();
}

#[tokio::test]
async fn a_daemon_that_is_starting_is_waited_for_and_not_doubled() {
    let place = Place::made();
    let connector = place.connector_starting("touch started");
    let _life_lock = hold(&place.runtime_dir.life_lock());
    let begin_to_listen = async {
        sleep(POLL * 3).await;
        place.listen("daemon-1.sock")
    };
    both(connector.ensure(), begin_to_listen).await.0.unwrap();
    assert!(!place.runtime_dir.path().join("started").exists());
}

/// A daemon of protocol 77 that answers `status` with `busy` and then leaves on `shutdown`.
async fn other_daemon(place: &Place, life_lock: LockFile, busy: bool) -> Vec<serde_json::Value> {
    let listener = place.listen("daemon-77.sock");
    let status = OK.replace("{}", &format!(r#"{{"busy":{busy},"news":1}}"#));
    let mut requests = vec![serve(&mut accept(&listener).await, &[&status]).await];
    if !busy {
        requests.push(serve(&mut accept(&listener).await, &[OK]).await);
    }
    drop(life_lock);
    requests
}

#[tokio::test]
async fn an_idle_daemon_of_another_protocol_is_replaced() {
    let place = Place::made();
    let _listener = place.listen("hidden.sock");
    let connector = place.connector_starting(&appearing());
    let life_lock = hold(&place.runtime_dir.life_lock());
    let (outcome, requests) =
        both(connector.ensure(), other_daemon(&place, life_lock, false)).await;
    outcome.unwrap();
    assert_eq!(
        requests[0],
        serde_json::json!({"protocol": 77, "op": "status"})
    );
    assert_eq!(
        requests[1],
        serde_json::json!({"protocol": 77, "op": "shutdown", "params": {"only_if_idle": true}})
    );
}

#[tokio::test]
async fn a_busy_daemon_of_another_protocol_is_left_alone() {
    let place = Place::made();
    let connector = place.connector_starting("touch started");
    let life_lock = hold(&place.runtime_dir.life_lock());
    let (outcome, _) = both(connector.ensure(), other_daemon(&place, life_lock, true)).await;
    let error = outcome.unwrap_err();
    assert_eq!(error.code, ErrorCode::ProtocolMismatch);
    assert_eq!(
        error.data.unwrap(),
        serde_json::json!({"client": 1, "daemon": 77})
    );
    assert!(!place.runtime_dir.path().join("started").exists());
}

#[tokio::test]
async fn a_request_that_a_leaving_daemon_never_looked_at_goes_to_the_next_one() {
    let place = Place::made();
    let leaving = place.listen("daemon-1.sock");
    let _next = place.listen("hidden.sock");
    let connector = place.connector_starting(&appearing());
    let request = Request::<op::Ping>::new(op::Empty {});
    let daemons = async {
        drop(accept(&leaving).await);
        drop(leaving);
        fs::remove_file(place.runtime_dir.socket()).unwrap();
        serve(&mut accept(&_next).await, &[OK]).await
    };
    let client = async { connector.call(&request).await?.finish().await };
    let (outcome, seen) = both(client, daemons).await;
    outcome.unwrap();
    assert_eq!(seen["op"], "ping");
}
