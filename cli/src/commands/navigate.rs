//! Commands about a position.

use lean_beam_proto::op::{
    Completions, CompletionsParams, Definition, Hover, References, ReferencesParams, SignatureHelp,
};

use super::position;
use crate::{
    app::{App, Outcome},
    args::{CompletionsArgs, PositionArgs, ReferencesArgs},
    exit_code::Exit,
    output::human,
};

/// Shows what Lean says about a position.
pub(super) async fn hover(app: &App, args: &PositionArgs) -> Outcome {
    let asked = position::of(app, args).await?;
    let answer = asked.ask::<Hover>(app, asked.params.clone()).await?;
    app.output
        .show_answer(&answer, || human::hover(&answer.output, asked.subject()))?;
    Ok(Exit::Ok)
}

/// Shows what a function still takes.
pub(super) async fn signature_help(app: &App, args: &PositionArgs) -> Outcome {
    let asked = position::of(app, args).await?;
    let params = asked.params.clone();
    let answer = asked.ask::<SignatureHelp>(app, params).await?;
    app.output.show_answer(&answer, || {
        human::signatures(&answer.output, &asked.written)
    })?;
    Ok(Exit::Ok)
}

/// Shows where a name is defined.
pub(super) async fn definition(app: &App, args: &PositionArgs) -> Outcome {
    let asked = position::of(app, args).await?;
    let answer = asked.ask::<Definition>(app, asked.params.clone()).await?;
    let mut files = app.files(&asked.file.root)?;
    app.output.show_answer(&answer, || {
        human::definition(&answer.output, &mut files, &asked.written)
    })?;
    Ok(Exit::Ok)
}

/// Shows where a name is used.
pub(super) async fn references(app: &App, args: &ReferencesArgs) -> Outcome {
    let asked = position::of(app, &args.at).await?;
    let at = asked.params.clone();
    let params = ReferencesParams {
        path: at.path,
        version: at.version,
        line: at.line,
        character: at.character,
        anchor: at.anchor,
        include_declaration: !args.without_declaration,
    };
    let answer = asked.ask::<References>(app, params).await?;
    let mut files = app.files(&asked.file.root)?;
    app.output.show_answer(&answer, || {
        human::references(&answer.output, &mut files, &asked.written)
    })?;
    Ok(Exit::Ok)
}

/// Shows how a text can go on.
pub(super) async fn completions(app: &App, args: &CompletionsArgs) -> Outcome {
    let asked = position::of(app, &args.at).await?;
    let at = asked.params.clone();
    let params = CompletionsParams {
        path: at.path,
        version: at.version,
        line: at.line,
        character: at.character,
        anchor: at.anchor,
        limit: args.limit,
    };
    let answer = asked.ask::<Completions>(app, params).await?;
    app.output.show_answer(&answer, || {
        human::completions(&answer.output, &asked.written)
    })?;
    Ok(Exit::Ok)
}
