//! Commands about a position.

use lean_beam_proto::op::Hover;

use super::position;
use crate::{
    app::{App, Failure, Outcome},
    args::PositionArgs,
    exit_code::Exit,
    output::human,
};

/// Shows what Lean says about a position.
pub(super) async fn hover(app: &App, args: &PositionArgs) -> Outcome {
    let place = args.place().map_err(Failure::Usage)?;
    let asked = position::resolve(app, &place, &args.pin).await?;
    let answer = app
        .ask_project::<Hover>(&asked.file.root, asked.params.clone(), &asked.file.path)
        .await
        .map_err(|error| asked.in_the_users_count(error))?;
    app.output
        .show_answer(&answer, || human::hover(&answer.output, asked.subject()))?;
    Ok(Exit::Ok)
}
