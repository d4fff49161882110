//! The runtime directory and the socket in it.

use lean_beam_proto::{
    BeamError, ClientInfo,
    client::{ConnectError, Connector},
    lock::LockFile,
    paths::{RUNTIME_DIR_VARIABLE, RuntimeDir, RuntimeDirError},
};
use serde_json::json;

use super::finding::Finding;
use crate::commands::find::{Found, find};

const DIRECTORY: &str = "runtime_directory";
const SOCKET: &str = "socket";

/// What is known of the way to the daemon.
#[derive(Debug)]
pub(super) struct Examined {
    /// What to say.
    pub(super) findings: Vec<Finding>,
    /// Whoever answers there, where looking was possible.
    pub(super) found: Option<Found>,
}

/// Looks at the directory, then knocks.
pub(super) async fn examine() -> Examined {
    let runtime_dir = match RuntimeDir::locate() {
        Ok(runtime_dir) => runtime_dir,
        Err(error) => {
            return Examined {
                findings: vec![refused(error)],
                found: None,
            };
        }
    };
    let directory = directory(&runtime_dir);
    if directory.state == super::finding::State::Problem {
        return Examined {
            findings: vec![directory],
            found: None,
        };
    }
    let connector = Connector::at(runtime_dir, ClientInfo::named("lean-beam"));
    let (socket, found) = socket(&connector).await;
    Examined {
        findings: vec![directory, socket],
        found,
    }
}

fn directory(runtime_dir: &RuntimeDir) -> Finding {
    let path = runtime_dir.path();
    let data = json!({ "path": path, "socket": runtime_dir.socket() });
    match runtime_dir.check() {
        Ok(()) => Finding::ok(DIRECTORY, format!("{} is private", path.display())).data(data),
        Err(RuntimeDirError::Io { source, .. })
            if source.kind() == std::io::ErrorKind::NotFound =>
        {
            Finding::ok(
                DIRECTORY,
                format!("{} will be made when it is needed", path.display()),
            )
            .data(data)
        }
        Err(error) => refused(error),
    }
}

fn refused(error: RuntimeDirError) -> Finding {
    let run = match &error {
        RuntimeDirError::TooOpen { path, .. } => Some(format!("chmod 700 {}", super::quoted(path))),
        _ => None,
    };
    let error = BeamError::from(error);
    let finding = Finding::problem(DIRECTORY, error.message)
        .remedy(error.hint.unwrap_or_default())
        .data(json!({ "variable": RUNTIME_DIR_VARIABLE }));
    match run {
        Some(line) => finding.run(line),
        None => finding,
    }
}

async fn socket(connector: &Connector) -> (Finding, Option<Found>) {
    let socket = connector.runtime_dir().socket();
    let shown = socket.display();
    // A blocked socket is told apart from an absent one before anything else is asked.
    if let Err(error @ ConnectError::Blocked { .. }) = connector.connect_to_running().await {
        return (blocked(error, connector), None);
    }
    match find(connector).await {
        Ok(found @ (Found::Ours(_) | Found::Other(_))) => (
            Finding::ok(SOCKET, format!("a daemon answers on {shown}")),
            Some(found),
        ),
        Ok(found @ Found::Nobody) => (
            Finding::ok(SOCKET, format!("nobody listens on {shown} yet")),
            Some(found),
        ),
        Ok(found @ Found::Silent(_)) => (silent(connector), Some(found)),
        Err(error) => {
            let finding = Finding::problem(SOCKET, error.message.clone())
                .remedy(error.hint.clone().unwrap_or_else(|| {
                    "End that process, or set LEAN_BEAM_RUNTIME_DIR to another directory."
                        .to_owned()
                }))
                .data(json!({ "socket": socket }));
            (finding, None)
        }
    }
}

fn blocked(error: ConnectError, connector: &Connector) -> Finding {
    let directory = connector.runtime_dir().path().to_owned();
    let error = BeamError::from(error);
    Finding::problem(SOCKET, error.message)
        .remedy(error.hint.unwrap_or_default())
        .data(json!({ "allow": directory, "socket": connector.runtime_dir().socket() }))
}

fn silent(connector: &Connector) -> Finding {
    let note = LockFile::read_note(&connector.runtime_dir().life_lock());
    let who = note.as_ref().map_or_else(
        || "a daemon".to_owned(),
        |note| format!("a daemon (pid {}, version {})", note.pid, note.version),
    );
    Finding::problem(SOCKET, format!("{who} is alive but does not listen"))
        .remedy("It may be starting or stopping: look again. If it stays like this, end that process; its Lean processes end with it.")
        .data(json!({ "pid": note.map(|note| note.pid) }))
}
