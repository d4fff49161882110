//! What a workspace tells about itself.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use lean_beam_proto::{
    op::{DocumentState, OpenFile, OpenFilesResult},
    status::{ProbeStats, SessionState, WorkspaceStats, WorkspaceStatus},
    text::DiagnosticCounts,
};

use super::{actor::Actor, mirror::Document, restart::Verdict};
use crate::session::{SessionHandle, SessionState as Server};

impl Actor {
    pub(super) fn open_files(&self) -> OpenFilesResult {
        let mut files: Vec<_> = self.mirror.iter().map(open_file).collect();
        files.sort_by(|left, right| left.path.cmp(&right.path));
        OpenFilesResult { files }
    }

    pub(super) fn status(&mut self) -> (WorkspaceStatus, Vec<u32>) {
        let server = self
            .server
            .as_ref()
            .map(SessionHandle::state)
            .unwrap_or_default();
        let (state, reason) = self.session_state(&server);
        let status = WorkspaceStatus {
            root: self.project.root.display().to_string(),
            toolchain: self.project.toolchain(),
            command: self.servers.shown_command(),
            server: server.server,
            state,
            reason,
            open_documents: self
                .mirror
                .iter()
                .filter(|document| document.open.is_some())
                .count(),
            documents: self.mirror.len(),
            idle_ms: if self.in_use.load(Ordering::Relaxed) > 0 {
                0
            } else {
                self.last_use.elapsed().as_millis() as u64
            },
            processes: Vec::new(),
        };
        (status, self.server_pids())
    }

    fn session_state(&mut self, server: &Server) -> (SessionState, Option<String>) {
        match (&self.server, &server.server) {
            (Some(_), Some(_)) => return (SessionState::Running, None),
            (Some(_), None) => return (SessionState::Starting, None),
            (None, _) if self.servers_left().next().is_some() => {
                return (SessionState::Stopping, None);
            }
            (None, _) => {}
        }
        let reason = self.last_end.as_ref().map(|end| end.reason.clone());
        match self.history.verdict(Instant::now()) {
            Verdict::GivenUp { .. } => (SessionState::GivenUp, reason),
            Verdict::StartAfter(pause) if pause > Duration::ZERO => (SessionState::Crashed, reason),
            Verdict::StartAfter(_) => (SessionState::Stopped, reason),
        }
    }

    pub(super) fn stats(&self) -> WorkspaceStats {
        let session = &self.servers.counters;
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        WorkspaceStats {
            root: self.project.root.display().to_string(),
            servers_started: self.counters.servers_started,
            server_crashes: self.counters.server_crashes,
            worker_crashes: read(&session.worker_crashes),
            documents_opened: read(&session.documents_opened),
            edits: read(&session.edits),
            lean_requests: read(&session.lean_requests),
            overtaken: read(&session.overtaken),
            cancelled: read(&session.cancelled),
            documents_evicted: self.counters.documents_evicted,
            workers_recycled: self.counters.workers_recycled,
            workers_over_ceiling: self.kills.count(),
            unloads: self.counters.unloads,
            probes: ProbeStats::default(),
        }
    }
}

fn open_file(document: &Document) -> OpenFile {
    let (state, counts) = match &document.open {
        None => (DocumentState::Unloaded, DiagnosticCounts::default()),
        Some(watch) => {
            let snapshot = watch.borrow();
            let state = match () {
                () if snapshot.fatal || snapshot.crashed => DocumentState::Failed,
                () if snapshot.done => DocumentState::Done,
                () => DocumentState::Processing,
            };
            (
                state,
                DiagnosticCounts::of(
                    snapshot
                        .diagnostics
                        .iter()
                        .map(|diagnostic| diagnostic.severity),
                ),
            )
        }
    };
    OpenFile {
        path: document.path.display.clone(),
        uri: document.path.uri.clone(),
        version: document.version,
        hash: document.text.hash_hex(),
        lines: document.text.line_count(),
        state,
        counts,
    }
}
