//! The programs of this installation, and the daemon that runs.

use std::path::Path;

use lean_beam_proto::{
    BUILD, PROTOCOL, VERSION,
    client::{Connector, FrozenStatus, Request},
    op::{Empty, Status},
    status::{DaemonStatus, SessionState},
};
use serde_json::json;

use super::{ask::ask, finding::Finding};
use crate::{
    app::App,
    commands::{find::Found, mcp_check::MCP_PROGRAM},
    output::human::{self, words},
};

const PROGRAMS: &str = "programs";
const DAEMON: &str = "daemon";
const WORKSPACES: &str = "workspaces";
const RESTART: &str = "lean-beam restart";

/// Looks whether the programs are there and of one version.
pub(super) async fn programs(app: &App) -> Finding {
    let reinstall = "Install lean-beam again, so that its three programs are of one version.";
    // Which program would be started does not depend on where the socket is.
    let daemon = match app.connector().and_then(|connector| program_of(&connector)) {
        Ok(program) => program,
        Err(error) => return Finding::problem(PROGRAMS, error.message).remedy(reinstall),
    };
    let wanted = format!("{VERSION} ({BUILD})");
    let answer = ask(&daemon, ["--version"], Path::new("/")).await;
    let version = match answer {
        Ok(text) => text
            .trim()
            .rsplit_once("daemon ")
            .map_or(text.trim().to_owned(), |(_, version)| version.to_owned()),
        Err(fault) => return Finding::problem(PROGRAMS, fault).remedy(reinstall),
    };
    let data = json!({ "version": VERSION, "build": BUILD, "protocol": PROTOCOL, "daemon_program": daemon });
    if version != wanted {
        let message = format!(
            "this program is {wanted}, {} is {version}",
            daemon.display()
        );
        return Finding::warning(PROGRAMS, message)
            .remedy(reinstall)
            .data(data);
    }
    if !daemon.with_file_name(MCP_PROGRAM).is_file() {
        let message = format!("there is no {MCP_PROGRAM} beside {}", daemon.display());
        return Finding::warning(PROGRAMS, message)
            .remedy(reinstall)
            .data(data);
    }
    let place = daemon.parent().unwrap_or(&daemon).display();
    Finding::ok(PROGRAMS, format!("lean-beam {wanted} in {place}")).data(data)
}

fn program_of(connector: &Connector) -> Result<std::path::PathBuf, lean_beam_proto::BeamError> {
    connector.daemon_program()
}

/// Asks the daemon that was found how it is.
pub(super) async fn examine(found: Found) -> Vec<Finding> {
    match found {
        Found::Nobody => vec![Finding::ok(
            DAEMON,
            "not running; the first command that needs it starts it",
        )],
        // The socket's finding says it all.
        Found::Silent(_) => Vec::new(),
        Found::Other(connection) => match connection.frozen_status().await {
            Ok(status) => vec![other_protocol(&status)],
            Err(error) => vec![unwell(&error.message)],
        },
        Found::Ours(connection) => {
            let request = Request::<Status>::new(Empty {});
            let answer = async { connection.send(&request).await?.finish().await };
            match answer.await {
                Ok(answer) => judge(&answer.output),
                Err(error) => vec![unwell(&error.message)],
            }
        }
    }
}

fn other_protocol(status: &FrozenStatus) -> Finding {
    let message = format!(
        "lean-beam {} is running and speaks another protocol than this program ({PROTOCOL})",
        human::identity(&status.identity)
    );
    Finding::warning(DAEMON, message)
        .remedy("It is replaced by the next command once it is idle; `lean-beam restart` replaces it now.")
        .run(RESTART)
        .data(json!({ "identity": status.identity, "busy": status.busy }))
}

fn unwell(message: &str) -> Finding {
    Finding::problem(
        DAEMON,
        format!("the daemon does not answer as it should: {message}"),
    )
    .remedy("`lean-beam restart` replaces it.")
    .run(RESTART)
}

fn judge(status: &DaemonStatus) -> Vec<Finding> {
    let mut findings = vec![version(status)];
    findings.extend(status.workspaces.iter().filter_map(|workspace| {
        let trouble = match workspace.state {
            SessionState::Crashed => "its Lean has crashed",
            SessionState::GivenUp => "its Lean crashed too often and is left alone for a while",
            _ => return None,
        };
        let reason = workspace.reason.as_deref().unwrap_or("no reason is known");
        let message = format!("{}: {trouble} ({reason})", workspace.root);
        let line = format!(
            "lean-beam drop --root {}",
            super::quoted(Path::new(&workspace.root))
        );
        Some(
            Finding::warning(WORKSPACES, message)
                .remedy(format!(
                    "Mend the reason, then `{line}`: the next request starts Lean anew."
                ))
                .run(line),
        )
    }));
    findings
}

fn version(status: &DaemonStatus) -> Finding {
    let identity = human::identity(&status.identity);
    let data = json!({
        "identity": status.identity, "program": status.program, "runtime_current": status.runtime_current,
        "busy": status.busy, "limits": status.limits, "environment": status.environment,
        "resident_bytes": status.resident_bytes,
    });
    let is_ours = status.identity.version == VERSION && status.identity.build == BUILD;
    let outdated = if status.runtime_current == Some(false) {
        Some("its program has been replaced since it started")
    } else if !is_ours {
        Some("it is of another version than this program")
    } else {
        None
    };
    if let Some(why) = outdated {
        return Finding::warning(DAEMON, format!("lean-beam {identity} is running; {why}"))
            .remedy("`lean-beam restart` takes the installed one. Agents go on: their next call finds the new daemon.")
            .run(RESTART)
            .data(data);
    }
    let limits = &status.limits;
    let message = format!(
        "lean-beam {identity} is running; it leaves after {} without use, projects after {}",
        words::millis(limits.daemon_idle_ms),
        words::millis(limits.workspace_idle_ms)
    );
    Finding::ok(DAEMON, message).data(data)
}
