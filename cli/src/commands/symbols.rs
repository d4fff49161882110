//! Commands about what a file and a project declare.

use lean_beam_proto::op::{
    DocumentSymbols, DocumentSymbolsParams, WorkspaceSymbols, WorkspaceSymbolsParams,
};

use super::position;
use crate::{
    app::{App, Outcome},
    args::{DocumentSymbolsArgs, WorkspaceSymbolsArgs},
    exit_code::Exit,
    output::human,
};

/// Shows what a file declares.
pub(super) async fn document_symbols(app: &App, args: &DocumentSymbolsArgs) -> Outcome {
    let file = app.project_of_file(&args.file)?;
    let params = DocumentSymbolsParams {
        path: file.path.clone(),
        version: position::version(app, &file, args.version).await?,
    };
    let answer = app
        .ask_project::<DocumentSymbols>(&file.root, params, &file.path)
        .await?;
    app.output.show_answer(&answer, || {
        human::document_symbols(&answer.output, &file.shown)
    })?;
    Ok(Exit::Ok)
}

/// Finds declarations by name.
pub(super) async fn workspace_symbols(app: &App, args: &WorkspaceSymbolsArgs) -> Outcome {
    let root = app.project()?;
    let params = WorkspaceSymbolsParams {
        query: args.query.clone(),
        limit: args.limit,
    };
    let answer = app
        .ask_project::<WorkspaceSymbols>(&root, params, "looking for names")
        .await?;
    let files = app.files(&root)?;
    app.output.show_answer(&answer, || {
        human::workspace_symbols(&answer.output, &args.query, &files)
    })?;
    Ok(Exit::Ok)
}
