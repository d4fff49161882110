//! The live view of the daemon: as `status`, but short and with what changes in front.

use std::time::Duration;

use lean_beam_proto::status::{DaemonStatus, StatsResult, WorkspaceStatus};

use super::{
    heading, identity,
    status::{processes, request, session},
    style::{CARE, DIM, GOOD, STRONG, styled},
    table,
    words::{bytes, duration, millis},
};
use crate::commands::watch::Look;

/// One look at the daemon, which is looked at every `interval`.
pub(crate) fn look(look: &Look, interval: Duration) -> String {
    let title = format!(
        "lean-beam status, every {}. Ctrl-C ends it.",
        duration(interval)
    );
    let mut text = format!("{}\n\n", styled(DIM, title));
    match (&look.status, &look.trouble) {
        (Some(status), _) => text.push_str(&daemon(status, look.stats.as_ref())),
        (None, Some(trouble)) => text.push_str(&format!("{} {trouble}\n", styled(CARE, "●"))),
        (None, None) => text.push_str(&format!("{} no daemon is running\n", styled(DIM, "○"))),
    }
    text
}

fn daemon(status: &DaemonStatus, stats: Option<&StatsResult>) -> String {
    let lean: u64 = status
        .workspaces
        .iter()
        .flat_map(|workspace| &workspace.processes)
        .map(|process| process.resident_bytes)
        .sum();
    let own = status.resident_bytes.map_or_else(String::new, bytes);
    let mut text = format!(
        "{} lean-beam {}, up {}\n",
        styled(GOOD, "●"),
        identity(&status.identity),
        millis(status.uptime_ms)
    );
    text.push_str(&format!(
        "  memory {own}, Lean {} of {}\n",
        bytes(lean),
        bytes(status.limits.lean_memory_bytes)
    ));
    if status.runtime_current == Some(false) {
        text.push_str("  its program has been replaced: `lean-beam restart` takes the new one\n");
    }
    text.push('\n');
    text.push_str(&requests(status));
    if status.workspaces.is_empty() {
        text.push_str("\nNo project is open.\n");
    }
    for workspace in &status.workspaces {
        text.push('\n');
        text.push_str(&self::workspace(workspace, stats));
    }
    text
}

fn requests(status: &DaemonStatus) -> String {
    if status.requests.is_empty() {
        return format!("{}\n", styled(DIM, "No requests in flight"));
    }
    let rows: Vec<_> = status.requests.iter().map(request).collect();
    heading("Requests in flight") + &table(&rows)
}

fn workspace(workspace: &WorkspaceStatus, stats: Option<&StatsResult>) -> String {
    let mut rows = vec![vec![
        "files".to_owned(),
        format!(
            "{} open of {} known, last used {} ago",
            workspace.open_documents,
            workspace.documents,
            millis(workspace.idle_ms)
        ),
    ]];
    rows.extend(
        workspace
            .reason
            .iter()
            .map(|reason| vec!["reason".to_owned(), reason.clone()]),
    );
    rows.extend(lanes(workspace, stats));
    rows.extend(processes(&workspace.processes, &workspace.root));
    format!(
        "{} {}\n{}",
        styled(STRONG, &workspace.root),
        session(workspace.state),
        table(&rows)
    )
}

fn lanes(workspace: &WorkspaceStatus, stats: Option<&StatsResult>) -> Option<Vec<String>> {
    let of_this = |stats: &&lean_beam_proto::status::WorkspaceStats| stats.root == workspace.root;
    let probes = &stats?.workspaces.iter().find(of_this)?.probes;
    let text = format!(
        "{} open, {} busy, {} waiting; {} handles",
        probes.lanes, probes.busy_lanes, probes.waiting, probes.handles
    );
    Some(vec!["lanes".to_owned(), text])
}
