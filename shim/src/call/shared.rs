//! What all calls of this process share.

use std::{
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::{SystemTime, UNIX_EPOCH},
};

use lean_beam_proto::{
    BeamError, BeamResult, ClientInfo,
    client::{ConnectError, Connection, Connector},
    paths::RuntimeDir,
};
use tokio::sync::{Semaphore, SemaphorePermit};

use super::{installed::RunningProgram, output::Output};
use crate::protocol::{LogLevel, SERVER_NAME};

/// Most connections to the daemon at once; more calls wait. Each takes a file descriptor on both ends.
const MAX_CONNECTIONS: usize = 128;

/// What all calls share.
#[derive(Debug)]
pub(crate) struct Shared {
    /// Where notifications go.
    pub(crate) output: Output,
    /// The program file of this process.
    pub(super) program: RunningProgram,
    /// When this process started, in milliseconds since the Unix epoch.
    pub(super) started_ms: u64,
    connector: OnceLock<BeamResult<Connector>>,
    /// Index of the connection's log level in [`LogLevel::ALL`].
    level: AtomicUsize,
    slots: Semaphore,
}

impl Shared {
    /// To be called at the start of the process. Without a runtime directory the environment's is used.
    pub(crate) fn new(output: Output, runtime_dir: Option<RuntimeDir>) -> Self {
        let since_epoch = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Self {
            output,
            program: RunningProgram::of_this_process(),
            started_ms: u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX),
            connector: runtime_dir.map_or_else(OnceLock::new, |runtime_dir| {
                OnceLock::from(Ok(Connector::at(runtime_dir, client())))
            }),
            level: AtomicUsize::new(0),
            slots: Semaphore::new(MAX_CONNECTIONS),
        }
    }

    /// The connection's log level changes.
    pub(crate) fn set_session_level(&self, level: LogLevel) {
        self.level.store(level as usize, Ordering::Relaxed);
    }

    /// The connection's log level, `debug` until it is set.
    pub(super) fn session_level(&self) -> LogLevel {
        let index = self.level.load(Ordering::Relaxed);
        LogLevel::ALL.get(index).copied().unwrap_or(LogLevel::Debug)
    }

    /// The way to the daemon.
    ///
    /// # Errors
    /// The environment names an impossible runtime directory.
    pub(super) fn connector(&self) -> BeamResult<&Connector> {
        self.connector
            .get_or_init(|| Connector::new(client()))
            .as_ref()
            .map_err(BeamError::clone)
    }

    /// A connection to a daemon that is there already.
    ///
    /// # Errors
    /// One is there but cannot be reached.
    pub(super) async fn connect_if_there(&self) -> BeamResult<Option<Connection>> {
        match self.connector()?.connect_to_running().await {
            Ok(connection) => Ok(Some(connection)),
            Err(ConnectError::Absent) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The right to open a connection.
    pub(super) async fn slot(&self) -> BeamResult<SemaphorePermit<'_>> {
        self.slots
            .acquire()
            .await
            .map_err(|closed| BeamError::internal(closed.to_string()))
    }
}

fn client() -> ClientInfo {
    ClientInfo::named(SERVER_NAME)
}
