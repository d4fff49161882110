//! Commands about requests, counters and whole workspaces.

use lean_beam_proto::op::{Cancel, CancelParams, DropWorkspace, Empty, ResetStats, Stats};

use crate::{
    app::{App, Outcome},
    args::CancelArgs,
    exit_code::Exit,
    output::human::{self, words::counted},
};

/// Stops a project's Lean processes.
pub(super) async fn drop_workspace(app: &App) -> Outcome {
    let root = app.project()?;
    let answer = app
        .ask_project::<DropWorkspace>(&root, Empty {}, "stopping Lean")
        .await?;
    app.output.show_answer(&answer, || {
        let name = root.display();
        match (answer.output.dropped, answer.output.invalidated_handles) {
            (false, _) => format!("{name} was not open\n"),
            (true, 0) => format!("dropped {name}\n"),
            (true, handles) => format!("dropped {name} and {}\n", counted(handles, "handle")),
        }
    })?;
    Ok(Exit::Ok)
}

/// Shows the counters.
pub(super) async fn stats(app: &App) -> Outcome {
    let answer = app.ask::<Stats>(Empty {}).await?;
    app.output
        .show_answer(&answer, || human::stats(&answer.output))?;
    Ok(Exit::Ok)
}

/// Sets the counters to zero.
pub(super) async fn reset_stats(app: &App) -> Outcome {
    let answer = app.ask::<ResetStats>(Empty {}).await?;
    app.output
        .show_answer(&answer, || "the counters start again\n".to_owned())?;
    Ok(Exit::Ok)
}

/// Cancels a request. That it has ended by itself in the meantime is no failure.
pub(super) async fn cancel(app: &App, args: CancelArgs) -> Outcome {
    let request_id = args.request_id;
    let params = CancelParams {
        request_id: request_id.clone(),
    };
    let answer = app.ask::<Cancel>(params).await?;
    app.output.show_answer(&answer, || {
        if answer.output.cancelled {
            format!("cancelled {request_id}\n")
        } else {
            format!("no request named {request_id} is in flight\n")
        }
    })?;
    Ok(Exit::Ok)
}
