//! What runs, and of which version. Nothing here starts a daemon.

use lean_beam_proto::{
    BUILD, BeamError, ErrorCode, Identity, PROTOCOL, VERSION,
    client::{Connection, Request},
    op::{Empty, Status},
};
use serde::Serialize;

use super::find::{Found, find};
use crate::{
    app::{App, Failure, Outcome},
    exit_code::Exit,
    output::human,
};

/// Shows what the daemon is doing.
pub(super) async fn status(app: &App) -> Outcome {
    match find(&app.connector()?).await? {
        Found::Ours(connection) => full_status(app, connection).await,
        Found::Other(connection) => {
            let status = connection.frozen_status().await?;
            app.output.show(&status, || human::other_daemon(&status))?;
            Ok(Exit::Ok)
        }
        Found::Silent(note) => {
            let who = note.map_or_else(String::new, |note| format!(" (pid {})", note.pid));
            Err(unavailable(format!(
                "a daemon{who} is alive but does not listen: it is starting or stopping"
            ))
            .into())
        }
        Found::Nobody => Err(Failure::Request(
            unavailable("no daemon is running".to_owned())
                .with_hint("`lean-beam serve` starts one, and so does any command that needs it."),
        )),
    }
}

async fn full_status(app: &App, connection: Connection) -> Outcome {
    let request = Request::<Status>::new(Empty {});
    let answer = connection.send(&request).await?.finish().await?;
    app.output
        .show_answer(&answer, || human::status(&answer.output))?;
    if answer.identity.version != VERSION || answer.identity.build != BUILD {
        app.output.remark(&format!(
            "This client is version {VERSION} (build {BUILD}); `lean-beam restart` starts that daemon."
        ));
    }
    Ok(Exit::Ok)
}

/// Shows the version of this program and of the daemon, where one runs.
pub(super) async fn version(app: &App) -> Outcome {
    #[derive(Serialize)]
    struct Version {
        version: &'static str,
        protocol: u32,
        build: &'static str,
        daemon: Option<Identity>,
    }
    let version = Version {
        version: VERSION,
        protocol: PROTOCOL,
        build: BUILD,
        daemon: daemon_identity(app).await,
    };
    app.output.show(&version, || {
        let daemon = match &version.daemon {
            Some(daemon) => human::identity(daemon),
            None => "not running".to_owned(),
        };
        format!("lean-beam {}\ndaemon    {daemon}\n", human::own_version())
    })?;
    Ok(Exit::Ok)
}

/// A daemon that cannot be asked is no reason to keep our own version secret.
async fn daemon_identity(app: &App) -> Option<Identity> {
    match find(&app.connector().ok()?).await.ok()? {
        Found::Ours(connection) | Found::Other(connection) => {
            Some(connection.frozen_status().await.ok()?.identity)
        }
        Found::Silent(_) | Found::Nobody => None,
    }
}

fn unavailable(message: String) -> BeamError {
    BeamError::new(ErrorCode::DaemonUnavailable, message)
}
