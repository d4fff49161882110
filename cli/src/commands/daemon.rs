//! Starting and stopping the daemon.

use std::{
    ffi::OsStr, os::unix::process::CommandExt as _, path::Path, process::Command, time::Duration,
};

use lean_beam_proto::{
    BeamError, ErrorCode, Identity,
    client::{Connector, wait_until_gone},
    lock::LifeNote,
};
use nix::{sys::signal::kill, unistd::Pid};
use serde::Serialize;
use tokio::time::{Instant, sleep};

use super::find::{Found, find};
use crate::{
    app::{App, Failure, Outcome},
    exit_code::Exit,
    output::human,
};

/// A stopping daemon needs some seconds to end Lean; after this it is stuck.
const STOP_LIMIT: Duration = Duration::from_secs(20);
/// How long a daemon that lives but does not listen may take to start doing so.
const SETTLE_LIMIT: Duration = Duration::from_secs(5);
/// How long a daemon that has given everything back may take to be gone.
const EXIT_LIMIT: Duration = Duration::from_secs(2);
/// How often a daemon that does not listen is looked for.
const POLL: Duration = Duration::from_millis(50);

/// That the daemon is ready.
#[derive(Debug, Serialize)]
struct Served<'a> {
    ready: bool,
    /// False when it was running before.
    started: bool,
    identity: Identity,
    socket: &'a Path,
}

/// What came of stopping.
#[derive(Debug, Serialize)]
pub(super) struct Stopped {
    stopped: bool,
    was_running: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    identity: Option<Identity>,
}

/// Starts the daemon where it is absent and says where it listens.
pub(super) async fn serve(app: &App) -> Outcome {
    let connector = app.connector()?;
    let was_running = matches!(find(&connector).await?, Found::Ours(_));
    let mut progress = app.output.progress("starting the daemon");
    let connection = progress.during(connector.ensure()).await?;
    let identity = connection.frozen_status().await?.identity;
    drop(progress);
    let socket = connector.runtime_dir().socket();
    let served = Served {
        ready: true,
        started: !was_running,
        identity,
        socket: &socket,
    };
    app.output.show(&served, || {
        human::served(&served.identity, &socket, served.started)
    })?;
    Ok(Exit::Ok)
}

/// Becomes the daemon. Returns only when that fails.
pub(super) async fn serve_in_foreground(app: &App) -> Outcome {
    let connector = app.connector()?;
    if let Found::Ours(connection) | Found::Other(connection) = find(&connector).await? {
        let status = connection.frozen_status().await?;
        return Err(Failure::Request(already_running(&status.identity)));
    }
    let program = connector.daemon_program()?;
    Err(Failure::Request(replace_this_process(
        &program,
        ["--foreground"],
    )))
}

/// Stops whatever daemon there is and waits until it is gone.
pub(super) async fn stop(app: &App) -> Outcome {
    let stopped = stop_daemon(app, &app.connector()?).await?;
    app.output.show(&stopped, || match &stopped.identity {
        Some(identity) => format!("stopped lean-beam {}\n", human::identity(identity)),
        None if stopped.was_running => "the daemon has stopped\n".to_owned(),
        None => "no daemon is running\n".to_owned(),
    })?;
    Ok(Exit::Ok)
}

/// Stops the daemon and starts a new one.
pub(super) async fn restart(app: &App) -> Outcome {
    stop_daemon(app, &app.connector()?).await?;
    serve(app).await
}

/// Stops the daemon of `connector` and waits until it is gone.
pub(super) async fn stop_daemon(app: &App, connector: &Connector) -> Result<Stopped, BeamError> {
    let mut progress = app.output.progress("stopping the daemon");
    let identity = match progress.during(settle(connector)).await? {
        Found::Nobody => {
            return Ok(Stopped {
                stopped: true,
                was_running: false,
                identity: None,
            });
        }
        Found::Silent(note) => return Err(silent(note.as_ref())),
        Found::Ours(connection) | Found::Other(connection) => {
            progress.during(connection.frozen_shutdown(false)).await
        }
    };
    let identity = match identity {
        Ok(identity) => Some(identity),
        // It left before it had answered; the lock tells whether it is gone.
        Err(error) if error.code == ErrorCode::DaemonUnavailable => None,
        Err(error) => return Err(error),
    };
    let gone = progress.during(wait_until_gone(connector.runtime_dir(), STOP_LIMIT));
    match gone.await {
        Ok(true) => {
            if let Some(identity) = &identity {
                wait_for_exit(identity.pid).await;
            }
            Ok(Stopped {
                stopped: true,
                was_running: true,
                identity,
            })
        }
        Ok(false) => Err(still_there(identity.as_ref())),
        Err(error) => Err(BeamError::internal(format!(
            "cannot look at the lock: {error}"
        ))),
    }
}

/// The last thing that a daemon gives back is its lock. Gives its process the moment that it needs after that.
async fn wait_for_exit(pid: u32) {
    let Ok(pid) = i32::try_from(pid).map(Pid::from_raw) else {
        return;
    };
    let end = Instant::now() + EXIT_LIMIT;
    while kill(pid, None).is_ok() && Instant::now() < end {
        sleep(POLL).await;
    }
}

/// Gives a daemon that is just starting or stopping a moment to do so.
async fn settle(connector: &Connector) -> Result<Found, BeamError> {
    let end = Instant::now() + SETTLE_LIMIT;
    loop {
        match find(connector).await? {
            Found::Silent(_) if Instant::now() < end => sleep(POLL).await,
            found => return Ok(found),
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "no child is started: this very process becomes the other program"
)]
pub(super) fn replace_this_process<A: AsRef<OsStr>>(
    program: &Path,
    arguments: impl IntoIterator<Item = A>,
) -> BeamError {
    let error = Command::new(program).args(arguments).exec();
    BeamError::new(
        ErrorCode::DaemonUnavailable,
        format!("cannot start {}: {error}", program.display()),
    )
}

fn already_running(identity: &Identity) -> BeamError {
    BeamError::new(
        ErrorCode::DaemonUnavailable,
        format!(
            "a daemon is already running: lean-beam {}",
            human::identity(identity)
        ),
    )
    .with_hint("Stop it first: `lean-beam stop`.")
}

fn silent(note: Option<&LifeNote>) -> BeamError {
    let who = match note {
        Some(note) => format!("a daemon (pid {}, version {})", note.pid, note.version),
        None => "a daemon".to_owned(),
    };
    BeamError::new(
        ErrorCode::DaemonUnavailable,
        format!("{who} is alive but does not answer"),
    )
    .with_hint("If it stays like this, end that process: its Lean processes end with it.")
}

fn still_there(identity: Option<&Identity>) -> BeamError {
    let who = match identity {
        Some(identity) => format!("the daemon (pid {})", identity.pid),
        None => "the daemon".to_owned(),
    };
    BeamError::new(
        ErrorCode::DaemonUnavailable,
        format!(
            "{who} was told to stop but is still there after {} s",
            STOP_LIMIT.as_secs()
        ),
    )
    .with_hint("`lean-beam logs` may say what it waits for; `lean-beam status` names its process.")
}
