//! Everything that can wake the session's actor.

use std::sync::Arc;

use serde_json::value::RawValue;
use tokio::sync::{oneshot, watch};

use super::{document::DocumentSnapshot, pending::Reply};
use crate::{
    lsp::{DependencyBuildMode, Incoming, RequestId},
    text::DocumentText,
};

#[derive(Debug)]
pub(super) enum Inbox {
    /// Open a document, closing it first where it is open.
    Open {
        uri: String,
        version: u64,
        text: Arc<DocumentText>,
        mode: DependencyBuildMode,
        publish: watch::Sender<DocumentSnapshot>,
    },
    /// Pass an edit on.
    Change {
        uri: String,
        version: u64,
        text: Arc<DocumentText>,
    },
    /// Tell Lean that the document is on disk now, for those that import it.
    Save { uri: String },
    /// Close a document.
    Close { uri: String },
    /// Ask Lean.
    Request {
        id: RequestId,
        uri: Option<String>,
        method: &'static str,
        params: Box<RawValue>,
        reply: oneshot::Sender<Reply>,
    },
    /// Tell Lean something that it does not answer.
    Notify {
        method: &'static str,
        params: Box<RawValue>,
    },
    /// Nobody waits for the request any more.
    Cancel { id: RequestId },
    /// A message of Lean.
    Lean(Incoming),
    /// Lean's output is at its end: the process is gone or about to go.
    OutputEnded,
    /// Lean's output cannot be read any further.
    Unreadable(String),
    /// A document was given up a while ago: are its requests answered?
    FatalCheck { uri: String, version: u64 },
    /// The handshake took too long.
    HandshakeOverdue,
    /// The process is gone, and all of its descendants.
    Exited(Option<std::process::ExitStatus>),
    /// End the server.
    Stop,
}
