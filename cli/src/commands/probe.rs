//! Commands that run texts without touching the file.

use std::time::{Duration, Instant};

use lean_beam_proto::{
    client::Answer,
    op::{
        Operation, Release, ReleaseParams, RunAt, RunAtHandle, RunAtParams, RunResult, RunWith,
        RunWithLinear, RunWithParams, Try, TryParams,
    },
};

use super::position::{self, Asked};
use crate::{
    app::{App, Failure, Outcome},
    args::{ReleaseArgs, RunAtArgs, RunWithArgs, TryArgs},
    exit_code::Exit,
    input::{self, Text},
    output::human::{self, words::counted},
};

/// Runs a text at a position.
pub(super) async fn run_at(app: &App, args: &RunAtArgs) -> Outcome {
    at_position::<RunAt>(app, args).await
}

/// Runs a text at a position and keeps a handle.
pub(super) async fn run_at_handle(app: &App, args: &RunAtArgs) -> Outcome {
    at_position::<RunAtHandle>(app, args).await
}

/// Runs a text after those of a handle.
pub(super) async fn run_with(app: &App, args: &RunWithArgs) -> Outcome {
    after_handle::<RunWith>(app, args).await
}

/// Runs a text after those of a handle, which ends.
pub(super) async fn run_with_linear(app: &App, args: &RunWithArgs) -> Outcome {
    after_handle::<RunWithLinear>(app, args).await
}

/// Gives up a handle. That it has ended already is no failure.
pub(super) async fn release(app: &App, args: &ReleaseArgs) -> Outcome {
    let file = app.project_of_file(&args.file)?;
    let params = ReleaseParams {
        path: file.path.clone(),
        handle: args.handle.clone(),
    };
    let answer = app
        .ask_project::<Release>(&file.root, params, &file.path)
        .await?;
    app.output.show_answer(&answer, || {
        if answer.output.released {
            format!("released {}\n", args.handle)
        } else {
            format!("{} had ended already\n", args.handle)
        }
    })?;
    Ok(Exit::Ok)
}

/// Tries candidates at a position.
pub(super) async fn try_candidates(app: &App, args: &TryArgs) -> Outcome {
    let (place, inline) = args.at.place().map_err(Failure::Usage)?;
    let candidates = input::candidates(inline, args.stdin, args.candidates_file.as_deref()).await?;
    let asked = position::resolve(app, &place, &args.at.pin).await?;
    let subject = format!("trying {}", counted(candidates.len(), "candidate"));
    let started = Instant::now();
    let params = try_params(&asked, args, candidates.clone());
    let answer = asked.ask_about::<Try>(app, params, &subject).await?;
    let elapsed = started.elapsed();
    app.output.show_answer(&answer, || {
        human::attempts(&answer.output, &candidates, &asked.written, elapsed)
    })?;
    Ok(verdict(answer.output.first_success.is_some()))
}

async fn at_position<O>(app: &App, args: &RunAtArgs) -> Outcome
where
    O: Operation<Params = RunAtParams, Output = RunResult>,
{
    let (place, inline) = args.at.place().map_err(Failure::Usage)?;
    let text = input::text(inline, &args.source).await?;
    let asked = position::resolve(app, &place, &args.at.pin).await?;
    let started = Instant::now();
    let params = run_at_params(&asked, text.text.clone());
    let answer = asked.ask::<O>(app, params).await?;
    show(app, &answer, &text, &asked.written, started.elapsed())
}

async fn after_handle<O>(app: &App, args: &RunWithArgs) -> Outcome
where
    O: Operation<Params = RunWithParams, Output = RunResult>,
{
    let inline: Vec<_> = args.text.iter().cloned().collect();
    let text = input::text(&inline, &args.source).await?;
    let file = app.project_of_file(&args.file)?;
    let params = RunWithParams {
        path: file.path.clone(),
        handle: args.handle.clone(),
        text: text.text.clone(),
    };
    let started = Instant::now();
    let answer = app.ask_project::<O>(&file.root, params, &file.path).await?;
    let place = format!("{} after {}", file.shown, args.handle);
    show(app, &answer, &text, &place, started.elapsed())
}

fn show(
    app: &App,
    answer: &Answer<RunResult>,
    text: &Text,
    place: &str,
    elapsed: Duration,
) -> Outcome {
    app.output.show_answer(answer, || {
        human::run(&answer.output, (&text.name, &text.text), place, elapsed)
    })?;
    Ok(verdict(answer.output.success))
}

fn verdict(success: bool) -> Exit {
    if success { Exit::Ok } else { Exit::LeanSaysNo }
}

fn run_at_params(asked: &Asked, text: String) -> RunAtParams {
    let at = asked.params.clone();
    RunAtParams {
        path: at.path,
        version: at.version,
        line: at.line,
        character: at.character,
        anchor: at.anchor,
        text,
    }
}

fn try_params(asked: &Asked, args: &TryArgs, candidates: Vec<String>) -> TryParams {
    let at = asked.params.clone();
    let millis = |limit: Duration| u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
    TryParams {
        path: at.path,
        version: at.version,
        line: at.line,
        character: at.character,
        anchor: at.anchor,
        candidates,
        stop_on_first: args.stop_on_first,
        // A limit below a millisecond is still one.
        per_candidate_ms: args.per_candidate.map(|limit| millis(limit).max(1)),
    }
}
