//! Asking before anything is written.

use std::{
    io::{self, IsTerminal as _},
    thread,
};

use lean_beam_proto::{BeamError, ErrorCode};
use serde_json::json;
use tokio::sync::oneshot;

use super::{change::Change, plan::Plan};
use crate::app::{App, Failure};

/// True when `yes` was said on the command line, or is said now.
///
/// # Errors
/// Nobody can be asked.
pub(super) async fn confirm(app: &App, yes: bool, plan: &Plan) -> Result<bool, Failure> {
    if yes {
        return Ok(true);
    }
    if app.output.is_json() || !io::stdin().is_terminal() {
        let changes: Vec<_> = plan.changes.iter().map(Change::shown).collect();
        let error = BeamError::new(
            ErrorCode::InvalidInput,
            format!("{} would be changed", names(plan)),
        )
        .with_hint("Look at the changes in `data`, then say --yes.")
        .with_data(json!({ "changes": changes }));
        return Err(Failure::Usage(error));
    }
    app.output.raw("Make these changes? [y/N] ")?;
    let answer = answer().await?;
    Ok(["y", "yes"].contains(&answer.trim().to_lowercase().as_str()))
}

/// One line, read where it does not keep Ctrl-C from being heard.
async fn answer() -> io::Result<String> {
    let (sender, receiver) = oneshot::channel();
    thread::spawn(move || {
        let mut line = String::new();
        let read = io::stdin().read_line(&mut line).map(|_| line);
        // Nobody listens any more when a signal came first.
        drop(sender.send(read));
    });
    receiver.await.unwrap_or_else(|_| Ok(String::new()))
}

fn names(plan: &Plan) -> String {
    let names: Vec<_> = plan
        .changes
        .iter()
        .map(|change| change.path.display().to_string())
        .collect();
    if names.is_empty() {
        return "what the service manager does".to_owned();
    }
    names.join(" and ")
}
