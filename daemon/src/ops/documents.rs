//! Operations on the mirror: update, close, the list of documents, dropping all of it.

use lean_beam_proto::{
    BeamResult,
    op::{
        CloseParams, CloseResult, DropWorkspaceResult, OpenFilesResult, UpdateParams, UpdateResult,
    },
};

use super::OpContext;
use crate::workspace::{Dropped, Freshness};

pub(super) async fn update(
    context: &OpContext<'_>,
    params: UpdateParams,
) -> BeamResult<UpdateResult> {
    let document = context.document(&params.path).await?;
    let ensured = context
        .workspace()?
        .ensure(&document, Freshness::Text)
        .await?;
    Ok(UpdateResult {
        path: document.display,
        version: ensured.document.version,
        changed: ensured.changed,
    })
}

pub(super) async fn close(context: &OpContext<'_>, params: CloseParams) -> BeamResult<CloseResult> {
    let document = context.document(&params.path).await?;
    context.workspace()?.close(&document).await
}

pub(super) async fn open_files(context: &OpContext<'_>) -> BeamResult<OpenFilesResult> {
    context.workspace()?.open_files().await
}

/// The root need not exist any more; a workspace that was never used has nothing to drop.
pub(super) async fn drop_workspace(context: &OpContext<'_>) -> DropWorkspaceResult {
    let dropped = match context.workspace() {
        Ok(workspace) => workspace.drop_all().await,
        Err(_) => Dropped::default(),
    };
    DropWorkspaceResult {
        dropped: dropped.had_anything,
        reason: (!dropped.had_anything).then(|| "notFound".to_owned()),
        invalidated_handles: dropped.invalidated_handles,
    }
}
