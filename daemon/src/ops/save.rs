//! `save` and `close_save`: the artifacts of one module, after a clean verdict on exactly that text.

use std::path::{Path, PathBuf};

use lean_beam_proto::{
    BeamError, BeamResult, ErrorCode,
    event::Event,
    op::{CloseSaveResult, SaveParams, SaveResult, SyncParams, SyncResult},
};
use serde_json::json;

use super::{
    OpContext,
    sync::{Judged, judge},
};
use crate::{
    imports::{ArtifactPaths, Chain},
    save::SavePlan,
    workspace::{DocumentAt, DocumentPath, Freshness, WorkspaceHandle},
};

pub(super) async fn save(context: &OpContext<'_>, params: SaveParams) -> BeamResult<SaveResult> {
    let path = context.document(&params.path).await?;
    let workspace = context.workspace()?;
    let modules = modules(workspace, &path).await?;
    let sync = SyncParams {
        path: params.path,
        diagnostic_scope: params.diagnostic_scope,
        diagnostics_in_result: false,
    };
    let Judged {
        result,
        document,
        chain,
    } = judge(context, &sync, Freshness::Verdict).await?;
    if !result.readiness.save_ready {
        return Err(not_ready(&modules[0], &result));
    }
    let (module, artifacts) = build(context, &document, &chain, &modules).await?;
    Ok(saved(module, &document, &artifacts, result))
}

/// Builds the first of `modules` that the project has. Lake is asked for the less likely names of a file only
/// when it does not know the likelier ones.
async fn build(
    context: &OpContext<'_>,
    document: &DocumentAt,
    chain: &Chain,
    modules: &[String],
) -> BeamResult<(String, ArtifactPaths)> {
    let workspace = context.workspace()?;
    let mut unknown = None;
    for module in modules {
        let plan = SavePlan {
            root: workspace.root().to_owned(),
            layout: workspace.layout(),
            tool: workspace.build_tool()?,
            module: module.clone(),
            source: document.path.path.clone(),
            text: document.text.clone(),
            imports: chain.direct.clone(),
        };
        report(context, document, &format!("building {module}"));
        let progress = |line: &str| report(context, document, line);
        match workspace.builds.save(&plan, progress).await {
            Ok(artifacts) => return Ok((plan.module, artifacts)),
            Err(error) if error.code == ErrorCode::SaveTargetNotModule => {
                unknown.get_or_insert(error);
            }
            Err(error) => return Err(error),
        }
    }
    Err(unknown.unwrap_or_else(|| not_a_module(workspace, &document.path)))
}

pub(super) async fn close_save(
    context: &OpContext<'_>,
    params: SaveParams,
) -> BeamResult<CloseSaveResult> {
    let path = params.path.clone();
    let saved = save(context, params).await?;
    let document = context.document(&path).await?;
    context.workspace()?.close(&document).await?;
    Ok(CloseSaveResult {
        closed: true,
        saved,
    })
}

fn report(context: &OpContext<'_>, document: &DocumentAt, line: &str) {
    context.events.try_send(Event::Setup {
        path: document.path.display.clone(),
        message: line.to_owned(),
    });
}

/// The modules that a file may be, likeliest first and at least one.
async fn modules(workspace: &WorkspaceHandle, path: &DocumentPath) -> BeamResult<Vec<String>> {
    let modules = workspace.source_roots().await?.modules_of(&path.path);
    if modules.is_empty() {
        return Err(not_a_module(workspace, path));
    }
    Ok(modules)
}

fn not_a_module(workspace: &WorkspaceHandle, path: &DocumentPath) -> BeamError {
    let message = format!(
        "{} is no module of {}",
        path.display,
        workspace.root().display()
    );
    BeamError::new(ErrorCode::SaveTargetNotModule, message)
        .with_hint("A module lies below the root, and each part of its path is an identifier.")
        .with_data(json!({ "path": path.display }))
}

fn not_ready(module: &str, result: &SyncResult) -> BeamError {
    BeamError::new(ErrorCode::SaveFailed, format!("{module} has {} errors; nothing was saved", result.readiness.blocking_error_count))
        .with_hint("Mend the errors in `data.readiness`, then save again.")
        .with_data(json!({ "module": module, "path": result.path, "version": result.version, "readiness": result.readiness, "diagnostics": result.diagnostics }))
}

fn saved(
    module: String,
    document: &DocumentAt,
    artifacts: &ArtifactPaths,
    result: SyncResult,
) -> SaveResult {
    let text = |path: &Path| path.display().to_string();
    let optional = |path: PathBuf| path.is_file().then(|| path.display().to_string());
    let document_progress = result.document_progress.clone();
    SaveResult {
        path: result.path.clone(),
        module,
        version: result.version,
        source_hash: document.text.hash_hex(),
        olean: text(&artifacts.olean),
        ilean: text(&artifacts.ilean),
        c: text(&artifacts.c),
        trace: text(&artifacts.trace),
        olean_server: optional(artifacts.olean.with_extension("olean.server")),
        olean_private: optional(artifacts.olean.with_extension("olean.private")),
        ir: optional(artifacts.olean.with_extension("ir")),
        bc: optional(artifacts.c.with_extension("bc")),
        sync: result.into(),
        document_progress,
    }
}
