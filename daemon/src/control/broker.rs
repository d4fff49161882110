//! Which workspaces exist.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use futures_util::future::join_all;
use lean_beam_proto::{BeamError, BeamResult};

use crate::workspace::{Project, WorkspaceContext, WorkspaceHandle};

/// The only owner of the table of workspaces, by canonical root: aliases of a root share one entry.
#[derive(Debug)]
pub(crate) struct Broker {
    context: WorkspaceContext,
    // Held for single look-ups only, never across an await.
    workspaces: Mutex<BTreeMap<PathBuf, WorkspaceHandle>>,
}

impl Broker {
    pub(crate) fn new(context: WorkspaceContext) -> Self {
        Self {
            context,
            workspaces: Mutex::default(),
        }
    }

    /// The workspace of a root as a client names it; made when there is none.
    ///
    /// # Errors
    /// `invalidInput` when the root is no project.
    pub(crate) async fn workspace(&self, root: &str) -> BeamResult<WorkspaceHandle> {
        let given = root.to_owned();
        let detected = tokio::task::spawn_blocking(move || Project::detect(&given))
            .await
            .map_err(|error| BeamError::internal(error.to_string()))?;
        let project = match detected {
            Ok(project) => project,
            Err(error) => {
                self.reap(root);
                return Err(error);
            }
        };
        let mut workspaces = self.lock();
        let workspace = workspaces
            .entry(project.root.clone())
            .or_insert_with(|| WorkspaceHandle::start(project, &self.context));
        Ok(workspace.clone())
    }

    /// A root that is no project any more needs no servers.
    fn reap(&self, root: &str) {
        if let Some(workspace) = self.get(Path::new(root)) {
            tracing::info!(root, "the root is gone; stopping its servers");
            self.context
                .tasks
                .spawn(async move { workspace.drop_all().await });
        }
    }

    /// The workspace of a root, only if there is one. The root itself may be gone.
    pub(crate) async fn existing(&self, root: &str) -> Option<WorkspaceHandle> {
        let given = PathBuf::from(root);
        let canonical =
            tokio::task::spawn_blocking(move || std::fs::canonicalize(&given).unwrap_or(given))
                .await
                .ok()?;
        self.get(&canonical)
    }

    fn get(&self, root: &Path) -> Option<WorkspaceHandle> {
        self.lock().get(root).cloned()
    }

    /// All of them, by root.
    pub(crate) fn all(&self) -> Vec<WorkspaceHandle> {
        self.lock().values().cloned().collect()
    }

    /// Stops every Lean server, all at once, and waits until they are gone.
    pub(crate) async fn stop_all(&self) {
        let workspaces = self.all();
        join_all(workspaces.iter().map(WorkspaceHandle::drop_all)).await;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<PathBuf, WorkspaceHandle>> {
        self.workspaces
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
