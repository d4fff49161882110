//! What has to change for a registration, or to take it back.

use std::{
    env, io,
    path::{Path, PathBuf},
};

use lean_beam_proto::{
    BeamError, ErrorCode,
    paths::{CONFIG_VARIABLE, RUNTIME_DIR_VARIABLE, STATE_DIR_VARIABLE},
    programs::{LAKE_VARIABLE, LEAN_VARIABLE},
};

use super::{
    change::{self, Change},
    clients::{Client, Places, Server},
    record::{Former, Records},
    skill,
};
use crate::{app::Failure, commands::mcp_check::mcp_program};

/// What decides which daemon and which Lean is used. Clients do not pass these on by themselves.
const VARIABLES: [&str; 6] = [
    RUNTIME_DIR_VARIABLE,
    STATE_DIR_VARIABLE,
    CONFIG_VARIABLE,
    LEAN_VARIABLE,
    LAKE_VARIABLE,
    "ELAN_HOME",
];

/// The changes of all files.
#[derive(Debug)]
pub(super) struct Plan {
    /// True when the registration is taken back.
    pub(super) is_removal: bool,
    /// What changes.
    pub(super) changes: Vec<Change>,
    /// Directories that go when they are empty afterwards, innermost first.
    pub(super) directories: Vec<PathBuf>,
    /// What is left alone, and why.
    pub(super) remarks: Vec<String>,
}

impl Plan {
    /// Registers the server and installs the skill.
    pub(super) fn to_add(client: Client, places: &Places) -> Result<Self, Failure> {
        let server = server()?;
        let mut plan = Self::empty(false);
        let file = client.file(places);
        let text = change::read(&file)?.unwrap_or_default();
        let after = client
            .with_server(&text, &server)
            .map_err(|fault| not_understood(&file, &fault))?;
        plan.changes.extend(Change::of(&file, Some(after))?);
        if let Some(path) = client.skill(places) {
            match change::read(&path)? {
                Some(text) if !skill::is_ours(&text) => plan.leave(&path),
                _ => {
                    let change = Change::of(&path, Some(skill::TEXT.to_owned()))?;
                    plan.changes.extend(change);
                }
            }
        }
        Ok(plan)
    }

    /// Takes the registration and the skill away.
    pub(super) fn to_remove(
        client: Client,
        places: &Places,
        records: &Records,
    ) -> Result<Self, Failure> {
        let mut plan = Self::empty(true);
        let file = client.file(places);
        if let Some(text) = change::read(&file)? {
            let after = former(client, &file, &text, records)?;
            plan.changes.extend(Change::of(&file, after)?);
        }
        if let Some(path) = client.skill(places) {
            match change::read(&path)? {
                Some(text) if skill::is_ours(&text) => {
                    plan.changes.extend(Change::of(&path, None)?);
                    plan.directories.extend(path.parent().map(Path::to_owned));
                }
                Some(_) => plan.leave(&path),
                None => {}
            }
        }
        Ok(plan)
    }

    /// A plan without changes.
    pub(super) fn empty(is_removal: bool) -> Self {
        Self {
            is_removal,
            changes: Vec::new(),
            directories: Vec::new(),
            remarks: Vec::new(),
        }
    }

    fn leave(&mut self, path: &Path) {
        self.remarks.push(format!(
            "{} is not from lean-beam setup and stays as it is.",
            path.display()
        ));
    }
}

/// The text without our server: exactly as it was, where that can be told; else without our entry.
fn former(
    client: Client,
    file: &Path,
    text: &str,
    records: &Records,
) -> Result<Option<String>, Failure> {
    let registered = |text: &str| {
        client
            .registered(text)
            .map_err(|fault| not_understood(file, &fault))
    };
    if registered(text)?.is_none() {
        return Ok(Some(text.to_owned()));
    }
    match records.former(file, text) {
        Some(Former::Absent) => return Ok(None),
        Some(Former::Text(former)) if registered(&former).is_ok_and(|found| found.is_none()) => {
            return Ok(Some(former));
        }
        _ => {}
    }
    let after = client.without_server(text);
    Ok(Some(after.map_err(|fault| not_understood(file, &fault))?))
}

/// How clients are to start our server.
///
/// # Errors
/// There is no such program beside this one.
pub(super) fn server() -> Result<Server, BeamError> {
    let program = mcp_program()?;
    let Some(text) = program.to_str() else {
        return Err(BeamError::new(
            ErrorCode::RuntimeSetup,
            format!("the path {} is not UTF-8", program.display()),
        )
        .with_hint("Install lean-beam into a directory with a plain name."));
    };
    Ok(Server {
        program: text.to_owned(),
        environment: environment(&[]),
    })
}

/// The variables that others have to be told, and `more`, as far as they are set.
pub(super) fn environment(more: &[&str]) -> Vec<(String, String)> {
    let variable = |name: &&str| {
        let value = env::var(name).ok().filter(|value| !value.is_empty())?;
        Some(((*name).to_owned(), value))
    };
    VARIABLES.iter().chain(more).filter_map(variable).collect()
}

fn not_understood(file: &Path, fault: &str) -> Failure {
    let fault = fault.trim_end().replace('\n', "; ");
    let error = io::Error::new(io::ErrorKind::InvalidData, fault);
    Failure::Request(
        BeamError::new(
            ErrorCode::InvalidParams,
            format!("{} is not understood: {error}", file.display()),
        )
        .with_hint("Mend the file, or add what `lean-beam setup CLIENT --print` shows by hand."),
    )
}
