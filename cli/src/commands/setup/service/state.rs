//! Whether the service is there.

use lean_beam_proto::{BeamError, client::Connector};
use serde::Serialize;

use super::{Manager, units, units::is_ours};
use crate::commands::setup::{change, clients::Places};

/// The service as it was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Service {
    pub(crate) manager: Manager,
    pub(crate) state: ServiceState,
}

/// How a service manager knows lean-beam.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ServiceState {
    /// Not at all.
    None,
    /// As this installation, with our socket.
    Current,
    /// As another program or with another socket, or only in part.
    Elsewhere,
    /// By files that somebody else wrote.
    Foreign,
}

impl Service {
    /// Reads the files of the service manager. It is not asked.
    ///
    /// # Errors
    /// A file cannot be read, or there is no daemon program to compare with.
    pub(in crate::commands::setup) fn find(
        connector: &Connector,
        places: &Places,
    ) -> Result<Self, BeamError> {
        let manager = Manager::of_this_system();
        let mut there = Vec::new();
        for unit in super::units(manager, connector)? {
            let path = manager.directory(places).join(unit.name);
            let text = change::read(&path).map_err(|error| BeamError::internal(error.to_string()));
            there.push((unit, text?));
        }
        Ok(Self {
            manager,
            state: judge(&there),
        })
    }
}

fn judge(there: &[(units::Unit, Option<String>)]) -> ServiceState {
    let texts = || there.iter().filter_map(|(_, text)| text.as_deref());
    if texts().next().is_none() {
        return ServiceState::None;
    }
    if !texts().all(is_ours) {
        return ServiceState::Foreign;
    }
    let is_current = |(unit, text): &(units::Unit, Option<String>)| {
        text.as_ref()
            .is_some_and(|text| text.contains(&unit.essence))
    };
    if there.iter().all(is_current) {
        ServiceState::Current
    } else {
        ServiceState::Elsewhere
    }
}
