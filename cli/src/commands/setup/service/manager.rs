//! Talking to the service manager of the user's session: systemd, or launchd on macOS.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use serde::Serialize;
use tokio::{process::Command, time::timeout};

use super::units::{AGENT, SERVICE, SOCKET};
use crate::commands::setup::clients::Places;

/// A service manager answers at once, or is not there.
const ANSWER_LIMIT: Duration = Duration::from_secs(30);

/// Which service manager.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Manager {
    Systemd,
    Launchd,
}

/// What a service manager was told, and what it said.
#[derive(Debug, Serialize)]
pub(super) struct Told {
    /// The command line.
    pub(super) command: String,
    /// True when it did so.
    pub(super) ok: bool,
    /// What it wrote on standard error.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) said: String,
}

impl Manager {
    /// That of this system.
    pub(super) fn of_this_system() -> Self {
        if cfg!(target_os = "macos") {
            Self::Launchd
        } else {
            Self::Systemd
        }
    }

    /// Where it looks for the files of a user.
    pub(super) fn directory(self, places: &Places) -> PathBuf {
        match self {
            Self::Systemd => places.configuration().join("systemd/user"),
            Self::Launchd => places.home().join("Library/LaunchAgents"),
        }
    }

    /// Makes it read its files and listen.
    pub(super) async fn start(self, places: &Places) -> Vec<Told> {
        let agent = shown(&self.directory(places).join(AGENT));
        let commands: &[&[&str]] = match self {
            Self::Systemd => &[
                &["systemctl", "--user", "daemon-reload"],
                &["systemctl", "--user", "enable", SOCKET],
                // Also where it listens already: perhaps at another place.
                &["systemctl", "--user", "restart", SOCKET],
            ],
            Self::Launchd => &[&["launchctl", "bootstrap", &domain(), &agent]],
        };
        tell(commands).await
    }

    /// Makes it end daemon and socket, while its files are still there.
    pub(super) async fn stop(self, places: &Places) -> Vec<Told> {
        let agent = shown(&self.directory(places).join(AGENT));
        let commands: &[&[&str]] = match self {
            Self::Systemd => &[&["systemctl", "--user", "disable", "--now", SOCKET, SERVICE]],
            Self::Launchd => &[&["launchctl", "bootout", &domain(), &agent]],
        };
        tell(commands).await
    }

    /// Makes it forget files that are gone.
    pub(super) async fn forget(self) -> Vec<Told> {
        match self {
            Self::Systemd => tell(&[&["systemctl", "--user", "daemon-reload"]]).await,
            Self::Launchd => Vec::new(),
        }
    }

    /// True when it says that the service is in force.
    pub(super) async fn is_active(self) -> bool {
        let agent = format!("{}/lean-beam", domain());
        let command: &[&str] = match self {
            Self::Systemd => &["systemctl", "--user", "--quiet", "is-active", SOCKET],
            Self::Launchd => &["launchctl", "print", &agent],
        };
        run(command).await.is_ok()
    }
}

fn domain() -> String {
    format!("gui/{}", nix::unistd::getuid())
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// Tells the service manager one thing after the other, until something fails.
async fn tell(commands: &[&[&str]]) -> Vec<Told> {
    let mut told = Vec::new();
    for command in commands {
        let outcome = run(command).await;
        let ok = outcome.is_ok();
        told.push(Told {
            command: command.join(" "),
            ok,
            said: outcome.unwrap_or_else(|said| said),
        });
        if !ok {
            break;
        }
    }
    told
}

#[expect(
    clippy::disallowed_methods,
    reason = "a short word to the service manager; it dies with this program"
)]
async fn run(command: &[&str]) -> Result<String, String> {
    let Some((program, arguments)) = command.split_first() else {
        return Ok(String::new());
    };
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    match timeout(ANSWER_LIMIT, child).await {
        Ok(Ok(output)) => {
            let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            if output.status.success() {
                Ok(said)
            } else {
                Err(said)
            }
        }
        Ok(Err(error)) => Err(format!("{program} cannot be started: {error}")),
        Err(_elapsed) => Err(format!("{program} does not answer")),
    }
}
