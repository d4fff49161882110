//! A daemon that says what a test tells it to, and programs that stand for the daemon program.

use std::{
    fs,
    future::Future,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{UnixListener, UnixStream},
    time::timeout,
};

use super::connect::Connector;
use crate::{paths::RuntimeDir, version::ClientInfo};

/// No test waits longer than this for anything.
pub(super) const LIMIT: Duration = Duration::from_secs(20);

/// A final line with an empty result.
pub(super) const OK: &str = r#"{"response":{"ok":{}},"identity":{"version":"9.9.9","protocol":1,"build":"test","pid":7,"started_ms":5}}"#;

/// What a daemon program prints once it listens.
pub(super) const READY: &str =
    r#"{"ready":{"version":"9.9.9","protocol":1,"build":"test","pid":7,"started_ms":5}}"#;

/// A runtime directory of its own.
pub(super) struct Place {
    directory: tempfile::TempDir,
    pub(super) runtime_dir: RuntimeDir,
}

impl Place {
    pub(super) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let runtime_dir = RuntimeDir::at(directory.path().join("run")).unwrap();
        Self {
            directory,
            runtime_dir,
        }
    }

    /// As [`Place::new`], with the runtime directory already there.
    pub(super) fn made() -> Self {
        let place = Self::new();
        place.runtime_dir.ensure().unwrap();
        place
    }

    pub(super) fn connector(&self) -> Connector {
        Connector::at(self.runtime_dir.clone(), ClientInfo::named("test"))
    }

    /// A connector whose daemon program is a shell script with this body, run in the runtime directory.
    pub(super) fn connector_starting(&self, body: &str) -> Connector {
        self.connector().with_program(self.script(body))
    }

    pub(super) fn script(&self, body: &str) -> PathBuf {
        let path = self.directory.path().join("program");
        let run = self.runtime_dir.path().display();
        fs::write(&path, format!("#!/bin/sh\ncd {run}\n{body}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// Listens at `name` in the runtime directory.
    pub(super) fn listen(&self, name: impl AsRef<Path>) -> UnixListener {
        UnixListener::bind(self.runtime_dir.path().join(name)).unwrap()
    }
}

/// Accepts one connection.
pub(super) async fn accept(listener: &UnixListener) -> UnixStream {
    listener.accept().await.unwrap().0
}

/// Reads one request and answers it with `lines`.
pub(super) async fn serve(stream: &mut UnixStream, lines: &[&str]) -> Value {
    let mut request = String::new();
    BufReader::new(&mut *stream)
        .read_line(&mut request)
        .await
        .unwrap();
    for line in lines {
        stream.write_all(line.as_bytes()).await.unwrap();
        stream.write_all(b"\n").await.unwrap();
    }
    serde_json::from_str(&request).unwrap()
}

/// True once the other end is closed.
pub(super) async fn is_closed(stream: &mut UnixStream) -> bool {
    matches!(stream.read(&mut [0; 16]).await, Ok(0) | Err(_))
}

/// Runs the client's and the daemon's side at once, with a limit.
pub(super) async fn both<A, B>(
    client: impl Future<Output = A>,
    daemon: impl Future<Output = B>,
) -> (A, B) {
    timeout(LIMIT, futures_util::future::join(client, daemon))
        .await
        .expect("client and daemon wait for each other")
}
