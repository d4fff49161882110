//! Looking for whatever keeps lean-beam from working. Starts nothing but a daemon of its own, for a trial.

mod ask;
mod daemon;
mod files;
mod finding;
mod lean;
mod service;
mod socket;
mod trial;

use std::path::{Path, PathBuf};

use crate::{
    app::{App, Failure, Outcome},
    args::DoctorArgs,
    commands::demo::{Lean, Stage},
    exit_code::Exit,
    output::human,
    signals::Signals,
};

pub(crate) use self::finding::{Finding, Report, State};

/// Looks at everything and shows what was found.
pub(super) async fn run(app: &App, args: &DoctorArgs, signals: &mut Signals) -> Outcome {
    let root = root(app)?;
    let mut progress = app.output.progress("looking around");
    let looking = progress.during(look(app, root.as_deref()));
    let (mut findings, lean) = signals
        .until_interrupted(looking)
        .await
        .map_err(Failure::Interrupted)?;
    drop(progress);
    findings.push(match lean {
        _ if args.no_trial => trial::left_out("--no-trial was given"),
        Some(lean) => try_it(app, &lean, signals).await?,
        None => trial::left_out("there is no Lean that works"),
    });
    let report = Report::of(findings);
    app.output.show(&report, || human::doctor(&report))?;
    Ok(if report.healthy {
        Exit::Ok
    } else {
        Exit::LeanSaysNo
    })
}

/// The project, where there is one: `doctor` is of use outside of projects too.
fn root(app: &App) -> Result<Option<PathBuf>, Failure> {
    match app.project() {
        Ok(root) => Ok(Some(root)),
        Err(failure) if app.globals.root.is_some() => Err(failure),
        Err(_) => Ok(None),
    }
}

async fn look(app: &App, root: Option<&Path>) -> (Vec<Finding>, Option<Lean>) {
    let mut findings = vec![daemon::programs(app).await];
    let lean = lean::examine(root).await;
    findings.extend(lean.findings);
    let socket = socket::examine().await;
    findings.extend(socket.findings);
    if let Some(found) = socket.found {
        findings.extend(daemon::examine(found).await);
    }
    findings.push(service::examine(app));
    findings.push(files::limits());
    findings.push(files::config(app).await);
    findings.push(files::log());
    findings.push(files::incidents());
    (findings, lean.lean)
}

/// A trial on a stage that is cleared whatever happens.
async fn try_it(app: &App, lean: &Lean, signals: &mut Signals) -> Result<Finding, Failure> {
    let stage = match Stage::set(lean) {
        Ok(stage) => stage,
        Err(failure) => return Ok(trial::no_stage(&failure)),
    };
    let outcome = signals
        .until_interrupted(trial::run(app, &stage, lean))
        .await;
    let cleared = signals.until_interrupted(stage.clear(app)).await;
    let finding = outcome.map_err(Failure::Interrupted)?;
    // A daemon that could not be stopped leaves by itself; the finding is about the trial.
    drop(cleared.map_err(Failure::Interrupted)?);
    Ok(finding)
}

/// A path as one word for a shell.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain =
        |character: char| character.is_ascii_alphanumeric() || "/._-+:".contains(character);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}
