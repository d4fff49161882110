//! `status --watch`: what the daemon is doing, again and again. It starts no daemon and keeps none from leaving.

use std::{
    io,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use lean_beam_proto::{
    BeamError, ErrorCode,
    client::{Connector, Request},
    op::{Empty, Operation, Stats, Status},
    status::{DaemonStatus, StatsResult},
};
use serde::Serialize;
use tokio::time::{Instant, sleep_until, timeout};

use super::find::{Found, find};
use crate::{
    app::{App, Outcome},
    args::StatusArgs,
    exit_code::Exit,
    output::{Screen, human},
};

/// How long the daemon may take over one look.
const LOOK_LIMIT: Duration = Duration::from_secs(5);

/// What one look has found.
#[derive(Debug, Serialize)]
pub(crate) struct Look {
    /// When, in milliseconds since the Unix epoch.
    pub(crate) time_ms: u64,
    /// Whether a daemon of our protocol runs and answers.
    pub(crate) running: bool,
    /// Why it could not be asked, where one is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) trouble: Option<String>,
    /// What it is doing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<DaemonStatus>,
    /// What it has counted, lanes among it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stats: Option<StatsResult>,
}

/// Shows one look after the other, until a signal comes, nobody reads the output any more, or as often as asked.
pub(super) async fn watch(app: &App, args: &StatusArgs) -> Outcome {
    let connector = app.connector()?;
    let mut screen = app.output.screen()?;
    let mut left = args.times;
    loop {
        let next = Instant::now() + args.interval;
        let look = Look::at(&connector).await;
        show(&mut screen, &look, args.interval)?;
        left = left.map(|left| left.saturating_sub(1));
        if left == Some(0) {
            return Ok(Exit::Ok);
        }
        sleep_until(next).await;
    }
}

fn show(screen: &mut Screen, look: &Look, interval: Duration) -> io::Result<()> {
    screen.show(look, || human::look(look, interval))
}

impl Look {
    async fn at(connector: &Connector) -> Self {
        let since_epoch = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let mut look = Self {
            time_ms: u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX),
            running: false,
            trouble: None,
            status: None,
            stats: None,
        };
        match timeout(LOOK_LIMIT, ask(connector)).await {
            Ok(Ok(Some((status, stats)))) => {
                look.running = true;
                look.status = Some(status);
                look.stats = stats;
            }
            Ok(Ok(None)) => {}
            Ok(Err(error)) => look.trouble = Some(error.message),
            Err(_elapsed) => {
                look.trouble = Some(format!(
                    "the daemon does not answer (waited {} s)",
                    LOOK_LIMIT.as_secs()
                ));
            }
        }
        look
    }
}

/// `None` without a daemon.
async fn ask(
    connector: &Connector,
) -> Result<Option<(DaemonStatus, Option<StatsResult>)>, BeamError> {
    let status = match find(connector).await? {
        Found::Ours(connection) => {
            let request = Request::<Status>::new(Empty {});
            connection.send(&request).await?.finish().await?.output
        }
        Found::Other(connection) => {
            let identity = connection.frozen_status().await?.identity;
            return Err(unavailable(format!(
                "a daemon of another version runs: lean-beam {}",
                human::identity(&identity)
            )));
        }
        Found::Silent(_) => {
            return Err(unavailable(
                "a daemon is alive but does not listen: it is starting or stopping".to_owned(),
            ));
        }
        Found::Nobody => return Ok(None),
    };
    // One that left between the two questions has still answered the first.
    Ok(Some((status, counters(connector).await.ok())))
}

async fn counters(connector: &Connector) -> Result<<Stats as Operation>::Output, BeamError> {
    let connection = connector.connect_to_running().await?;
    let request = Request::<Stats>::new(Empty {});
    Ok(connection.send(&request).await?.finish().await?.output)
}

fn unavailable(message: String) -> BeamError {
    BeamError::new(ErrorCode::DaemonUnavailable, message)
}
