//! The tools about the process and the daemon. They start nothing.

use lean_beam_proto::{
    BUILD, BeamError, BeamResult, Identity, PROTOCOL, VERSION,
    client::{Connection, Request},
    op::{self, Operation},
    status::DaemonStatus,
};
use serde_json::{Map, Value, json};

use super::Shared;
use crate::{
    jsonrpc::JsonObject,
    protocol::{MODERN_REVISION, SERVER_NAME},
};

/// `beam_stats`: the daemon's counters, or that there is none.
///
/// # Errors
/// A daemon is there but cannot be asked.
pub(super) async fn stats(shared: &Shared) -> BeamResult<String> {
    let Some(connection) = shared.connect_if_there().await? else {
        return Ok(JsonObject::new()
            .with("running", &false)
            .with(
                "message",
                "No daemon is running. The first call about a project starts one.",
            )
            .finish());
    };
    let answer = ask::<op::Stats>(connection).await?;
    let stats = serde_json::to_string(&answer.output).unwrap_or_default();
    Ok(JsonObject::new()
        .with("running", &true)
        .with("daemon", &answer.identity)
        .with_members_of(&stats)
        .finish())
}

/// `beam_version`: this process, and the daemon where there is one. It always works, so that a broken
/// installation can be reported.
pub(super) async fn version(shared: &Shared) -> String {
    let own = shared.program.is_current();
    let mut faults: Vec<String> = own
        .as_ref()
        .err()
        .map(ToString::to_string)
        .into_iter()
        .collect();
    let status = match status(shared).await {
        Ok(status) => status,
        Err(error) => {
            faults.push(error.message);
            None
        }
    };
    let own = own.ok().flatten();
    let mut object = JsonObject::new()
        .with("server", SERVER_NAME)
        .with("version", VERSION)
        .with("build", BUILD)
        .with("mcp_protocol", MODERN_REVISION)
        .with("protocol", &PROTOCOL)
        .with("pid", &std::process::id())
        .with("started_ms", &shared.started_ms)
        .with("program", &shared.program.path().to_string_lossy());
    if let Some(current) = both_current(own, status.as_ref()) {
        object = object.with("runtime_current", &current);
    }
    if !faults.is_empty() {
        object = object.with("runtime_error", &faults.join("; "));
    }
    object.with("daemon", &status.as_ref().map(daemon)).finish()
}

/// True when this program and the daemon's are the installed ones; a part that cannot tell has no say.
fn both_current(own: Option<bool>, status: Option<&DaemonStatus>) -> Option<bool> {
    let theirs = status.and_then(|status| status.runtime_current);
    let same_build = status.map(|status| is_same_build(&status.identity));
    let known: Vec<bool> = [own, theirs].into_iter().flatten().collect();
    if known.is_empty() {
        return None;
    }
    Some(known.iter().all(|current| *current) && same_build.unwrap_or(true))
}

fn is_same_build(identity: &Identity) -> bool {
    identity.version == VERSION && identity.build == BUILD
}

fn daemon(status: &DaemonStatus) -> Value {
    let mut daemon = match serde_json::to_value(&status.identity) {
        Ok(Value::Object(members)) => members,
        _ => Map::new(),
    };
    daemon.insert("program".to_owned(), json!(status.program));
    if let Some(current) = status.runtime_current {
        daemon.insert("runtime_current".to_owned(), json!(current));
    }
    Value::Object(daemon)
}

async fn status(shared: &Shared) -> BeamResult<Option<DaemonStatus>> {
    match shared.connect_if_there().await? {
        Some(connection) => Ok(Some(ask::<op::Status>(connection).await?.output)),
        None => Ok(None),
    }
}

async fn ask<O: Operation<Params = op::Empty>>(
    connection: Connection,
) -> Result<lean_beam_proto::client::Answer<O::Output>, BeamError> {
    connection
        .send(&Request::<O>::new(op::Empty {}))
        .await?
        .finish()
        .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_stale_part_makes_the_whole_stale() {
        assert_eq!(both_current(Some(true), None), Some(true));
        assert_eq!(both_current(Some(false), None), Some(false));
        assert_eq!(both_current(None, None), None);
    }
}
