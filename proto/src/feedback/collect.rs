//! What lean-beam knows that helps to understand a report: about one project and the daemon, never about
//! another project. Nothing is started for it.

use std::{
    fs::File,
    io::{Read as _, Seek as _, SeekFrom},
    path::Path,
    time::Duration,
};

use serde::Serialize;
use tokio::time::timeout;

use crate::{
    client::{ConnectError, Connection, Connector, Request},
    error::{BeamError, BeamResult},
    incidents::{self, Incident},
    op::{Empty, OpenFile, OpenFiles, Operation, Stats, Status},
    paths,
    status::{DaemonStatus, Limits, WorkspaceStats, WorkspaceStatus},
    version::{BUILD, Identity, PROTOCOL, VERSION},
};

/// How long the daemon may take over each question.
const ANSWER_LIMIT: Duration = Duration::from_secs(5);
/// How much of the end of the log is looked at, in bytes.
const LOG_BYTES: u64 = 256 * 1024;
/// Most lines of the log.
const LOG_LINES: usize = 40;
/// Most records of crashes.
const INCIDENTS: usize = 10;

/// Everything that was collected.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Collected {
    /// The program that makes the report.
    pub(super) program: Program,
    /// The daemon, where one runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) daemon: Option<Daemon>,
    /// The project, where the daemon has it loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) workspace: Option<WorkspaceStatus>,
    /// Its counters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stats: Option<WorkspaceStats>,
    /// Its files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) open_files: Option<Vec<OpenFile>>,
    /// Recent crashes in the project and of the daemon itself, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) incidents: Vec<Incident>,
    /// Recent lines of the log that are about the project, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) log: Vec<String>,
}

/// The program that makes the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Program {
    pub(super) name: String,
    pub(super) version: &'static str,
    pub(super) build: &'static str,
    pub(super) protocol: u32,
    pub(super) system: &'static str,
    pub(super) architecture: &'static str,
}

/// The daemon, without what it does for other projects.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Daemon {
    pub(super) identity: Identity,
    pub(super) uptime_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) runtime_current: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resident_bytes: Option<u64>,
    limits: Limits,
    /// Names of the variables that decide about Lean and are set. Their values stay where they are.
    variables: Vec<String>,
}

impl Program {
    /// This program, which calls itself `name`.
    pub(super) fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            version: VERSION,
            build: BUILD,
            protocol: PROTOCOL,
            system: std::env::consts::OS,
            architecture: std::env::consts::ARCH,
        }
    }
}

/// Collects what there is about the project at `root`, and what kept us from collecting the rest.
pub(super) async fn collect(
    program: Program,
    root: Option<&Path>,
    state_dir: Option<&Path>,
    connector: &Connector,
) -> (Collected, Vec<String>) {
    let root = root.and_then(Path::to_str);
    let mut collected = Collected {
        program,
        daemon: None,
        workspace: None,
        stats: None,
        open_files: None,
        incidents: Vec::new(),
        log: Vec::new(),
    };
    let mut warnings = Vec::new();
    if let Err(error) = ask_daemon(&mut collected, root, connector).await {
        warnings.push(error.message);
    }
    match state_dir {
        Some(state_dir) => {
            collected.incidents = incidents_of(root, state_dir);
            collected.log = log_of(root, &paths::log_file(state_dir));
        }
        None => {
            warnings.push("there is no state directory, so no log and no crash records".to_owned());
        }
    }
    (collected, warnings)
}

async fn ask_daemon(
    collected: &mut Collected,
    root: Option<&str>,
    connector: &Connector,
) -> BeamResult<()> {
    let status = ask::<Status>(connector, None).await?;
    let workspace = status
        .workspaces
        .iter()
        .find(|workspace| Some(workspace.root.as_str()) == root)
        .cloned();
    collected.daemon = Some(Daemon::of(status));
    // Asking about a project that is not loaded would load it.
    let (Some(workspace), Some(root)) = (workspace, root) else {
        return Ok(());
    };
    collected.workspace = Some(workspace);
    let stats = ask::<Stats>(connector, None).await?;
    collected.stats = stats
        .workspaces
        .into_iter()
        .find(|stats| stats.root == root);
    collected.open_files = Some(ask::<OpenFiles>(connector, Some(root)).await?.files);
    Ok(())
}

async fn ask<O: Operation<Params = Empty>>(
    connector: &Connector,
    root: Option<&str>,
) -> BeamResult<O::Output> {
    let answer = async {
        let connection = connect(connector).await?;
        let request = Request::<O>::new(Empty {});
        let request = match root {
            Some(root) => request.in_workspace(root),
            None => request,
        };
        connection.send(&request).await?.finish().await
    };
    match timeout(ANSWER_LIMIT, answer).await {
        Ok(answer) => Ok(answer?.output),
        Err(_elapsed) => Err(BeamError::internal(format!(
            "the daemon did not answer `{}` in {} s, so what it knows is missing",
            O::NAME,
            ANSWER_LIMIT.as_secs()
        ))),
    }
}

async fn connect(connector: &Connector) -> BeamResult<Connection> {
    connector
        .connect_to_running()
        .await
        .map_err(|error| match error {
            ConnectError::Absent => {
                BeamError::internal("no daemon is running, so what it knows is missing")
            }
            other => other.into(),
        })
}

impl Daemon {
    fn of(status: DaemonStatus) -> Self {
        Self {
            identity: status.identity,
            uptime_ms: status.uptime_ms,
            runtime_current: status.runtime_current,
            resident_bytes: status.resident_bytes,
            limits: status.limits,
            variables: status.environment.into_keys().collect(),
        }
    }
}

fn incidents_of(root: Option<&str>, state_dir: &Path) -> Vec<Incident> {
    let mut found = incidents::read(&incidents::directory(state_dir));
    found.retain(|incident| incident.root.is_none() || incident.root.as_deref() == root);
    found.truncate(INCIDENTS);
    found
}

/// The lines that name the project as what they are about. All others may be about another one.
fn log_of(root: Option<&str>, file: &Path) -> Vec<String> {
    let (Some(root), Some(text)) = (root, end_of(file)) else {
        return Vec::new();
    };
    let marker = format!("workspace{{root={root}}}");
    let mut lines: Vec<_> = text
        .lines()
        .rev()
        .filter(|line| line.contains(&marker))
        .take(LOG_LINES)
        .map(str::to_owned)
        .collect();
    lines.reverse();
    lines
}

fn end_of(file: &Path) -> Option<String> {
    let mut file = File::open(file).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(LOG_BYTES)))
        .ok()?;
    let mut bytes = Vec::new();
    file.take(LOG_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn crashes_and_lines_of_other_projects_are_left_alone() {
        let directory = tempfile::tempdir().unwrap();
        let records = incidents::directory(directory.path());
        fs::create_dir_all(&records).unwrap();
        for (time, root) in [(1, "\"/p\""), (2, "\"/secret\""), (3, "null")] {
            let record = format!(
                r#"{{"kind":"panic","time_ms":{time},"version":"1","build":"b","pid":7,"message":"m","root":{root}}}"#
            );
            fs::write(records.join(format!("{time}.json")), record).unwrap();
        }
        let times = |root| {
            let found = incidents_of(root, directory.path());
            found
                .iter()
                .map(|incident| incident.time_ms)
                .collect::<Vec<_>>()
        };
        assert_eq!(times(Some("/p")), [3, 1]);
        assert_eq!(times(None), [3]);

        let log = paths::log_file(directory.path());
        let lines = [
            "INFO workspace{root=/p}: one",
            "INFO workspace{root=/p/inner}: two",
            "INFO workspace{root=/secret}: three",
            "INFO boot: ready",
            "WARN workspace{root=/p}: four",
        ];
        fs::write(&log, lines.join("\n")).unwrap();
        assert_eq!(log_of(Some("/p"), &log), [lines[0], lines[4]]);
        assert_eq!(log_of(None, &log), Vec::<String>::new());
        assert_eq!(
            log_of(Some("/p"), Path::new("/nonexistent")),
            Vec::<String>::new()
        );
    }
}
