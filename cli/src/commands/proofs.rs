//! Commands about proofs.

use lean_beam_proto::op::{
    CheckAxioms, CheckAxiomsParams, Goals, GoalsParams, PositionParams, TermGoal,
};

use super::position;
use crate::{
    app::{App, Outcome},
    args::{AxiomsArgs, GoalsArgs, PositionArgs},
    exit_code::Exit,
    output::human,
};

/// Shows the goals at a position.
pub(super) async fn goals(app: &App, args: &GoalsArgs) -> Outcome {
    let asked = position::of(app, &args.at).await?;
    let params = goals_params(asked.params.clone(), args);
    let answer = asked.ask::<Goals>(app, params).await?;
    app.output.show_answer(&answer, || {
        human::goals(&answer.output, args.side.into(), asked.subject())
    })?;
    Ok(Exit::Ok)
}

/// Shows what is expected of a term.
pub(super) async fn term_goal(app: &App, args: &PositionArgs) -> Outcome {
    let asked = position::of(app, args).await?;
    let answer = asked.ask::<TermGoal>(app, asked.params.clone()).await?;
    app.output.show_answer(&answer, || {
        human::term_goal(&answer.output, asked.subject())
    })?;
    Ok(Exit::Ok)
}

/// Shows the axioms of a declaration.
pub(super) async fn check_axioms(app: &App, args: &AxiomsArgs) -> Outcome {
    let file = app.project_of_file(&args.file)?;
    let params = CheckAxiomsParams {
        path: file.path.clone(),
        version: position::version(app, &file, args.version).await?,
        name: args.name.clone(),
    };
    let answer = app
        .ask_project::<CheckAxioms>(&file.root, params, &file.path)
        .await?;
    app.output
        .show_answer(&answer, || human::axioms(&answer.output))?;
    Ok(if answer.output.uses_sorry {
        Exit::LeanSaysNo
    } else {
        Exit::Ok
    })
}

fn goals_params(at: PositionParams, args: &GoalsArgs) -> GoalsParams {
    GoalsParams {
        path: at.path,
        version: at.version,
        line: at.line,
        character: at.character,
        anchor: at.anchor,
        mode: args.side.into(),
    }
}
