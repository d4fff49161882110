//! The daemon as a service that the system starts.

mod manager;
mod state;
mod units;

use std::path::PathBuf;

use lean_beam_proto::{BeamError, ErrorCode, client::Connector, paths};
use serde::Serialize;

pub(crate) use self::{
    manager::Manager,
    state::{Service, ServiceState},
};
use self::{
    manager::Told,
    units::{Daemon, Unit},
};
use super::{
    carry_out,
    change::{self, Change, ShownChange},
    clients::Places,
    confirm::confirm,
    plan::{self, Plan},
    record::Records,
};
use crate::{
    app::{App, Failure, Outcome},
    args::SetupArgs,
    commands::daemon::stop_daemon,
    exit_code::Exit,
    output::human,
};

/// What was done.
#[derive(Debug, Serialize)]
struct Report {
    service: Manager,
    /// True when the service is set up now.
    installed: bool,
    /// False when nothing was to be done.
    changed: bool,
    changes: Vec<ShownChange>,
    commands: Vec<Told>,
    /// What was left alone, and why.
    remarks: Vec<String>,
}

/// Sets the service up, takes it away, or shows its files.
pub(super) async fn service(app: &App, args: &SetupArgs, places: &Places) -> Outcome {
    let connector = app.connector()?;
    let manager = Manager::of_this_system();
    let units = units(manager, &connector)?;
    if args.print {
        return print(app, manager, &units, places);
    }
    let plan = if args.remove {
        plan_to_remove(manager, &units, places)?
    } else {
        plan_to_add(manager, &units, places)?
    };
    app.output
        .narrate(&human::changes(plan.changes.iter().map(Change::diff)))?;
    let is_due = !plan.changes.is_empty() || (!args.remove && !manager.is_active().await);
    if is_due && !confirm(app, args.yes, &plan).await? {
        app.output.text("Nothing was changed.")?;
        return Ok(Exit::Ok);
    }
    let commands = match (is_due, args.remove) {
        (false, _) => Vec::new(),
        (true, true) => take_away(manager, &plan, places).await?,
        (true, false) => {
            // One that runs by itself would hold the socket's place.
            stop_daemon(app, &connector).await?;
            carry_out(&plan, &mut records()?)?;
            manager.start(places).await
        }
    };
    finish(
        app,
        &Report {
            service: manager,
            installed: !args.remove,
            changed: is_due,
            changes: plan.changes.iter().map(Change::shown).collect(),
            commands,
            remarks: plan.remarks,
        },
    )
}

async fn take_away(manager: Manager, plan: &Plan, places: &Places) -> Result<Vec<Told>, Failure> {
    let mut commands = manager.stop(places).await;
    carry_out(plan, &mut records()?)?;
    commands.extend(manager.forget().await);
    Ok(commands)
}

fn records() -> Result<Records, BeamError> {
    Ok(Records::load(&paths::state_dir()?))
}

fn finish(app: &App, report: &Report) -> Outcome {
    app.output.show(report, || told(report))?;
    let failed = report.installed && report.commands.iter().any(|told| !told.ok);
    Ok(if failed {
        Exit::RequestFailed
    } else {
        Exit::Ok
    })
}

fn plan_to_add(manager: Manager, units: &[Unit], places: &Places) -> Result<Plan, Failure> {
    let mut plan = Plan::empty(false);
    for unit in units {
        let path = manager.directory(places).join(unit.name);
        if change::read(&path)?.is_some_and(|text| !units::is_ours(&text)) {
            let message = format!("{} was not written by lean-beam", path.display());
            return Err(Failure::Request(
                BeamError::new(ErrorCode::InvalidInput, message)
                    .with_hint("Move it out of the way, or use it as it is."),
            ));
        }
        plan.changes
            .extend(Change::of(&path, Some(unit.text.clone()))?);
    }
    Ok(plan)
}

fn plan_to_remove(manager: Manager, units: &[Unit], places: &Places) -> Result<Plan, Failure> {
    let mut plan = Plan::empty(true);
    for unit in units {
        let path = manager.directory(places).join(unit.name);
        match change::read(&path)? {
            // Whatever version wrote it.
            Some(text) if units::is_ours(&text) => plan.changes.extend(Change::of(&path, None)?),
            Some(_) => plan.remarks.push(format!(
                "{} was not written by lean-beam and stays.",
                path.display()
            )),
            None => {}
        }
    }
    Ok(plan)
}

fn print(app: &App, manager: Manager, units: &[Unit], places: &Places) -> Outcome {
    #[derive(Serialize)]
    struct Printed<'a> {
        service: Manager,
        files: Vec<File<'a>>,
    }
    #[derive(Serialize)]
    struct File<'a> {
        file: PathBuf,
        text: &'a str,
    }
    let files = units.iter().map(|unit| File {
        file: manager.directory(places).join(unit.name),
        text: &unit.text,
    });
    let printed = Printed {
        service: manager,
        files: files.collect(),
    };
    app.output.show(&printed, || {
        let shown = printed
            .files
            .iter()
            .map(|file| format!("{}\n{}", human::file_heading(&file.file), file.text));
        shown.collect::<Vec<_>>().join("\n")
    })?;
    Ok(Exit::Ok)
}

fn units(manager: Manager, connector: &Connector) -> Result<Vec<Unit>, BeamError> {
    let daemon = Daemon {
        program: connector.daemon_program()?,
        socket: connector.runtime_dir().socket(),
        environment: plan::environment(&["PATH"]),
    };
    Ok(match manager {
        Manager::Systemd => units::systemd(&daemon).into(),
        Manager::Launchd => vec![units::launchd(&daemon)],
    })
}

fn told(report: &Report) -> String {
    let mut text = String::new();
    for told in &report.commands {
        let mark = if told.ok { "✓" } else { "✗" };
        text.push_str(&format!("{mark} {}\n", told.command));
        if !told.said.is_empty() {
            text.push_str(&format!("  {}\n", told.said.replace('\n', "\n  ")));
        }
    }
    let failed = report.commands.iter().any(|told| !told.ok);
    text.push_str(match (report.installed, report.changed, report.service) {
        (true, ..) if failed => {
            "The files are written, but the service manager does not take them. Run `lean-beam setup service` again in a login session of yours.\n"
        }
        (true, true, Manager::Systemd) => "systemd starts the daemon from now on, when the first client comes.\n",
        (true, true, Manager::Launchd) => "launchd starts the daemon from now on, when you log in.\n",
        (true, false, _) => "The service is set up already.\n",
        (false, true, _) => "The service is gone; the first command that needs the daemon starts it.\n",
        (false, false, _) => "There was no service.\n",
    });
    for remark in &report.remarks {
        text.push_str(&format!("{remark}\n"));
    }
    text
}
