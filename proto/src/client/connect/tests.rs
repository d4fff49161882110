use std::{
    fs,
    os::unix::{fs::PermissionsExt as _, net::UnixListener},
};

use super::{super::testing::*, *};

fn classify(kind: io::ErrorKind) -> ConnectError {
    ConnectError::classify(kind.into(), Path::new("/run/x/daemon-1.sock"))
}

#[tokio::test]
async fn without_directory_or_socket_nobody_is_there() {
    let place = Place::new();
    assert!(matches!(
        place.connector().connect().await,
        Err(ConnectError::Absent)
    ));
    place.runtime_dir.ensure().unwrap();
    assert!(matches!(
        place.connector().connect().await,
        Err(ConnectError::Absent)
    ));
}

#[tokio::test]
async fn a_socket_left_behind_means_nobody_and_stays() {
    let place = Place::made();
    let socket = place.runtime_dir.socket();
    drop(UnixListener::bind(&socket).unwrap());
    assert!(matches!(
        place.connector().connect().await,
        Err(ConnectError::Absent)
    ));
    assert!(socket.exists());
}

#[tokio::test]
async fn the_protocol_is_part_of_the_sockets_name() {
    let place = Place::made();
    let _listener = place.listen("daemon-77.sock");
    let connector = place.connector();
    assert!(matches!(
        connector.connect().await,
        Err(ConnectError::Absent)
    ));
    assert!(connector.with_protocol(77).connect().await.is_ok());
}

#[tokio::test]
async fn a_directory_open_to_others_is_refused() {
    let place = Place::made();
    let _listener = place.listen("daemon-1.sock");
    fs::set_permissions(place.runtime_dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
    assert!(matches!(
        place.connector().connect().await,
        Err(ConnectError::UnsafeDirectory(
            RuntimeDirError::TooOpen { .. }
        ))
    ));
}

#[test]
fn refusals_by_permission_are_never_taken_for_absence() {
    for code in [nix::libc::EACCES, nix::libc::EPERM] {
        let error = ConnectError::classify(
            io::Error::from_raw_os_error(code),
            Path::new("/run/x/daemon-1.sock"),
        );
        assert!(matches!(error, ConnectError::Blocked { .. }), "{error:?}");
        let error = BeamError::from(error);
        assert_eq!(error.code, ErrorCode::DaemonUnavailable);
        assert!(
            error.hint.unwrap().contains("/run/x"),
            "names the directory to allow"
        );
    }
    assert!(matches!(
        classify(io::ErrorKind::NotFound),
        ConnectError::Absent
    ));
    assert!(matches!(
        classify(io::ErrorKind::ConnectionRefused),
        ConnectError::Absent
    ));
    assert!(matches!(
        classify(io::ErrorKind::TimedOut),
        ConnectError::Stuck { .. }
    ));
    assert!(matches!(
        classify(io::ErrorKind::OutOfMemory),
        ConnectError::Io { .. }
    ));
}

/// A full queue looks like this on Linux only; elsewhere the system refuses, and the life lock tells the rest.
#[cfg(target_os = "linux")]
mod backlog {
    use std::os::{
        fd::{AsRawFd as _, OwnedFd},
        unix::net::UnixListener,
    };

    use nix::sys::socket::{
        AddressFamily, Backlog, SockFlag, SockType, UnixAddr, bind, listen, socket,
    };

    use super::*;

    /// A listener with the shortest queue there is, filled up.
    fn full_listener(path: &Path) -> (OwnedFd, Vec<OwnedFd>) {
        let stream = || {
            socket(
                AddressFamily::Unix,
                SockType::Stream,
                SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC,
                None,
            )
            .unwrap()
        };
        let address = UnixAddr::new(path).unwrap();
        let listener = stream();
        bind(listener.as_raw_fd(), &address).unwrap();
        listen(&listener, Backlog::new(0).unwrap()).unwrap();
        let mut waiting = Vec::new();
        loop {
            let client = stream();
            if nix::sys::socket::connect(client.as_raw_fd(), &address).is_err() {
                return (listener, waiting);
            }
            waiting.push(client);
        }
    }

    #[tokio::test]
    async fn a_full_queue_is_waited_for() {
        let place = Place::made();
        let (listener, waiting) = full_listener(&place.runtime_dir.socket());
        assert!(!waiting.is_empty());
        let connector = place.connector();
        let make_room = async {
            sleep(BACKLOG_PAUSE).await;
            let listener = UnixListener::from(listener);
            for _ in &waiting {
                drop(listener.accept().unwrap());
            }
            listener
        };
        let (connection, _listener) = both(connector.connect(), make_room).await;
        assert!(connection.is_ok(), "{connection:?}");
    }

    #[tokio::test]
    async fn a_queue_that_stays_full_is_stuck_and_not_absent() {
        let place = Place::made();
        let _full = full_listener(&place.runtime_dir.socket());
        assert!(matches!(
            place.connector().connect().await,
            Err(ConnectError::Stuck { .. })
        ));
    }
}
