//! Everything that can wake a workspace's actor.

use std::sync::Arc;

use lean_beam_proto::{
    BeamResult,
    op::{CloseResult, OpenFilesResult},
    status::{WorkspaceStats, WorkspaceStatus},
};
use tokio::{sync::oneshot, time::Instant};

use super::{DocumentPath, disk::DiskRead, handle::DocumentAt};
use crate::{
    imports::Chain,
    session::{SessionHandle, Spare},
    text::DocumentText,
};

/// How a document has to be brought to Lean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Freshness {
    /// The text on disk.
    Text,
    /// The text on disk, with imports loaded again if they failed before.
    Verdict,
    /// The text on disk, in a new worker that loads all imports again as they are.
    Reload,
    /// The text on disk, in a new worker, after Lake had one chance to build the imports.
    Worker,
}

/// A document as it is in Lean now.
#[derive(Debug)]
pub(crate) struct Ensured {
    /// Where and at which version.
    pub(crate) document: DocumentAt,
    /// True when the text differs from what was there before.
    pub(crate) changed: bool,
    /// What of the project it imports.
    pub(crate) chain: Arc<Chain>,
}

/// Why a document is let go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Eviction {
    /// For room, memory or its age.
    Spare,
    /// Its worker only grew.
    Grown,
}

/// What a drop ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Dropped {
    /// False when there was nothing to forget.
    pub(crate) had_anything: bool,
    /// Handles that ended with it.
    pub(crate) invalidated_handles: usize,
}

/// Reply to whoever asked for a document.
pub(super) type EnsureReply = oneshot::Sender<BeamResult<Ensured>>;

#[derive(Debug)]
pub(super) enum Inbox {
    /// Bring the text on disk to Lean.
    Ensure {
        document: DocumentPath,
        freshness: Freshness,
        reply: EnsureReply,
    },
    /// A read that was started for the mirror is over.
    ReadDone {
        document: DocumentPath,
        read: BeamResult<DiskRead>,
    },
    /// The document at a version that a client holds.
    Lookup {
        document: DocumentPath,
        version: u64,
        reply: oneshot::Sender<BeamResult<DocumentAt>>,
    },
    /// The server, for what is about no document.
    Server {
        reply: oneshot::Sender<BeamResult<SessionHandle>>,
    },
    /// The text that Lean has.
    Text {
        document: DocumentPath,
        reply: oneshot::Sender<BeamResult<Arc<DocumentText>>>,
    },
    Close {
        document: DocumentPath,
        reply: oneshot::Sender<CloseResult>,
    },
    OpenFiles {
        reply: oneshot::Sender<OpenFilesResult>,
    },
    /// The status without the processes, and the pid of the server.
    Status {
        reply: oneshot::Sender<Option<(WorkspaceStatus, Vec<u32>)>>,
    },
    Stats {
        reply: oneshot::Sender<Option<WorkspaceStats>>,
    },
    ResetStats,
    /// Process id of the server.
    ServerPids {
        reply: oneshot::Sender<Vec<u32>>,
    },
    /// When a request last used it; `None` while one does.
    LastUse {
        reply: oneshot::Sender<Option<Instant>>,
    },
    /// The open documents that are not in use.
    Spare {
        reply: oneshot::Sender<Vec<Spare>>,
    },
    /// Close this document unless it is in use.
    Evict {
        uri: String,
        why: Eviction,
        reply: oneshot::Sender<bool>,
    },
    /// Stop the servers unless there is work.
    Unload,
    /// A server of this generation is gone.
    SessionOver {
        generation: u64,
    },
    /// Look whether there was any use lately.
    IdleTick,
    /// Stop the servers and forget the documents.
    Drop {
        reply: oneshot::Sender<Dropped>,
    },
}
