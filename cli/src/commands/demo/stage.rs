//! The demo's own project and daemon, in a directory that goes away with it.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use lean_beam_proto::{
    BeamError, ClientInfo,
    client::Connector,
    paths::{CONFIG_VARIABLE, RuntimeDir, RuntimeDirError, STATE_DIR_VARIABLE},
};
use tempfile::TempDir;

use super::lean::{LEAN_VARIABLE, Lean};
use crate::{
    app::{App, Failure},
    commands::daemon::stop_daemon,
};

/// Where the directory goes when its usual place makes the socket's path too long.
const SHORT_PLACE: &str = "/tmp";
/// Should the demo be killed, its daemon leaves by itself soon.
const CONFIG: &str = "[daemon]\nidle_seconds = 120\n";

/// A directory with a project, and a connector to a daemon of its own, so that the user's is untouched.
#[derive(Debug)]
pub(in crate::commands) struct Stage {
    directory: TempDir,
    connector: Connector,
}

impl Stage {
    /// Makes the directory; nothing is started yet.
    pub(in crate::commands) fn set(lean: &Lean) -> Result<Self, Failure> {
        let (directory, runtime_dir) = place()?;
        let base = directory.path();
        let config = base.join("config.toml");
        fs::write(&config, CONFIG)?;
        fs::create_dir(base.join("project"))?;
        // It only marks the project: the daemon is told which Lean to use.
        let toolchain = format!("lean-beam-demo:{}\n", lean.version);
        fs::write(base.join("project/lean-toolchain"), toolchain)?;
        let connector = Connector::at(runtime_dir, ClientInfo::named("lean-beam"))
            .with_variable(STATE_DIR_VARIABLE, base.join("state"))
            .with_variable(CONFIG_VARIABLE, config)
            .with_variable(LEAN_VARIABLE, &lean.program);
        Ok(Self {
            directory,
            connector,
        })
    }

    /// How to reach the daemon.
    pub(in crate::commands) fn connector(&self) -> &Connector {
        &self.connector
    }

    /// The project's root.
    pub(in crate::commands) fn root(&self) -> PathBuf {
        self.directory.path().join("project")
    }

    /// Writes a file of the project.
    pub(in crate::commands) fn write(&self, name: &str, text: &str) -> io::Result<()> {
        fs::write(self.root().join(name), text)
    }

    /// Starts the daemon; returns how long that took.
    pub(in crate::commands) async fn start_daemon(&self, app: &App) -> Result<Duration, BeamError> {
        let started = Instant::now();
        let mut progress = app.output.progress("starting the daemon");
        drop(progress.during(self.connector.ensure()).await?);
        Ok(started.elapsed())
    }

    /// Stops the daemon and removes the directory.
    pub(in crate::commands) async fn clear(self, app: &App) -> Result<(), Failure> {
        let stopped = stop_daemon(app, &self.connector).await;
        self.directory.close()?;
        stopped?;
        Ok(())
    }
}

fn place() -> Result<(TempDir, RuntimeDir), Failure> {
    let usual = directory_in(None)?;
    match runtime_dir(usual.path()) {
        Err(RuntimeDirError::TooLong(_)) => {
            let short = directory_in(Some(Path::new(SHORT_PLACE)))?;
            let runtime_dir = runtime_dir(short.path()).map_err(BeamError::from)?;
            Ok((short, runtime_dir))
        }
        found => Ok((usual, found.map_err(BeamError::from)?)),
    }
}

fn directory_in(parent: Option<&Path>) -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("lean-beam-demo-");
    match parent {
        Some(parent) => builder.tempdir_in(parent),
        None => builder.tempdir(),
    }
}

fn runtime_dir(base: &Path) -> Result<RuntimeDir, RuntimeDirError> {
    RuntimeDir::at(base.join("run"))
}
