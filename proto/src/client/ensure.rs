//! Making sure that a daemon of our protocol is there.
//!
//! Two locks keep a user to one daemon (see [`crate::lock`]). A client that finds nobody takes the start
//! lock, so that of many clients at once only one starts a daemon; the others connect to that one. The
//! daemon holds the life lock, which alone decides whether one is alive: a socket file proves nothing.

use std::{
    io,
    path::{Path, PathBuf},
    process,
    time::Duration,
};

use tokio::time::{Instant, sleep};

use super::{
    call::Call,
    connect::{ConnectError, Connection, Connector},
    request::Request,
    start::{find_program, start_daemon},
};
use crate::{
    error::{BeamError, BeamResult, ErrorCode},
    lock::{LifeNote, LockFile, TryLock},
    op::Operation,
    paths::RuntimeDir,
    ready::ReadyLine,
    version::VERSION,
};

/// Longest wait for another client that is starting the daemon.
const START_LOCK_LIMIT: Duration = Duration::from_secs(30);
/// Longest wait for a daemon that lives but does not listen: it is starting, or on its way out.
const SETTLE_LIMIT: Duration = Duration::from_secs(10);
/// Longest wait for a daemon of another protocol that was told to stop.
const REPLACE_LIMIT: Duration = Duration::from_secs(15);
/// How often locks and sockets are looked at; there is no way to be told.
const POLL: Duration = Duration::from_millis(20);
/// How often a start may turn out to have been overtaken by somebody else's.
const ATTEMPTS: usize = 5;

/// Waits until no daemon lives in `runtime_dir`; false when one still does after `limit`.
///
/// # Errors
/// The life lock cannot be looked at.
pub async fn wait_until_gone(runtime_dir: &RuntimeDir, limit: Duration) -> io::Result<bool> {
    let life_lock = runtime_dir.life_lock();
    let end = Instant::now() + limit;
    while LockFile::is_held(&life_lock)? {
        if Instant::now() >= end {
            return Ok(false);
        }
        sleep(POLL).await;
    }
    Ok(true)
}

impl Connector {
    /// Connects, after starting the daemon where none is there. An idle daemon of another protocol is
    /// replaced.
    ///
    /// # Errors
    /// `daemonUnavailable` when none can be reached or started, `protocolMismatch` when one of another
    /// protocol is busy, or the reason that the daemon itself gave for not starting.
    pub async fn ensure(&self) -> BeamResult<Connection> {
        if let Some(connection) = self.connect_if_there().await? {
            return Ok(connection);
        }
        self.runtime_dir().ensure()?;
        match self.take_start_lock().await? {
            Turn::Connected(connection) => Ok(*connection),
            Turn::Ours(start_lock) => {
                let outcome = self.establish().await;
                drop(start_lock);
                outcome
            }
        }
    }

    /// Sends `request` to a daemon that is started where needed, and waits for its first line.
    ///
    /// A daemon that leaves before it has said anything has done nothing, so the request then goes to
    /// its successor.
    ///
    /// # Errors
    /// As [`Connector::ensure`] and [`Connection::send`].
    pub async fn call<O: Operation>(&self, request: &Request<O>) -> BeamResult<Call<O>> {
        let mut call = self.ensure().await?.send(request).await?;
        match call.raw_mut().wait_for_first_line().await {
            Err(error)
                if error.code == ErrorCode::DaemonUnavailable && !call.raw_mut().was_answered() =>
            {
                self.ensure().await?.send(request).await
            }
            Err(error) => Err(error),
            Ok(()) => Ok(call),
        }
    }

    /// The program that is started where no daemon is there.
    ///
    /// # Errors
    /// `daemonUnavailable` when there is none, with the places that were looked at.
    pub fn daemon_program(&self) -> BeamResult<PathBuf> {
        match self.program() {
            Some(program) => Ok(program.to_owned()),
            None => find_program(),
        }
    }

    /// `None` when nobody is there; any other failure forbids a start.
    async fn connect_if_there(&self) -> BeamResult<Option<Connection>> {
        match self.connect().await {
            Ok(connection) => Ok(Some(connection)),
            Err(ConnectError::Absent) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Waits for the right to start a daemon, or for the daemon that somebody else starts.
    async fn take_start_lock(&self) -> BeamResult<Turn> {
        let path = self.runtime_dir().start_lock();
        let end = Instant::now() + START_LOCK_LIMIT;
        loop {
            match LockFile::try_acquire(&path).map_err(|error| self.lock_failed(&path, &error))? {
                TryLock::Acquired(lock) => return Ok(Turn::Ours(self.sign(lock))),
                TryLock::Held if Instant::now() >= end => return Err(start_lock_taken(&path)),
                TryLock::Held => sleep(POLL).await,
            }
            if let Some(connection) = self.connect_if_there().await? {
                return Ok(Turn::Connected(Box::new(connection)));
            }
        }
    }

    /// Notes who holds the start lock. The note is only for people, so failing to write it is no harm.
    fn sign(&self, mut lock: LockFile) -> LockFile {
        let note = LifeNote {
            pid: process::id(),
            protocol: self.protocol(),
            version: VERSION.to_owned(),
        };
        let _unsigned = lock.write_note(&note);
        lock
    }

    /// Gets a daemon to listen, while we hold the start lock.
    async fn establish(&self) -> BeamResult<Connection> {
        for _ in 0..ATTEMPTS {
            if let Some(connection) = self.connect_if_there().await? {
                return Ok(connection);
            }
            if self.somebody_lives()? {
                match self.wait_for_neighbour().await? {
                    Some(connection) => return Ok(connection),
                    None => continue,
                }
            }
            self.start().await?;
        }
        Err(self.no_listener())
    }

    /// Starts the program. A daemon that finds another one alive leaves: the next look will find that one.
    async fn start(&self) -> BeamResult<()> {
        let program = self.daemon_program()?;
        match start_daemon(&program, self.variables()).await? {
            ReadyLine::Ready(_) | ReadyLine::AlreadyRunning => Ok(()),
            ReadyLine::Failed(error) => Err(error),
        }
    }

    /// A daemon lives but does not listen on our socket. It is of another protocol, or starting, or
    /// leaving. `None`: it is gone.
    async fn wait_for_neighbour(&self) -> BeamResult<Option<Connection>> {
        let end = Instant::now() + SETTLE_LIMIT;
        loop {
            if let Some(connection) = self.connect_if_there().await? {
                return Ok(Some(connection));
            }
            if !self.somebody_lives()? {
                return Ok(None);
            }
            let mut last_error = self.no_listener();
            if let Some(connection) = self.connect_to_other_protocol().await {
                match self.replace(connection).await {
                    Ok(()) => return Ok(None),
                    // It hung up on us, so it is probably leaving.
                    Err(error) if error.code == ErrorCode::DaemonUnavailable => last_error = error,
                    Err(error) => return Err(error),
                }
            }
            if Instant::now() >= end {
                return Err(last_error);
            }
            sleep(POLL).await;
        }
    }

    /// The socket of another protocol at which somebody listens.
    async fn connect_to_other_protocol(&self) -> Option<Connection> {
        for (protocol, _socket) in self.runtime_dir().sockets() {
            if protocol == self.protocol() {
                continue;
            }
            if let Ok(connection) = self.clone().with_protocol(protocol).connect().await {
                return Some(connection);
            }
        }
        None
    }

    /// Stops an idle daemon of another protocol and waits until it is gone.
    async fn replace(&self, connection: Connection) -> BeamResult<()> {
        let theirs = self.clone().with_protocol(connection.protocol);
        let status = connection.frozen_status().await?;
        if status.busy {
            return Err(self.mismatch(theirs.protocol()));
        }
        match theirs.connect().await {
            Ok(connection) => match connection.frozen_shutdown(true).await {
                Err(error) if error.code == ErrorCode::ResourceExhausted => {
                    return Err(self.mismatch(theirs.protocol()));
                }
                outcome => outcome.map(drop)?,
            },
            // It has left in the meantime.
            Err(ConnectError::Absent) => {}
            Err(error) => return Err(error.into()),
        }
        match wait_until_gone(self.runtime_dir(), REPLACE_LIMIT).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(self.no_listener()),
            Err(error) => Err(self.lock_failed(&self.runtime_dir().life_lock(), &error)),
        }
    }

    fn somebody_lives(&self) -> BeamResult<bool> {
        let path = self.runtime_dir().life_lock();
        LockFile::is_held(&path).map_err(|error| self.lock_failed(&path, &error))
    }

    fn lock_failed(&self, path: &Path, error: &io::Error) -> BeamError {
        BeamError::new(
            ErrorCode::DaemonUnavailable,
            format!("cannot use the lock {}: {error}", path.display()),
        )
        .with_hint(format!(
            "{} must be on a local file system on which you may write and lock files.",
            self.runtime_dir().path().display()
        ))
    }

    fn mismatch(&self, theirs: u32) -> BeamError {
        BeamError::new(
            ErrorCode::ProtocolMismatch,
            format!(
                "the running daemon speaks protocol {theirs}, this client protocol {}, and the daemon is busy",
                self.protocol()
            ),
        )
        .with_hint("Wait until it is idle, or stop it with `lean-beam stop`; the next command then starts the right one.")
        .with_data(serde_json::json!({ "client": self.protocol(), "daemon": theirs }))
    }

    fn no_listener(&self) -> BeamError {
        let socket = self.runtime_dir().socket_of(self.protocol());
        let life_lock = self.runtime_dir().life_lock();
        let who = match LockFile::read_note(&life_lock) {
            Some(note) => format!("a daemon (version {}, pid {})", note.version, note.pid),
            None => "a daemon".to_owned(),
        };
        BeamError::new(
            ErrorCode::DaemonUnavailable,
            format!("{who} is alive but does not listen on {}", socket.display()),
        )
        .with_hint(
            "It may be starting or stopping: try again. If it stays like this, end that process.",
        )
    }
}

/// How the wait for the start lock ended.
enum Turn {
    /// We hold it.
    Ours(LockFile),
    /// Whoever holds it has made a daemon listen.
    Connected(Box<Connection>),
}

fn start_lock_taken(path: &Path) -> BeamError {
    let who = match LockFile::read_note(path) {
        Some(note) => format!("process {}", note.pid),
        None => "another process".to_owned(),
    };
    BeamError::new(
        ErrorCode::DaemonUnavailable,
        format!(
            "{who} has been starting the daemon for over {} s and holds {}",
            START_LOCK_LIMIT.as_secs(),
            path.display()
        ),
    )
    .with_hint("End that process if it hangs, then try again.")
}

#[cfg(test)]
mod tests;
