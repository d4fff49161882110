//! Accepting connections, and keeping the socket reachable.

use std::{
    fs, io,
    os::{
        fd::{AsRawFd as _, OwnedFd},
        unix::{
            fs::{MetadataExt, PermissionsExt},
            net::UnixListener,
        },
    },
    path::Path,
    sync::Arc,
    time::Duration,
};

use interprocess::local_socket::{
    GenericFilePath, ListenerOptions, ToFsName as _,
    tokio::{Listener, Stream},
    traits::tokio::Listener as _,
};
use interprocess::os::unix::local_socket::ListenerOptionsExt as _;
use nix::{
    errno::Errno,
    fcntl::{FcntlArg, FdFlag, OFlag, fcntl},
    sys::socket::{AddressFamily, SockFlag, SockType, UnixAddr, connect, socket},
};
use tokio_util::task::TaskTracker;

use super::connection;
use crate::control::Services;

/// How often the socket file is looked at. Cleaners of temporary directories and careless scripts remove it.
const KEEPER_INTERVAL: Duration = Duration::from_secs(2);
/// Pause after a failed accept, such as for want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// A socket that listens.
#[derive(Debug)]
pub(crate) struct Bound {
    listener: Listener,
    /// It belongs to a service manager, which listens on when we are gone: the file stays.
    is_lent: bool,
}

/// Takes over `socket`, which a service manager has made at `path`.
///
/// # Errors
/// It is another socket, at which no client would look for us, or cannot be used.
pub(crate) fn adopt(socket: OwnedFd, path: &Path) -> io::Result<Bound> {
    let socket = UnixListener::from(socket);
    let address = socket.local_addr()?;
    if address.as_pathname() != Some(path) {
        return Err(io::Error::other(format!(
            "the service manager listens at {address:?}, but clients look for {}",
            path.display()
        )));
    }
    Ok(Bound {
        listener: Listener::UdSocket(OwnedFd::from(socket).try_into()?),
        is_lent: true,
    })
}

/// Makes the socket at `path`, mode 600, in place of whatever is there. Only for the holder of the life lock:
/// nobody else can be listening then.
///
/// # Errors
/// The socket cannot be made.
pub(crate) fn bind(path: &Path) -> io::Result<Bound> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let name = path.to_fs_name::<GenericFilePath>()?;
    // We unlink the socket ourselves: the library would do it even if the path is somebody else's by then.
    let listener = ListenerOptions::new()
        .name(name)
        .reclaim_name(false)
        .mode(0o600)
        .create_tokio();
    let listener = match listener {
        Ok(listener) => listener,
        // Some systems cannot make a socket with a mode; the directory is private all the same.
        Err(error) if error.kind() == io::ErrorKind::Unsupported => ListenerOptions::new()
            .name(path.to_fs_name::<GenericFilePath>()?)
            .reclaim_name(false)
            .create_tokio()?,
        Err(error) => return Err(error),
    };
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
    Ok(Bound {
        listener,
        is_lent: false,
    })
}

/// Accepts connections until a shutdown begins, then removes the socket if it is ours. Whoever put a socket of its
/// own in our place, as a service manager does, is to have the daemon, so this one gives way.
pub(crate) async fn run(mut bound: Bound, services: Arc<Services>, connections: &TaskTracker) {
    let mut inode = inode_of(&services.socket);
    let mut keeper = tokio::time::interval(KEEPER_INTERVAL);
    keeper.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = services.shutdown.begun() => break,
            accepted = bound.listener.accept() => match accepted {
                Ok(stream) => admit(stream, &services, connections),
                Err(error) => {
                    tracing::warn!(%error, "accept failed");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
            _ = keeper.tick() => if inode.is_none() || inode_of(&services.socket) != inode {
                if is_answered(&services.socket) {
                    services.shutdown.request_once("somebody else listens at our socket now");
                    return;
                }
                match bind(&services.socket) {
                    Ok(again) => {
                        tracing::warn!(socket = %services.socket.display(), "the socket was gone; made again");
                        bound = again;
                        inode = inode_of(&services.socket);
                    }
                    Err(error) => tracing::error!(%error, "the socket is gone and cannot be made again"),
                }
            },
        }
    }
    if !bound.is_lent && inode.is_some() && inode_of(&services.socket) == inode {
        fs::remove_file(&services.socket).ok();
    }
}

/// True when somebody listens at `path`. For those who do not do so themselves: it knocks, and a service manager
/// starts a daemon then.
pub(crate) fn is_answered(path: &Path) -> bool {
    match knock(path) {
        // A full backlog: whoever listens is busy, or waits for its daemon.
        Ok(()) | Err(Errno::EAGAIN) => true,
        Err(_) => false,
    }
}

fn knock(path: &Path) -> Result<(), Errno> {
    let address = UnixAddr::new(path)?;
    let socket = socket(
        AddressFamily::Unix,
        SockType::Stream,
        SockFlag::empty(),
        None,
    )?;
    fcntl(&socket, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))?;
    fcntl(&socket, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
    connect(socket.as_raw_fd(), &address)
}

fn admit(stream: Stream, services: &Arc<Services>, connections: &TaskTracker) {
    services.counters.connection();
    if is_ours(&stream) {
        connections.spawn(connection::serve(stream, Arc::clone(services)));
    } else {
        tracing::warn!("a connection of another user was refused");
    }
}

/// True when the program at the other end belongs to our user.
fn is_ours(stream: &Stream) -> bool {
    let Stream::UdSocket(stream) = stream;
    stream
        .inner()
        .peer_cred()
        .is_ok_and(|credentials| credentials.uid() == nix::unistd::geteuid().as_raw())
}

fn inode_of(path: &Path) -> Option<(u64, u64)> {
    fs::symlink_metadata(path)
        .ok()
        .map(|metadata| (metadata.dev(), metadata.ino()))
}
