//! Commands that bring files to Lean.

use std::time::Instant;

use lean_beam_proto::{
    client::Answer,
    op::{
        Close, CloseParams, DiagnosticScope, Empty, OpenFiles, Operation, Refresh, Sync,
        SyncParams, SyncResult, Update, UpdateParams,
    },
};

use crate::{
    app::{App, Outcome},
    args::{FileArgs, Scope, SyncArgs},
    exit_code::Exit,
    output::human,
    root::ProjectFile,
    source::Source,
};

/// Checks a file.
pub(super) async fn sync(app: &App, args: &SyncArgs) -> Outcome {
    verdict::<Sync>(app, args).await
}

/// Checks a file with a fresh Lean.
pub(super) async fn refresh(app: &App, args: &SyncArgs) -> Outcome {
    verdict::<Refresh>(app, args).await
}

/// Tells Lean about a file.
pub(super) async fn update(app: &App, args: &FileArgs) -> Outcome {
    let file = app.project_of_file(&args.file)?;
    let params = UpdateParams {
        path: file.path.clone(),
    };
    let answer = app
        .ask_project::<Update>(&file.root, params, &file.path)
        .await?;
    app.output
        .show_answer(&answer, || human::updated(&file.shown, &answer.output))?;
    Ok(Exit::Ok)
}

/// Closes a file.
pub(super) async fn close(app: &App, args: &FileArgs) -> Outcome {
    let file = app.project_of_file(&args.file)?;
    let params = CloseParams {
        path: file.path.clone(),
    };
    let answer = app
        .ask_project::<Close>(&file.root, params, &file.path)
        .await?;
    app.output
        .show_answer(&answer, || human::closed(&file.shown, &answer.output))?;
    Ok(Exit::Ok)
}

/// Lists open files.
pub(super) async fn open_files(app: &App) -> Outcome {
    let root = app.project()?;
    let answer = app
        .ask_project::<OpenFiles>(&root, Empty {}, "open files")
        .await?;
    app.output
        .show_answer(&answer, || human::open_files(&answer.output))?;
    Ok(Exit::Ok)
}

async fn verdict<O>(app: &App, args: &SyncArgs) -> Outcome
where
    O: Operation<Params = SyncParams, Output = SyncResult>,
{
    let file = app.project_of_file(&args.file)?;
    let before = file.read();
    let started = Instant::now();
    let answer = app
        .ask_project::<O>(&file.root, params(app, args, &file), &file.path)
        .await?;
    let elapsed = started.elapsed();
    app.output.show_answer(&answer, || {
        let source = before.filter(|before| file.still_is(before));
        report(&file, &answer, source.as_ref())
            + &human::sync_summary(&file.shown, &answer.output, elapsed)
    })?;
    Ok(if answer.output.readiness.save_ready {
        Exit::Ok
    } else {
        Exit::LeanSaysNo
    })
}

/// People want to see warnings and output too; programs ask for what they need.
fn params(app: &App, args: &SyncArgs, file: &ProjectFile) -> SyncParams {
    let default = if app.output.is_json() {
        Scope::Errors
    } else {
        Scope::All
    };
    SyncParams {
        path: file.path.clone(),
        diagnostic_scope: DiagnosticScope::from(args.scope.unwrap_or(default)),
        diagnostics_in_result: args.items || !app.output.is_json(),
    }
}

fn report(file: &ProjectFile, answer: &Answer<SyncResult>, source: Option<&Source>) -> String {
    let result = &answer.output;
    let items = result.diagnostics.items.as_deref().unwrap_or_default();
    let mut text = human::diagnostics(&file.shown, source, items);
    if result.diagnostics.truncated {
        text.push_str(&format!(
            "These are the first {} of {}.\n",
            items.len(),
            human::words::counted(result.diagnostics.counts.total, "message")
        ));
    }
    text
}
