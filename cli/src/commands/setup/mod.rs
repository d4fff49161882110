//! Registering the MCP server with agent programs.

mod change;
mod clients;
mod confirm;
mod edit;
mod plan;
mod record;
mod service;
mod skill;
mod survey;

use lean_beam_proto::{BeamError, ErrorCode, paths};
use serde::Serialize;

use self::{
    change::{Change, ShownChange},
    clients::Places,
    confirm::confirm,
    plan::Plan,
    record::Records,
};
pub(crate) use self::{
    clients::Client,
    service::{Manager, Service, ServiceState},
    survey::{Registration, Survey, Surveyed},
};
use crate::{
    app::{App, Failure, Outcome},
    args::{SetupArgs, SetupTarget},
    exit_code::Exit,
    output::human,
};

/// What was changed, or would be.
#[derive(Debug, Serialize)]
struct Report {
    client: Client,
    /// True when the server is registered now.
    registered: bool,
    /// False when nothing was to be done.
    changed: bool,
    changes: Vec<ShownChange>,
    /// What was left alone, and why.
    remarks: Vec<String>,
}

/// Lists the clients, or changes the registration with one.
pub(super) async fn setup(app: &App, args: SetupArgs) -> Outcome {
    let places = Places::of_this_process().ok_or_else(no_home)?;
    match args.target {
        None => list(app, &places),
        Some(SetupTarget::Service) => service::service(app, &args, &places).await,
        Some(SetupTarget::Client(client)) if args.print => print(app, client, &places),
        Some(SetupTarget::Client(client)) => register(app, client, &args, &places).await,
    }
}

/// How the service manager of this system knows the daemon.
///
/// # Errors
/// Its files cannot be read, or there is nothing to compare them with.
pub(super) fn service_found(app: &App) -> Result<Service, BeamError> {
    let places = Places::of_this_process().ok_or_else(home_is_missing)?;
    Service::find(&app.connector()?, &places)
}

fn list(app: &App, places: &Places) -> Outcome {
    let service = app
        .connector()
        .and_then(|connector| Service::find(&connector, places));
    let survey = Survey::of(places, service.ok());
    app.output.show(&survey, || human::survey(&survey))?;
    Ok(Exit::Ok)
}

/// Shows what would stand in an otherwise empty file.
fn print(app: &App, client: Client, places: &Places) -> Outcome {
    #[derive(Serialize)]
    struct Printed {
        client: Client,
        file: std::path::PathBuf,
        text: String,
    }
    let server = plan::server()?;
    let text = client.with_server("", &server);
    let printed = Printed {
        client,
        file: client.file(places),
        text: text.map_err(BeamError::internal)?,
    };
    app.output.show(&printed, || {
        format!("{}\n{}", human::file_heading(&printed.file), printed.text)
    })?;
    Ok(Exit::Ok)
}

async fn register(app: &App, client: Client, args: &SetupArgs, places: &Places) -> Outcome {
    let mut records = Records::load(&paths::state_dir()?);
    let plan = if args.remove {
        Plan::to_remove(client, places, &records)?
    } else {
        Plan::to_add(client, places)?
    };
    app.output
        .narrate(&human::changes(plan.changes.iter().map(Change::diff)))?;
    if !plan.changes.is_empty() {
        if !confirm(app, args.yes, &plan).await? {
            app.output.text("Nothing was changed.")?;
            return Ok(Exit::Ok);
        }
        carry_out(&plan, &mut records)?;
    }
    let report = Report {
        client,
        registered: !args.remove,
        changed: !plan.changes.is_empty(),
        changes: plan.changes.iter().map(Change::shown).collect(),
        remarks: plan.remarks,
    };
    app.output.show(&report, || told(&report))?;
    Ok(Exit::Ok)
}

/// The records go first: a change that nobody knows of could not be taken back to the byte.
fn carry_out(plan: &Plan, records: &mut Records) -> Result<(), Failure> {
    let mut leftover = Vec::new();
    for change in &plan.changes {
        if plan.is_removal {
            leftover.extend(records.directories(&change.path));
            records.forget(&change.path);
        } else {
            records.note(change);
        }
    }
    if !plan.is_removal {
        records.save()?;
    }
    for change in &plan.changes {
        change.apply()?;
    }
    if plan.is_removal {
        records.save()?;
    }
    for directory in plan.directories.iter().chain(&leftover) {
        // One that is in use by now stays.
        std::fs::remove_dir(directory).ok();
    }
    Ok(())
}

fn told(report: &Report) -> String {
    let title = report.client.title();
    let mut text = match (report.registered, report.changed) {
        (true, true) => format!(
            "{title} knows lean-beam from its next session on. To see it: {}\n",
            report.client.proof()
        ),
        (true, false) => format!("{title} knows lean-beam already.\n"),
        (false, true) => format!("{title} does not know lean-beam any more.\n"),
        (false, false) => format!("{title} did not know lean-beam.\n"),
    };
    for remark in &report.remarks {
        text.push_str(&format!("{remark}\n"));
    }
    text
}

fn no_home() -> Failure {
    Failure::Usage(home_is_missing())
}

fn home_is_missing() -> BeamError {
    BeamError::new(ErrorCode::InvalidInput, "there is no home directory").with_hint("Set HOME.")
}
