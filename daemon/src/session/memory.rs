//! What the memory of workers has to do with their documents: those that nobody uses and that may go, and those
//! that were stopped because they passed their ceiling.

use std::{
    collections::HashMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use lean_beam_proto::{BeamError, ErrorCode};
use serde_json::json;
use tokio::time::Instant;

/// How long after a kill a crash is put down to it.
const NEWS: Duration = Duration::from_secs(10);

/// A document that is open in a Lean server and that nobody uses now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spare {
    /// Process id of the server.
    pub(crate) server: u32,
    /// The document.
    pub(crate) uri: String,
    /// When it was last used.
    pub(crate) last_use: Instant,
    /// Lean has nothing left to do in it: its worker has the size that the document takes.
    pub(crate) is_quiet: bool,
}

/// By document, what has not been reported yet.
#[derive(Debug, Default)]
pub(crate) struct MemoryKills {
    // Held for single look-ups only, never across an await.
    kills: Mutex<HashMap<String, Kill>>,
    count: AtomicU64,
}

#[derive(Debug, Clone, Copy)]
struct Kill {
    bytes: u64,
    ceiling: u64,
    at: Instant,
}

impl MemoryKills {
    /// A worker of `uri` is being stopped.
    pub(crate) fn note(&self, uri: &str, bytes: u64, ceiling: u64) {
        self.kills
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(
                uri.to_owned(),
                Kill {
                    bytes,
                    ceiling,
                    at: Instant::now(),
                },
            );
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    /// The document is opened again: what happened to its last worker is history.
    pub(crate) fn forget(&self, uri: &str) {
        self.kills
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(uri);
    }

    /// As [`MemoryKills::error`], once for each kill, and only while it is news: nobody may have waited then.
    pub(crate) fn take(&self, uri: &str, display: &str) -> Option<BeamError> {
        let error = self.error(uri, display);
        let kill = self
            .kills
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(uri)?;
        error.filter(|_| kill.at.elapsed() < NEWS)
    }

    /// How many there were since the last reset.
    pub(crate) fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Counts anew.
    pub(crate) fn reset_count(&self) {
        self.count.store(0, Ordering::Relaxed);
    }

    /// The error for a request whose worker died, if this is why it died.
    pub(crate) fn error(&self, uri: &str, display: &str) -> Option<BeamError> {
        let kill = *self
            .kills
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(uri)?;
        let message = format!(
            "the Lean worker of {display} used {} MiB, over its ceiling of {} MiB, and was stopped",
            kill.bytes >> 20,
            kill.ceiling >> 20
        );
        Some(
            BeamError::new(ErrorCode::WorkerMemoryLimit, message)
                .with_hint("Something in the file (an `#eval`, a `decide`, a search) takes memory without bound. Mend it, or raise `limits.worker_memory_bytes` in the configuration.")
                .with_data(json!({ "path": display, "bytes": kill.bytes, "ceiling": kill.ceiling })),
        )
    }
}
