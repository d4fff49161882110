//! Finding whatever daemon there is, without starting one.

use lean_beam_proto::{
    BeamError,
    client::{ConnectError, Connection, Connector},
    lock::{LifeNote, LockFile},
};

/// What was found.
#[derive(Debug)]
pub(super) enum Found {
    /// A daemon of our protocol.
    Ours(Connection),
    /// A daemon of another protocol.
    Other(Connection),
    /// One is alive but listens nowhere: it is starting, stopping or stuck.
    Silent(Option<LifeNote>),
    /// There is none.
    Nobody,
}

/// Looks at the life lock, then at our socket and at those of other protocols. Where nobody lives no socket is
/// touched: it may be a service manager's, which would start a daemon.
///
/// # Errors
/// Something keeps us from the socket or the lock.
pub(super) async fn find(connector: &Connector) -> Result<Found, BeamError> {
    match connector.connect_to_running().await {
        Ok(connection) => return Ok(Found::Ours(connection)),
        Err(ConnectError::Absent) => {}
        Err(error) => return Err(name_the_process(error.into(), connector)),
    }
    let life_lock = connector.runtime_dir().life_lock();
    match LockFile::is_held(&life_lock) {
        Ok(true) => {}
        Ok(false) => return Ok(Found::Nobody),
        Err(error) => {
            return Err(BeamError::internal(format!(
                "cannot look at the lock {}: {error}",
                life_lock.display()
            )));
        }
    }
    for (protocol, _socket) in connector.runtime_dir().sockets() {
        if let Ok(connection) = connector.clone().with_protocol(protocol).connect().await {
            return Ok(Found::Other(connection));
        }
    }
    Ok(Found::Silent(LockFile::read_note(&life_lock)))
}

/// A daemon that cannot be talked to can still be ended by hand.
fn name_the_process(mut error: BeamError, connector: &Connector) -> BeamError {
    let life_lock = connector.runtime_dir().life_lock();
    if LockFile::is_held(&life_lock).unwrap_or(false)
        && let Some(note) = LockFile::read_note(&life_lock)
    {
        let process = format!("Its process is {} (version {}).", note.pid, note.version);
        error.hint = Some(match error.hint {
            Some(hint) => format!("{hint} {process}"),
            None => process,
        });
    }
    error
}
