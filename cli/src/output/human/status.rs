//! What the daemon is doing.

use std::path::Path;

use lean_beam_proto::{
    Identity, PROTOCOL,
    client::FrozenStatus,
    status::{DaemonStatus, ProcessStatus, RequestStatus, SessionState, WorkspaceStatus},
};

use super::{
    heading, identity, limits,
    style::{BAD, CARE, DIM, GOOD, STRONG, styled},
    table,
    words::{bytes, millis},
};

/// The daemon, its workspaces with their processes, and the requests in flight.
pub(crate) fn status(status: &DaemonStatus) -> String {
    let mut text = daemon(status);
    for workspace in &status.workspaces {
        text.push('\n');
        text.push_str(&self::workspace(workspace));
    }
    text.push('\n');
    text.push_str(&heading("Limits"));
    text.push_str(&limits(&status.limits));
    if !status.requests.is_empty() {
        text.push('\n');
        text.push_str(&heading("Requests in flight"));
        text.push_str(&table(
            &status.requests.iter().map(request).collect::<Vec<_>>(),
        ));
    }
    text
}

/// A daemon of which only the frozen part can be understood.
pub(crate) fn other_daemon(status: &FrozenStatus) -> String {
    let work = if status.busy { "busy" } else { "idle" };
    format!(
        "{} lean-beam {} is running, {work}\n  This client speaks protocol {PROTOCOL}; its next request replaces the daemon once that is idle.\n",
        styled(CARE, "●"),
        identity(&status.identity),
    )
}

/// That the daemon is there, and since when.
pub(crate) fn served(who: &Identity, socket: &Path, started: bool) -> String {
    let news = if started {
        "is ready"
    } else {
        "was already running"
    };
    format!(
        "{} lean-beam {} {news}\n  {}\n",
        styled(GOOD, "●"),
        identity(who),
        styled(DIM, socket.display()),
    )
}

fn daemon(status: &DaemonStatus) -> String {
    let mut text = format!(
        "{} lean-beam {}, up {}\n",
        styled(GOOD, "●"),
        identity(&status.identity),
        millis(status.uptime_ms)
    );
    let mut rows = vec![
        row("socket", &status.socket),
        row("log", &status.log_file),
        row("program", &program(status)),
    ];
    rows.extend(status.config_file.iter().map(|file| row("config", file)));
    rows.extend(
        status
            .resident_bytes
            .map(|size| row("memory", &bytes(size))),
    );
    rows.push(row(
        "leaves",
        &format!("after {} without use", millis(status.limits.daemon_idle_ms)),
    ));
    for (name, value) in &status.environment {
        rows.push(row(name, value));
    }
    text.push_str(&table(&rows));
    if status.workspaces.is_empty() {
        text.push_str("\nNo project is open.\n");
    }
    text
}

fn program(status: &DaemonStatus) -> String {
    let outdated = match status.runtime_current {
        Some(false) => " (changed on disk since: `lean-beam restart` takes the new one)",
        _ => "",
    };
    format!("{}{outdated}", status.program)
}

fn row(name: &str, value: &str) -> Vec<String> {
    vec![name.to_owned(), value.to_owned()]
}

fn workspace(workspace: &WorkspaceStatus) -> String {
    let mut text = format!(
        "{} {}\n",
        styled(STRONG, &workspace.root),
        session(workspace.state)
    );
    let mut rows = vec![row("command", &workspace.command.join(" "))];
    rows.extend(workspace.server.iter().map(|server| row("server", server)));
    rows.extend(
        workspace
            .toolchain
            .iter()
            .map(|toolchain| row("toolchain", toolchain.trim())),
    );
    rows.extend(workspace.reason.iter().map(|reason| row("reason", reason)));
    rows.push(row(
        "files",
        &format!(
            "{} open of {} known, last used {} ago",
            workspace.open_documents,
            workspace.documents,
            millis(workspace.idle_ms)
        ),
    ));
    rows.extend(processes(&workspace.processes, &workspace.root));
    text.push_str(&table(&rows));
    text
}

pub(super) fn processes(processes: &[ProcessStatus], root: &str) -> Vec<Vec<String>> {
    if processes.is_empty() {
        return Vec::new();
    }
    let total = counted_processes(processes.len());
    let mut rows = vec![row("memory", &format!("{} in {total}", memory(processes)))];
    let probes: Vec<_> = processes
        .iter()
        .filter(|process| is_probe(process))
        .collect();
    if !probes.is_empty() {
        let text = format!(
            "{} in {} of these",
            memory(probes.iter().copied()),
            probes.len()
        );
        rows.push(row("probes", &text));
    }
    let widest = |text: fn(&ProcessStatus) -> String| {
        let lengths = processes.iter().map(|process| text(process).len());
        lengths.max().unwrap_or_default()
    };
    let (kinds, pids) = (
        widest(|process| process.kind.clone()),
        widest(|process| process.pid.to_string()),
    );
    for process in processes {
        let size = bytes(process.resident_bytes);
        let (kind, pid, file) = (&process.kind, process.pid, file(process, root));
        let line = format!("{size:>9}  {kind:kinds$}  {pid:>pids$}  {file}");
        rows.push(row("", line.trim_end()));
    }
    rows
}

/// `490 MiB`, of all of them together.
fn memory<'a>(processes: impl IntoIterator<Item = &'a ProcessStatus>) -> String {
    let sizes = processes.into_iter().map(|process| process.resident_bytes);
    bytes(sizes.sum())
}

/// Servers and workers that run texts have names of their own.
fn is_probe(process: &ProcessStatus) -> bool {
    process.kind.starts_with("probe ")
}

/// The document of a worker, relative to the root.
fn file(process: &ProcessStatus, root: &str) -> String {
    let path = Path::new(process.path.as_deref().unwrap_or_default());
    path.strip_prefix(root)
        .unwrap_or(path)
        .display()
        .to_string()
}

fn counted_processes(number: usize) -> String {
    match number {
        1 => "1 process".to_owned(),
        _ => format!("{number} processes"),
    }
}

pub(super) fn session(state: SessionState) -> String {
    match state {
        SessionState::Stopped => styled(DIM, "stopped"),
        SessionState::Stopping => styled(DIM, "stopping"),
        SessionState::Starting => styled(CARE, "starting"),
        SessionState::Running => styled(GOOD, "running"),
        SessionState::Crashed => styled(BAD, "crashed"),
        SessionState::GivenUp => styled(BAD, "given up"),
        SessionState::Unknown => styled(DIM, "in a state that this client does not know"),
    }
}

pub(super) fn request(request: &RequestStatus) -> Vec<String> {
    let subject = request.path.as_ref().or(request.root.as_ref());
    vec![
        request.request_id.clone(),
        request.op.clone(),
        subject.cloned().unwrap_or_default(),
        millis(request.age_ms),
        request.client.clone().unwrap_or_default(),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use lean_beam_proto::status::Limits;

    use super::*;

    fn example() -> DaemonStatus {
        DaemonStatus {
            identity: Identity {
                version: "0.1.0".to_owned(),
                protocol: 1,
                build: "dev".to_owned(),
                pid: 77,
                started_ms: 0,
            },
            busy: true,
            uptime_ms: 200_000,
            runtime_current: Some(false),
            program: "/usr/bin/lean-beam-daemon".to_owned(),
            socket: "/run/user/1/lean-beam/daemon-1.sock".to_owned(),
            log_file: "/home/me/.local/state/lean-beam/daemon.log".to_owned(),
            config_file: None,
            resident_bytes: Some(6 << 20),
            environment: BTreeMap::from([("ELAN_HOME".to_owned(), "/home/me/.elan".to_owned())]),
            limits: Limits {
                daemon_idle_ms: 3_600_000,
                workspace_idle_ms: 900_000,
                request_bytes: 1,
                response_bytes: 1,
                requests: 1,
                file_bytes: 1,
                ..Limits::default()
            },
            workspaces: vec![WorkspaceStatus {
                root: "/home/me/project".to_owned(),
                toolchain: Some("leanprover/lean4:v4.35.0\n".to_owned()),
                command: vec!["lake".to_owned(), "serve".to_owned()],
                server: Some("Lean 4 Server 0.3.0".to_owned()),
                state: SessionState::Running,
                reason: None,
                open_documents: 1,
                documents: 2,
                idle_ms: 5_000,
                processes: vec![
                    ProcessStatus {
                        pid: 78,
                        kind: "server".to_owned(),
                        path: None,
                        resident_bytes: 90 << 20,
                    },
                    ProcessStatus {
                        pid: 79,
                        kind: "worker".to_owned(),
                        path: Some("/home/me/project/Main.lean".to_owned()),
                        resident_bytes: 400 << 20,
                    },
                    ProcessStatus {
                        pid: 80,
                        kind: "probe server".to_owned(),
                        path: None,
                        resident_bytes: 91 << 20,
                    },
                    ProcessStatus {
                        pid: 1081,
                        kind: "probe worker".to_owned(),
                        path: Some("Main.lean".to_owned()),
                        resident_bytes: 2000 << 20,
                    },
                ],
            }],
            requests: vec![RequestStatus {
                request_id: "r12".to_owned(),
                op: "sync".to_owned(),
                client: Some("lean-beam-mcp 0.1.0".to_owned()),
                root: Some("/home/me/project".to_owned()),
                path: Some("Main.lean".to_owned()),
                age_ms: 3_200,
            }],
        }
    }

    #[test]
    fn everything_that_runs_is_shown() {
        let text = anstream::adapter::strip_str(&status(&example())).to_string();
        insta::assert_snapshot!(text);
    }

    #[test]
    fn an_idle_daemon_says_that_nothing_is_open() {
        let mut idle = example();
        idle.workspaces.clear();
        idle.requests.clear();
        let text = status(&idle);
        assert!(text.contains("No project is open.\n"), "{text}");
        assert!(!text.contains("Requests"), "{text}");
    }
}
