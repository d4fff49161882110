//! The way to a workspace for everybody else.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use lean_beam_proto::{
    BeamError, BeamResult,
    op::{CloseResult, OpenFilesResult},
    request::WorkspaceRef,
    status::{WorkspaceStats, WorkspaceStatus},
};
use tokio::{
    sync::{mpsc, oneshot},
    time::Instant,
};

use super::{
    DocumentPath, Dropped, Ensured, Eviction, Freshness, Project, config_watch::ConfigWatch,
    inbox::Inbox, servers::Servers,
};
use crate::{
    imports::{ImportGraph, Layout, SourceRoots},
    probe::Probes,
    process::ChildSpec,
    save::Builds,
    session::{DocumentWatch, MemoryKills, SessionHandle, Spare},
    text::DocumentText,
};

/// A workspace. Cheap to clone; it outlives its Lean server, and ends with the daemon.
#[derive(Debug, Clone)]
pub(crate) struct WorkspaceHandle {
    pub(super) project: Arc<Project>,
    pub(super) inbox: mpsc::UnboundedSender<Inbox>,
    pub(super) in_use: Arc<AtomicUsize>,
    /// What sources of the project import.
    pub(super) graph: Arc<ImportGraph>,
    /// Workers that were stopped for their memory.
    pub(super) kills: Arc<MemoryKills>,
    /// How the project is set up.
    pub(super) config: Arc<ConfigWatch>,
    /// Its build lane.
    pub(crate) builds: Arc<Builds>,
    pub(super) servers: Servers,
    /// Its speculation.
    pub(crate) probes: Arc<Probes>,
}

/// While it exists the workspace is in use and is not unloaded.
#[derive(Debug)]
pub(crate) struct WorkspaceLease {
    in_use: Arc<AtomicUsize>,
}

/// One version of a document, open in a server.
#[derive(Debug, Clone)]
pub(crate) struct DocumentAt {
    pub(crate) path: DocumentPath,
    pub(crate) version: u64,
    pub(crate) text: Arc<DocumentText>,
    pub(crate) watch: DocumentWatch,
    pub(crate) session: SessionHandle,
    /// Workers that were stopped for their memory.
    pub(crate) kills: Arc<MemoryKills>,
    /// Keeps the document from being let go.
    pub(super) _lease: Arc<()>,
}

impl DocumentAt {
    /// True while Lean has this very version.
    pub(crate) fn is_current(&self) -> bool {
        // Closing the document drops the other end of `watch`.
        self.watch.has_changed().is_ok() && self.watch.borrow().version == self.version
    }
}

impl WorkspaceHandle {
    /// Its name in requests and answers.
    pub(crate) fn reference(&self) -> WorkspaceRef {
        WorkspaceRef {
            root: self.project.root.display().to_string(),
        }
    }

    /// Canonical path of the root.
    pub(crate) fn root(&self) -> &Path {
        &self.project.root
    }

    /// Who makes its artifacts.
    pub(crate) fn layout(&self) -> Layout {
        self.project.layout()
    }

    /// Where its sources are.
    ///
    /// # Errors
    /// Only a fault of the daemon.
    pub(crate) async fn source_roots(&self) -> BeamResult<Arc<SourceRoots>> {
        let (project, graph) = (Arc::clone(&self.project), Arc::clone(&self.graph));
        tokio::task::spawn_blocking(move || graph.source_roots(&project.root))
            .await
            .map_err(|error| BeamError::internal(error.to_string()))
    }

    /// The program that makes artifacts: Lake where there is a lakefile, else Lean.
    ///
    /// # Errors
    /// `runtimeSetup` when it is not found.
    pub(crate) fn build_tool(&self) -> BeamResult<ChildSpec> {
        self.servers.build_tool()
    }

    /// Its server, started where there is none.
    ///
    /// # Errors
    /// `runtimeSetup` or `workerCrashed` when there is no server.
    pub(crate) async fn server(&self) -> BeamResult<SessionHandle> {
        self.ask(|reply| Inbox::Server { reply }).await?
    }

    /// Marks it as in use.
    pub(crate) fn lease(&self) -> WorkspaceLease {
        self.in_use.fetch_add(1, Ordering::Relaxed);
        WorkspaceLease {
            in_use: Arc::clone(&self.in_use),
        }
    }

    /// Finds the file that a request names.
    ///
    /// # Errors
    /// `invalidParams` when it is no Lean file of this workspace; `workspaceConfigChanged`.
    pub(crate) async fn resolve(&self, path: &str) -> BeamResult<DocumentPath> {
        let (project, config, path) = (
            Arc::clone(&self.project),
            Arc::clone(&self.config),
            path.to_owned(),
        );
        let resolved = tokio::task::spawn_blocking(move || {
            config.check()?;
            DocumentPath::resolve(&project, &path)
        });
        resolved
            .await
            .map_err(|error| BeamError::internal(error.to_string()))?
    }

    /// Checks that the project is set up as it was when its servers started.
    ///
    /// # Errors
    /// `workspaceConfigChanged`.
    pub(crate) async fn check_config(&self) -> BeamResult<()> {
        let config = Arc::clone(&self.config);
        tokio::task::spawn_blocking(move || config.check())
            .await
            .map_err(|error| BeamError::internal(error.to_string()))?
    }

    /// Brings the text that is on disk now to Lean.
    ///
    /// # Errors
    /// `invalidParams` for a file that cannot be read, `runtimeSetup` or `workerCrashed` when there is no server.
    pub(crate) async fn ensure(
        &self,
        document: &DocumentPath,
        freshness: Freshness,
    ) -> BeamResult<Ensured> {
        self.ask(|reply| Inbox::Ensure {
            document: document.clone(),
            freshness,
            reply,
        })
        .await?
    }

    /// Signature of what a document imports, as it is on disk now.
    ///
    /// # Errors
    /// `workspaceConfigChanged`: what Lean said, it said under another configuration.
    pub(crate) async fn chain_signature(&self, document: &DocumentAt) -> BeamResult<u64> {
        let (project, graph) = (Arc::clone(&self.project), Arc::clone(&self.graph));
        let config = Arc::clone(&self.config);
        let (path, text) = (document.path.path.clone(), Arc::clone(&document.text));
        let signature = tokio::task::spawn_blocking(move || {
            config.check()?;
            let chain = graph.chain(&project.root, project.layout(), &path, text.as_str());
            Ok(chain.signature)
        });
        signature
            .await
            .map_err(|error| BeamError::internal(error.to_string()))?
    }

    /// The document at the version that a client holds, opened again where need be.
    ///
    /// # Errors
    /// `contentModified`, or as [`WorkspaceHandle::ensure`].
    pub(crate) async fn lookup(
        &self,
        document: &DocumentPath,
        version: u64,
    ) -> BeamResult<DocumentAt> {
        self.ask(|reply| Inbox::Lookup {
            document: document.clone(),
            version,
            reply,
        })
        .await?
    }

    /// Closes a document.
    pub(crate) async fn close(&self, document: &DocumentPath) -> BeamResult<CloseResult> {
        self.ask(|reply| Inbox::Close {
            document: document.clone(),
            reply,
        })
        .await
    }

    /// The documents.
    pub(crate) async fn open_files(&self) -> BeamResult<OpenFilesResult> {
        self.ask(|reply| Inbox::OpenFiles { reply }).await
    }

    /// What it is doing, and the pids of its servers, one that is ending included; `None` when it was dropped.
    pub(crate) async fn status(&self) -> Option<(WorkspaceStatus, Vec<u32>)> {
        self.ask(|reply| Inbox::Status { reply }).await.ok()?
    }

    /// Its counters; `None` when it was dropped.
    pub(crate) async fn stats(&self) -> Option<WorkspaceStats> {
        let stats = self.ask(|reply| Inbox::Stats { reply }).await.ok()??;
        Some(WorkspaceStats {
            probes: self.probes.stats().await,
            ..stats
        })
    }

    /// Process ids of the servers of its documents.
    pub(crate) async fn servers(&self) -> Vec<u32> {
        self.ask(|reply| Inbox::ServerPids { reply })
            .await
            .unwrap_or_default()
    }

    /// When a request last used it; `None` while one does.
    pub(crate) async fn last_use(&self) -> Option<Instant> {
        self.ask(|reply| Inbox::LastUse { reply })
            .await
            .ok()
            .flatten()
    }

    /// The open documents that are not in use.
    pub(crate) async fn spare(&self) -> Vec<Spare> {
        self.ask(|reply| Inbox::Spare { reply })
            .await
            .unwrap_or_default()
    }

    /// Closes a document unless it is in use.
    pub(crate) async fn evict(&self, uri: &str, why: Eviction) -> bool {
        self.ask(|reply| Inbox::Evict {
            uri: uri.to_owned(),
            why,
            reply,
        })
        .await
        .unwrap_or(false)
    }

    /// Stops its servers unless there is work.
    pub(crate) fn unload(&self) {
        self.inbox.send(Inbox::Unload).ok();
    }

    /// A worker of `uri` is about to be stopped for its memory.
    pub(crate) fn note_memory_kill(&self, uri: &str, bytes: u64, ceiling: u64) {
        self.kills.note(uri, bytes, ceiling);
    }

    /// Sets its counters to zero.
    pub(crate) fn reset_stats(&self) {
        self.inbox.send(Inbox::ResetStats).ok();
        self.kills.reset_count();
        self.probes.reset_stats();
    }

    /// The text of a document that Lean has.
    ///
    /// # Errors
    /// `invalidParams` when it is not open.
    pub(crate) async fn text(&self, document: &DocumentPath) -> BeamResult<Arc<DocumentText>> {
        self.ask(|reply| Inbox::Text {
            document: document.clone(),
            reply,
        })
        .await?
    }

    /// Stops its servers and forgets its documents and handles.
    pub(crate) async fn drop_all(&self) -> Dropped {
        self.ask(|reply| Inbox::Drop { reply })
            .await
            .unwrap_or_default()
    }

    async fn ask<T>(&self, message: impl FnOnce(oneshot::Sender<T>) -> Inbox) -> BeamResult<T> {
        let (reply, answer) = oneshot::channel();
        // A closed inbox shows as a closed reply.
        self.inbox.send(message(reply)).ok();
        answer
            .await
            .map_err(|_| BeamError::internal("a workspace is gone while the daemon runs"))
    }
}

impl Drop for WorkspaceLease {
    fn drop(&mut self) {
        self.in_use.fetch_sub(1, Ordering::Relaxed);
    }
}
