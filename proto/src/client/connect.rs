//! Reaching a daemon that is there, and saying precisely why not when it cannot be reached.

use std::{
    ffi::{OsStr, OsString},
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use interprocess::{
    ConnectWaitMode,
    local_socket::{ConnectOptions, GenericFilePath, ToFsName as _, tokio::Stream},
};
use tokio::time::{Instant, sleep, timeout_at};

use crate::{
    error::{BeamError, BeamResult, ErrorCode},
    lock::LockFile,
    paths::{RUNTIME_DIR_VARIABLE, RuntimeDir, RuntimeDirError},
    version::{ClientInfo, PROTOCOL},
};

/// A daemon that accepts nobody for this long is busy beyond use, or stuck.
const CONNECT_LIMIT: Duration = Duration::from_secs(2);
/// Pause before knocking again while the daemon's backlog is full.
const BACKLOG_PAUSE: Duration = Duration::from_millis(10);

/// How to reach the daemon, and how to start it. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct Connector {
    settings: Arc<Settings>,
}

#[derive(Debug, Clone)]
struct Settings {
    runtime_dir: RuntimeDir,
    client: ClientInfo,
    program: Option<PathBuf>,
    variables: Vec<(OsString, OsString)>,
    protocol: u32,
}

impl Connector {
    /// A connector to the user's own daemon.
    ///
    /// # Errors
    /// `daemonUnavailable` when no runtime directory can be named; see [`RuntimeDir::locate`].
    pub fn new(client: ClientInfo) -> BeamResult<Self> {
        Ok(Self::at(RuntimeDir::locate()?, client))
    }

    /// A connector to the daemon of `runtime_dir`.
    pub fn at(runtime_dir: RuntimeDir, client: ClientInfo) -> Self {
        let settings = Settings {
            runtime_dir,
            client,
            program: None,
            variables: Vec::new(),
            protocol: PROTOCOL,
        };
        Self {
            settings: Arc::new(settings),
        }
    }

    /// The same connector, starting `program` where a daemon has to be started. Without it that is
    /// `lean-beam-daemon` beside our own program file, else on `PATH`.
    #[must_use]
    pub fn with_program(mut self, program: PathBuf) -> Self {
        Arc::make_mut(&mut self.settings).program = Some(program);
        self
    }

    /// The same connector, giving a daemon that it starts this environment variable besides our own.
    #[must_use]
    pub fn with_variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        let variable = (name.into(), value.into());
        Arc::make_mut(&mut self.settings).variables.push(variable);
        self
    }

    /// The same connector speaking another protocol, which decides the socket's name and the
    /// envelope's `protocol`.
    #[must_use]
    pub fn with_protocol(mut self, protocol: u32) -> Self {
        Arc::make_mut(&mut self.settings).protocol = protocol;
        self
    }

    /// Where socket and locks are.
    pub fn runtime_dir(&self) -> &RuntimeDir {
        &self.settings.runtime_dir
    }

    /// Who we say we are.
    pub fn client(&self) -> &ClientInfo {
        &self.settings.client
    }

    /// The protocol that we speak.
    pub fn protocol(&self) -> u32 {
        self.settings.protocol
    }

    /// The daemon program that was set by [`Connector::with_program`].
    pub(super) fn program(&self) -> Option<&Path> {
        self.settings.program.as_deref()
    }

    /// What a started daemon finds in its environment besides our own: our runtime directory, so that it
    /// cannot come to another conclusion than we, and what [`Connector::with_variable`] added.
    pub(super) fn variables(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        let settings = &self.settings;
        let runtime_dir = (
            OsStr::new(RUNTIME_DIR_VARIABLE),
            settings.runtime_dir.path().as_os_str(),
        );
        let added = settings.variables.iter();
        [runtime_dir]
            .into_iter()
            .chain(added.map(|(name, value)| (name.as_os_str(), value.as_os_str())))
    }

    /// Connects to a daemon that is alive, for those who only want to look: where a service manager owns the
    /// socket, a connection alone makes it start one, so the life lock is asked first.
    ///
    /// # Errors
    /// See [`ConnectError`]; [`ConnectError::Absent`] when none is alive.
    pub async fn connect_to_running(&self) -> Result<Connection, ConnectError> {
        // A lock that cannot be looked at says nothing; the socket then tells what is wrong.
        if let Ok(false) = LockFile::is_held(&self.runtime_dir().life_lock()) {
            check_directory(self.runtime_dir())?;
            return Err(ConnectError::Absent);
        }
        self.connect().await
    }

    /// Connects to whoever listens: a daemon, or a service manager that starts one now. Starts, creates and
    /// removes nothing itself.
    ///
    /// # Errors
    /// See [`ConnectError`].
    pub async fn connect(&self) -> Result<Connection, ConnectError> {
        check_directory(self.runtime_dir())?;
        let socket = self.runtime_dir().socket_of(self.protocol());
        let stream = connect_within(&socket, Instant::now() + CONNECT_LIMIT).await?;
        check_peer(&stream)?;
        Ok(Connection {
            stream,
            protocol: self.protocol(),
            client: self.client().clone(),
        })
    }
}

/// An open socket over which nothing has been sent yet.
#[derive(Debug)]
pub struct Connection {
    pub(super) stream: Stream,
    pub(super) protocol: u32,
    pub(super) client: ClientInfo,
}

/// Why no connection came about. Only [`ConnectError::Absent`] allows starting a daemon.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// Nobody listens: there is no socket, or one that its daemon left behind.
    #[error("no daemon is running")]
    Absent,
    /// Permissions or a sandbox keep us from the socket.
    #[error("the system does not let us connect to {}: {source}", socket.display())]
    Blocked {
        /// The socket.
        socket: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Somebody listens but does not accept.
    #[error("the daemon does not accept connections on {} (waited {} s)", socket.display(), CONNECT_LIMIT.as_secs())]
    Stuck {
        /// The socket.
        socket: PathBuf,
    },
    /// The runtime directory is not safe to use.
    #[error(transparent)]
    UnsafeDirectory(#[from] RuntimeDirError),
    /// The program that listens belongs to somebody else.
    #[error("the program that listens belongs to user {uid}, not to us")]
    ForeignPeer {
        /// Its user id.
        uid: u32,
    },
    /// The system failed in some other way.
    #[error("cannot connect to {}: {source}", socket.display())]
    Io {
        /// The socket.
        socket: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl ConnectError {
    /// Sorts what the system said about `socket`.
    fn classify(source: io::Error, socket: &Path) -> Self {
        let socket = socket.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => Self::Absent,
            // Both EACCES and EPERM: file permissions and sandboxes.
            io::ErrorKind::PermissionDenied => Self::Blocked { socket, source },
            io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => Self::Stuck { socket },
            _ => Self::Io { socket, source },
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Absent => Some("`lean-beam serve` starts one.".to_owned()),
            Self::Blocked { socket, .. } => Some(blocked_hint(socket)),
            Self::Stuck { .. } => Some(
                "It may be overloaded: try again. If it stays like this, `lean-beam status` names its process."
                    .to_owned(),
            ),
            Self::ForeignPeer { .. } => Some(format!(
                "Set {RUNTIME_DIR_VARIABLE} to a directory that only you can enter."
            )),
            Self::UnsafeDirectory(_) | Self::Io { .. } => None,
        }
    }
}

impl From<ConnectError> for BeamError {
    fn from(error: ConnectError) -> Self {
        if let ConnectError::UnsafeDirectory(directory) = error {
            return directory.into();
        }
        let mut beam_error = Self::new(ErrorCode::DaemonUnavailable, error.to_string());
        beam_error.hint = error.hint();
        beam_error
    }
}

fn blocked_hint(socket: &Path) -> String {
    let directory = socket.parent().unwrap_or(socket);
    format!(
        "If this runs in a sandbox, allow it to connect to Unix sockets in {} and start the daemon outside with `lean-beam serve`.",
        directory.display()
    )
}

/// A missing directory means that no daemon has ever been there; any other fault is one.
fn check_directory(runtime_dir: &RuntimeDir) -> Result<(), ConnectError> {
    match runtime_dir.check() {
        Err(RuntimeDirError::Io { source, .. }) => {
            Err(ConnectError::classify(source, &runtime_dir.socket()))
        }
        other => other.map_err(ConnectError::UnsafeDirectory),
    }
}

/// Knocks until somebody accepts, nobody is there, or time is up.
///
/// On Linux a full backlog makes a non-blocking connect fail at once, and the socket library then hands
/// out a stream that is connected to nobody, so each stream is asked for its peer.
async fn connect_within(socket: &Path, limit: Instant) -> Result<Stream, ConnectError> {
    loop {
        let stream = match timeout_at(limit, open(socket)).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(source)) => return Err(ConnectError::classify(source, socket)),
            Err(_elapsed) => return Err(stuck(socket)),
        };
        if is_connected(&stream) {
            return Ok(stream);
        }
        if Instant::now() + BACKLOG_PAUSE >= limit {
            return Err(stuck(socket));
        }
        sleep(BACKLOG_PAUSE).await;
    }
}

async fn open(socket: &Path) -> io::Result<Stream> {
    let name = socket.to_fs_name::<GenericFilePath>()?;
    ConnectOptions::new()
        .name(name)
        .wait_mode(ConnectWaitMode::Timeout(CONNECT_LIMIT))
        .connect_tokio()
        .await
}

fn stuck(socket: &Path) -> ConnectError {
    ConnectError::Stuck {
        socket: socket.to_owned(),
    }
}

fn is_connected(stream: &Stream) -> bool {
    let Stream::UdSocket(stream) = stream;
    stream.inner().peer_addr().is_ok()
}

/// Asks the system who is at the other end: a file name in a shared directory proves nothing.
fn check_peer(stream: &Stream) -> Result<(), ConnectError> {
    let Stream::UdSocket(stream) = stream;
    let uid = match stream.inner().peer_cred() {
        Ok(credentials) => credentials.uid(),
        // It was there a moment ago: it closed the connection and left.
        Err(_) => return Err(ConnectError::Absent),
    };
    if uid == nix::unistd::geteuid().as_raw() {
        Ok(())
    } else {
        Err(ConnectError::ForeignPeer { uid })
    }
}

#[cfg(test)]
mod tests;
