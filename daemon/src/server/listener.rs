//! Accepting connections, and keeping the socket reachable.

use std::{
    fs, io,
    os::unix::fs::{MetadataExt, PermissionsExt},
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
use tokio_util::task::TaskTracker;

use super::connection;
use crate::control::Services;

/// How often the socket file is looked at. Cleaners of temporary directories and careless scripts remove it.
const KEEPER_INTERVAL: Duration = Duration::from_secs(2);
/// Pause after a failed accept, such as for want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Makes the socket at `path`, mode 600, in place of whatever is there. Only for the holder of the life lock:
/// nobody else can be listening then.
///
/// # Errors
/// The socket cannot be made.
pub(crate) fn bind(path: &Path) -> io::Result<Listener> {
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
    Ok(listener)
}

/// Accepts connections until a shutdown begins, then removes the socket.
pub(crate) async fn run(
    mut listener: Listener,
    services: Arc<Services>,
    connections: &TaskTracker,
) {
    let mut inode = inode_of(&services.socket);
    let mut keeper = tokio::time::interval(KEEPER_INTERVAL);
    keeper.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = services.shutdown.begun() => break,
            accepted = listener.accept() => match accepted {
                Ok(stream) => admit(stream, &services, connections),
                Err(error) => {
                    tracing::warn!(%error, "accept failed");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
            _ = keeper.tick() => if inode.is_none() || inode_of(&services.socket) != inode {
                match bind(&services.socket) {
                    Ok(again) => {
                        tracing::warn!(socket = %services.socket.display(), "the socket was gone; made again");
                        listener = again;
                        inode = inode_of(&services.socket);
                    }
                    Err(error) => tracing::error!(%error, "the socket is gone and cannot be made again"),
                }
            },
        }
    }
    if inode.is_some() && inode_of(&services.socket) == inode {
        fs::remove_file(&services.socket).ok();
    }
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
