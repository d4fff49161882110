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
    imports::{ArtifactPaths, module_of_path},
    save::SavePlan,
    workspace::{DocumentAt, DocumentPath, Freshness, WorkspaceHandle},
};

pub(super) async fn save(context: &OpContext<'_>, params: SaveParams) -> BeamResult<SaveResult> {
    let path = context.document(&params.path).await?;
    let workspace = context.workspace()?;
    let module = module_name(workspace, &path)?;
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
        return Err(not_ready(&module, &result));
    }
    let plan = SavePlan {
        root: workspace.root().to_owned(),
        layout: workspace.layout(),
        tool: workspace.build_tool()?,
        module,
        source: document.path.path.clone(),
        text: document.text.clone(),
        imports: chain.direct.clone(),
    };
    report(context, &document, &format!("building {}", plan.module));
    let artifacts = workspace
        .builds
        .save(&plan, |line| report(context, &document, line))
        .await?;
    Ok(saved(plan.module, &document, &artifacts, result))
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

fn module_name(workspace: &WorkspaceHandle, path: &DocumentPath) -> BeamResult<String> {
    module_of_path(workspace.root(), &path.path).ok_or_else(|| {
        BeamError::new(
            ErrorCode::SaveTargetNotModule,
            format!(
                "{} is no module of {}",
                path.display,
                workspace.root().display()
            ),
        )
        .with_hint("A module lies below the root, and each part of its path is an identifier.")
        .with_data(json!({ "path": path.display }))
    })
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
