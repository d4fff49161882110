//! Which clients are there, and which know lean-beam.

use std::path::{Path, PathBuf};

use clap::ValueEnum as _;
use serde::Serialize;

use super::{
    change,
    clients::{Client, Places, is_program},
    plan,
    service::Service,
    skill,
};

/// All clients.
#[derive(Debug, Serialize)]
pub(crate) struct Survey {
    pub(crate) clients: Vec<Surveyed>,
    /// Whether the system starts the daemon; absent when that cannot be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) service: Option<Service>,
}

/// One client.
#[derive(Debug, Serialize)]
pub(crate) struct Surveyed {
    pub(crate) client: Client,
    #[serde(skip)]
    pub(crate) title: &'static str,
    /// True when it seems to be installed.
    pub(crate) found: bool,
    pub(crate) registration: Registration,
    /// The program that it starts, where lean-beam is registered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) command: Option<String>,
    /// The file that lists its servers.
    pub(crate) file: PathBuf,
    /// True when the skill is there; absent where it has no skills.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) skill: Option<bool>,
}

/// How a client knows lean-beam.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Registration {
    /// Not at all.
    None,
    /// As this installation.
    Current,
    /// As a program elsewhere, which exists.
    Elsewhere,
    /// As a program that does not exist.
    Broken,
    /// Its file is not understood.
    Unreadable,
}

impl Survey {
    /// Looks at every client's file.
    pub(super) fn of(places: &Places, service: Option<Service>) -> Self {
        let ours = plan::server().ok().map(|server| server.program);
        let look = |client: &Client| surveyed(*client, places, ours.as_deref());
        Self {
            clients: Client::value_variants().iter().map(look).collect(),
            service,
        }
    }
}

fn surveyed(client: Client, places: &Places, ours: Option<&str>) -> Surveyed {
    let file = client.file(places);
    let text = change::read(&file).map(Option::unwrap_or_default);
    let found = text
        .map_err(|error| error.to_string())
        .and_then(|text| client.registered(&text));
    let (registration, command) = match found {
        Err(_) => (Registration::Unreadable, None),
        Ok(None) => (Registration::None, None),
        Ok(Some(command)) => (judge(&command, ours), Some(command)),
    };
    let skill = client.skill(places).map(|path| has_skill(&path));
    Surveyed {
        client,
        title: client.title(),
        found: client.is_there(places),
        registration,
        command,
        file,
        skill,
    }
}

fn judge(command: &str, ours: Option<&str>) -> Registration {
    if Some(command) == ours {
        Registration::Current
    } else if is_program(Path::new(command)) {
        Registration::Elsewhere
    } else {
        Registration::Broken
    }
}

fn has_skill(path: &Path) -> bool {
    matches!(change::read(path), Ok(Some(text)) if skill::is_ours(&text))
}
