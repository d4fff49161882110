//! Commands that make the artifacts of a module.

use std::time::{Duration, Instant};

use lean_beam_proto::{
    BeamError,
    op::{CloseSave, Operation, Save, SaveParams},
};

use crate::{
    app::{App, Outcome},
    args::FileArgs,
    exit_code::Exit,
    output::human,
    root::ProjectFile,
    source::Source,
};

/// Builds a module.
pub(super) async fn save(app: &App, args: &FileArgs) -> Outcome {
    run::<Save>(app, args, |result, shown, elapsed, name| {
        human::saved(shown, result, elapsed, name)
    })
    .await
}

/// Builds a module and closes its file.
pub(super) async fn close_save(app: &App, args: &FileArgs) -> Outcome {
    run::<CloseSave>(app, args, |result, shown, elapsed, name| {
        human::close_saved(shown, result, elapsed, name)
    })
    .await
}

/// Asks, and shows the result as `human` says; its last argument tells how people find a file. A file that Lean
/// has errors in is a verdict like that of `sync`, not a failed request.
async fn run<O>(
    app: &App,
    args: &FileArgs,
    human: impl FnOnce(&O::Output, &str, Duration, &dyn Fn(&str) -> String) -> String,
) -> Outcome
where
    O: Operation<Params = SaveParams>,
{
    let file = app.project_of_file(&args.file)?;
    let before = file.read();
    let params = SaveParams {
        path: file.path.clone(),
        ..SaveParams::default()
    };
    let started = Instant::now();
    let asked = app.ask_project::<O>(&file.root, params, &file.path).await;
    let elapsed = started.elapsed();
    let answer = match asked {
        Ok(answer) => answer,
        Err(error) => return refused(app, &file, before, error, elapsed),
    };
    let files = app.files(&file.root)?;
    app.output.show_answer(&answer, || {
        human(&answer.output, &file.shown, elapsed, &|path| {
            files.shown(path)
        })
    })?;
    Ok(Exit::Ok)
}

/// Shows the errors that keep a file from being saved; any other failure goes on as one.
fn refused(
    app: &App,
    file: &ProjectFile,
    before: Option<Source>,
    error: BeamError,
    elapsed: Duration,
) -> Outcome {
    let Some(refusal) = human::Refusal::of(&error) else {
        return Err(error.into());
    };
    if app.output.is_json() {
        app.output.failure(&error);
    } else {
        let source = before.filter(|before| file.still_is(before));
        app.output
            .text(&refusal.text(&file.shown, source.as_ref(), elapsed))?;
    }
    Ok(Exit::LeanSaysNo)
}
