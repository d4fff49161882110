//! Whether a service manager starts the daemon, and the right one.

use serde_json::json;

use super::finding::Finding;
use crate::{
    app::App,
    commands::setup::{Manager, Service, ServiceState, service_found},
};

const SERVICE: &str = "service";

/// Looks at the files of the service manager.
pub(super) fn examine(app: &App) -> Finding {
    match service_found(app) {
        Ok(service) => judge(service),
        Err(error) => Finding::note(SERVICE, format!("it cannot be told: {error}")),
    }
}

fn judge(service: Service) -> Finding {
    let name = match service.manager {
        Manager::Systemd => "systemd",
        Manager::Launchd => "launchd",
    };
    match service.state {
        ServiceState::None => Finding::ok(
            SERVICE,
            "none is set up, and none is needed: the first command that needs the daemon starts it",
        ),
        ServiceState::Current => Finding::ok(SERVICE, format!("{name} starts the daemon")),
        ServiceState::Elsewhere => Finding::warning(
            SERVICE,
            format!("{name} is set up for another installation or another runtime directory"),
        )
        .remedy("`lean-beam setup service` sets it up for this one.")
        .run("lean-beam setup service --yes"),
        ServiceState::Foreign => Finding::note(
            SERVICE,
            format!("{name} has files named lean-beam that lean-beam did not write"),
        ),
    }
    .data(json!(service))
}
