//! The documents of a workspace: read from disk, brought to Lean, let go.

use std::{sync::Arc, time::Instant};

use lean_beam_proto::{BeamError, BeamResult, op::CloseResult};

use super::{
    super::{
        DocumentPath, Ensured, Freshness,
        disk::{self, DiskRead},
        handle::DocumentAt,
        inbox::{EnsureReply, Eviction, Inbox},
        mirror::{Change, Document},
    },
    Actor, ReadQueue, answer,
};
use crate::{
    lsp::DependencyBuildMode,
    session::{MemoryKills, SessionHandle, Spare},
};

impl Actor {
    pub(super) fn ensure(
        &mut self,
        document: DocumentPath,
        freshness: Freshness,
        reply: EnsureReply,
    ) {
        self.touch();
        match self.reads.get_mut(&document.uri) {
            Some(queue) => queue.next.push((freshness, reply)),
            None => {
                self.reads.insert(
                    document.uri.clone(),
                    ReadQueue {
                        current: vec![(freshness, reply)],
                        next: Vec::new(),
                    },
                );
                self.start_read(document);
            }
        }
    }

    fn start_read(&self, document: DocumentPath) {
        let (inbox, limit) = (self.inbox.clone(), self.context.config.limits.file_bytes);
        let (project, graph) = (Arc::clone(&self.project), Arc::clone(&self.graph));
        self.context.tasks.spawn_blocking(move || {
            let read = disk::read_with_imports(&document, limit, &project, &graph);
            inbox.send(Inbox::ReadDone { document, read }).ok();
        });
    }

    pub(super) fn read_done(&mut self, document: &DocumentPath, read: &BeamResult<DiskRead>) {
        let Some(mut queue) = self.reads.remove(&document.uri) else {
            return;
        };
        for (freshness, reply) in std::mem::take(&mut queue.current) {
            let outcome = read
                .clone()
                .and_then(|read| self.apply(document, read, freshness));
            answer(reply, outcome);
        }
        if !queue.next.is_empty() {
            queue.current = std::mem::take(&mut queue.next);
            self.reads.insert(document.uri.clone(), queue);
            self.start_read(document.clone());
        }
    }

    /// Brings a text to Lean: an edit where the document is open, alive and has loaded what its imports are
    /// now; a new worker otherwise.
    fn apply(
        &mut self,
        path: &DocumentPath,
        read: DiskRead,
        freshness: Freshness,
    ) -> BeamResult<Ensured> {
        let server = self.ensure_server()?;
        let DiskRead { text, chain } = read;
        if self
            .mirror
            .get_by_uri(&path.uri)
            .is_none_or(|document| document.open.is_none())
        {
            self.make_room();
        }
        let (document, change) = self.mirror.put(path, text);
        // With stale imports there will be no verdict: a new worker would be for nothing.
        let can_load = chain.cycle.is_none() && chain.stale().next().is_none();
        let loads_others =
            freshness != Freshness::Text && can_load && document.loaded != Some(chain.signature);
        if loads_others || needs_new_worker(document, freshness) {
            if change == Change::Same {
                document.raise_version();
            }
            // Only an explicit refresh may make Lake build imports.
            let mode = if freshness == Freshness::Worker {
                DependencyBuildMode::Once
            } else {
                DependencyBuildMode::Never
            };
            // A document that was let go comes back unseen, unless its imports are others by now.
            let lanes_differ = document.open.is_some()
                || document
                    .loaded
                    .is_some_and(|loaded| loaded != chain.signature);
            self.kills.forget(&path.uri);
            open_in(&server, document, mode);
            document.loaded = Some(chain.signature);
            document.is_alone = chain.modules.is_empty();
            if lanes_differ {
                self.probes.reopened(&path.uri);
            }
            if change == Change::Edited {
                server.save(&path.uri);
            }
        } else if change == Change::Edited {
            server.change(&path.uri, document.version, Arc::clone(&document.text));
            server.save(&path.uri);
        }
        let document = at(document, &server, &self.kills)?;
        Ok(Ensured {
            document,
            changed: change != Change::Same,
            chain,
        })
    }

    pub(super) fn lookup(&mut self, path: &DocumentPath, version: u64) -> BeamResult<DocumentAt> {
        let is_open = self.mirror.at_version(path, version)?.open.is_some();
        let server = self.ensure_server()?;
        if !is_open {
            self.make_room();
        }
        let document = self.mirror.at_version(path, version)?;
        let dead = document
            .open
            .as_ref()
            .is_none_or(|watch| watch.borrow().is_presumed_dead());
        if dead {
            document.raise_version();
            self.kills.forget(&path.uri);
            open_in(&server, document, DependencyBuildMode::Never);
            if !document.is_alone {
                // What it loads now was not looked at: the next verdict does.
                document.loaded = None;
            }
        }
        at(document, &server, &self.kills)
    }

    pub(super) fn close(&mut self, path: &DocumentPath) -> CloseResult {
        let was_open = self.mirror.remove(&path.uri).is_some();
        self.probes.closed(&path.uri);
        if let Some(server) = &self.server {
            server.close(&path.uri);
        }
        CloseResult {
            closed: true,
            was_open,
        }
    }

    /// Closes a document in Lean, unless a request works with it. It is opened again when it is needed, and
    /// its version stays valid.
    pub(super) fn evict(&mut self, uri: &str, why: Eviction) -> bool {
        let Some(document) = self
            .mirror
            .get_by_uri(uri)
            .filter(|document| document.open.is_some() && !document.is_in_use())
        else {
            return false;
        };
        document.open = None;
        if let Some(server) = &self.server {
            server.close(uri);
        }
        self.counters.documents_evicted += 1;
        if why == Eviction::Grown {
            self.counters.workers_recycled += 1;
        }
        tracing::debug!(uri, ?why, "let a document go");
        true
    }

    /// The open documents that no request works with.
    pub(super) fn spare(&self) -> Vec<Spare> {
        let Some(server) = self.server.as_ref().and_then(|server| server.state().pid) else {
            return Vec::new();
        };
        let idle = self.mirror.iter().filter(|document| !document.is_in_use());
        idle.filter_map(|document| {
            let snapshot = document.open.as_ref()?.borrow();
            Some(Spare {
                server,
                uri: document.path.uri.clone(),
                last_use: document.last_use.into(),
                is_quiet: snapshot.done || snapshot.fatal,
            })
        })
        .collect()
    }

    /// Makes room for one more open document.
    fn make_room(&mut self) {
        let limit = self.context.config.limits.open_documents.max(1);
        while self.mirror.open_count() >= limit {
            let Some(uri) = self
                .mirror
                .least_recently_used()
                .map(|document| document.path.uri.clone())
            else {
                return;
            };
            self.evict(&uri, Eviction::Spare);
        }
    }
}

/// Whether only a new worker can say what has to be said about the document.
fn needs_new_worker(document: &Document, freshness: Freshness) -> bool {
    let Some(watch) = &document.open else {
        return true;
    };
    let snapshot = watch.borrow();
    match freshness {
        Freshness::Worker | Freshness::Reload => true,
        Freshness::Verdict => snapshot.is_presumed_dead() || snapshot.fatal,
        Freshness::Text => snapshot.is_presumed_dead(),
    }
}

fn open_in(server: &SessionHandle, document: &mut Document, mode: DependencyBuildMode) {
    document.open = Some(server.open(
        &document.path.uri,
        document.version,
        Arc::clone(&document.text),
        mode,
    ));
}

/// The document for a request, which keeps it from being let go.
fn at(
    document: &mut Document,
    server: &SessionHandle,
    kills: &Arc<MemoryKills>,
) -> BeamResult<DocumentAt> {
    document.last_use = Instant::now();
    let watch = document
        .open
        .clone()
        .ok_or_else(|| BeamError::internal("a document was not opened"))?;
    Ok(DocumentAt {
        path: document.path.clone(),
        version: document.version,
        text: Arc::clone(&document.text),
        watch,
        session: server.clone(),
        kills: Arc::clone(kills),
        _lease: Arc::clone(&document.lease),
    })
}
