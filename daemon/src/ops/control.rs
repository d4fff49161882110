//! Operations on the daemon itself.

use std::time::{SystemTime, UNIX_EPOCH};

use futures_util::future::join_all;
use lean_beam_proto::{
    BeamError, BeamResult, ErrorCode,
    op::{CancelParams, CancelResult, Empty, ShutdownParams, ShutdownResult},
    status::{DaemonStatus, ProcessStatus, StatsResult, WorkspaceStatus},
};
use serde_json::json;

use super::OpContext;
use crate::{
    process::{TreeProcess, own_resident_bytes, tree_of},
    workspace::WorkspaceHandle,
};

/// How the kinds of a build's processes begin.
const BUILD: &str = "build ";

pub(super) fn ping() -> Empty {
    Empty {}
}

pub(super) async fn status(context: &OpContext<'_>) -> DaemonStatus {
    let services = context.services;
    let requests = services.requests.list(context.admission);
    DaemonStatus {
        identity: services.identity.clone(),
        busy: !requests.is_empty(),
        uptime_ms: services.started.elapsed().as_millis() as u64,
        runtime_current: services.program.is_current(),
        program: services.program.path().display().to_string(),
        socket: services.socket.display().to_string(),
        log_file: services.log_file.display().to_string(),
        config_file: services
            .config
            .file
            .as_ref()
            .map(|file| file.display().to_string()),
        resident_bytes: own_resident_bytes(),
        environment: services.environment.clone(),
        limits: services.config.limits_for_status(),
        workspaces: join_all(services.broker.all().iter().map(workspace_status))
            .await
            .into_iter()
            .flatten()
            .collect(),
        requests,
    }
}

async fn workspace_status(workspace: &WorkspaceHandle) -> Option<WorkspaceStatus> {
    let (mut status, own) = workspace.status().await?;
    let probes = workspace.probes.servers().await;
    let servers = own
        .into_iter()
        .map(|pid| (pid, ""))
        .chain(probes.into_iter().map(|pid| (pid, "probe ")))
        .chain(workspace.builds.running().map(|pid| (pid, BUILD)));
    for (pid, role) in servers {
        let tree = tree_of(pid).await;
        status.processes.extend(
            tree.iter()
                .map(|process| process_status(process, pid, role, &status.root)),
        );
    }
    status.processes.sort_by_key(|process| process.pid);
    Some(status)
}

fn process_status(process: &TreeProcess, server: u32, role: &str, root: &str) -> ProcessStatus {
    let document = process
        .command
        .iter()
        .any(|argument| argument == "--worker")
        .then(|| process.command.last())
        .flatten();
    let program = process.command.first().map_or("unknown", |program| {
        program.rsplit('/').next().unwrap_or(program)
    });
    let kind = if process.pid == server && role != BUILD {
        "server"
    } else if document.is_some() {
        "worker"
    } else {
        program
    };
    ProcessStatus {
        pid: process.pid,
        kind: format!("{role}{kind}"),
        path: document.map(|uri| document_name(uri, root)),
        resident_bytes: process.resident_bytes,
    }
}

/// The document of a worker, relative to the root where it lies below it.
fn document_name(uri: &str, root: &str) -> String {
    match url::Url::parse(uri)
        .ok()
        .and_then(|uri| uri.to_file_path().ok())
    {
        Some(path) => path
            .strip_prefix(root)
            .unwrap_or(&path)
            .display()
            .to_string(),
        None => uri.to_owned(),
    }
}

pub(super) fn shutdown(
    context: &OpContext<'_>,
    params: ShutdownParams,
) -> BeamResult<ShutdownResult> {
    let services = context.services;
    let others = services.requests.others(context.admission);
    if params.only_if_idle && others > 0 {
        return Err(BeamError::new(
            ErrorCode::ResourceExhausted,
            format!("the daemon works on {others} other requests"),
        )
        .with_hint("Wait for them to end, or stop it without `only_if_idle`.")
        .with_data(json!({ "requests": services.requests.list(context.admission) })));
    }
    services.shutdown.request_once("a client asked for it");
    Ok(ShutdownResult {
        stopping: true,
        cancelled_requests: others,
    })
}

pub(super) async fn stats(context: &OpContext<'_>) -> StatsResult {
    let workspaces = context.services.broker.all();
    StatsResult {
        limits: context.services.config.limits_for_status(),
        workspaces: join_all(workspaces.iter().map(WorkspaceHandle::stats))
            .await
            .into_iter()
            .flatten()
            .collect(),
        ..context.services.counters.snapshot()
    }
}

pub(super) fn reset_stats(context: &OpContext<'_>) -> Empty {
    context.services.counters.reset(unix_ms());
    context
        .services
        .broker
        .all()
        .iter()
        .for_each(WorkspaceHandle::reset_stats);
    Empty {}
}

pub(super) fn cancel(context: &OpContext<'_>, params: &CancelParams) -> CancelResult {
    CancelResult {
        cancelled: context.services.requests.cancel(&params.request_id),
    }
}

fn unix_ms() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_millis() as u64)
}
