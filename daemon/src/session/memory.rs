//! Workers that were stopped because they passed their memory ceiling.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use lean_beam_proto::{BeamError, ErrorCode};
use serde_json::json;

/// By document, what has not been reported yet.
#[derive(Debug, Default)]
pub(crate) struct MemoryKills {
    // Held for single look-ups only, never across an await.
    kills: Mutex<HashMap<String, Kill>>,
}

#[derive(Debug, Clone, Copy)]
struct Kill {
    bytes: u64,
    ceiling: u64,
}

impl MemoryKills {
    /// A worker of `uri` is being stopped.
    pub(crate) fn note(&self, uri: &str, bytes: u64, ceiling: u64) {
        self.kills
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(uri.to_owned(), Kill { bytes, ceiling });
    }

    /// The document is opened again: what happened to its last worker is history.
    pub(crate) fn forget(&self, uri: &str) {
        self.kills
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(uri);
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
