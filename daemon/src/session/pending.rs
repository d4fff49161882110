//! Requests that wait for Lean, and those that nobody waits for any more.

use std::collections::HashMap;

use serde_json::value::RawValue;
use tokio::sync::oneshot;

use super::SessionError;
use crate::lsp::RequestId;

/// What a request is answered with.
pub(super) type Reply = Result<Box<RawValue>, SessionError>;

/// One request that was sent.
#[derive(Debug)]
struct Pending {
    uri: Option<String>,
    /// The document's worker answers it.
    by_worker: bool,
    reply: oneshot::Sender<Reply>,
}

/// The table of requests in flight.
///
/// A request that is cancelled or overtaken leaves the table at once; its late answer finds nothing and
/// is dropped. Ids are never used twice, so nothing has to be remembered of it.
#[derive(Debug, Default)]
pub(super) struct PendingTable {
    waiting: HashMap<RequestId, Pending>,
}

impl PendingTable {
    pub(super) fn insert(
        &mut self,
        id: RequestId,
        uri: Option<String>,
        by_worker: bool,
        reply: oneshot::Sender<Reply>,
    ) {
        let pending = Pending {
            uri,
            by_worker,
            reply,
        };
        self.waiting.insert(id, pending);
    }

    /// Answers request `id`. Returns its document when somebody still waited for it.
    pub(super) fn answer(&mut self, id: RequestId, reply: Reply) -> Option<Option<String>> {
        let pending = self.waiting.remove(&id)?;
        // The client may have left in this very moment.
        pending.reply.send(reply).ok();
        Some(pending.uri)
    }

    /// The document of a request that is still waited for.
    pub(super) fn uri_of(&self, id: RequestId) -> Option<&str> {
        self.waiting.get(&id)?.uri.as_deref()
    }

    /// An answer to request `id` shows that the document's worker lives.
    pub(super) fn is_by_worker(&self, id: RequestId) -> bool {
        self.waiting
            .get(&id)
            .is_some_and(|pending| pending.by_worker)
    }

    /// Forgets request `id`. False when it was answered already.
    pub(super) fn cancel(&mut self, id: RequestId) -> bool {
        self.waiting.remove(&id).is_some()
    }

    /// Fails every request about `uri` and returns their ids, in ascending order.
    pub(super) fn fail_document(&mut self, uri: &str, error: &SessionError) -> Vec<RequestId> {
        let mut ids: Vec<_> = self
            .waiting
            .iter()
            .filter(|(_, pending)| pending.uri.as_deref() == Some(uri))
            .map(|(id, _)| *id)
            .collect();
        ids.sort_unstable();
        for id in &ids {
            self.answer(*id, Err(error.clone()));
        }
        ids
    }

    /// Fails everything.
    pub(super) fn fail_all(&mut self, error: &SessionError) {
        for (_, pending) in self.waiting.drain() {
            pending.reply.send(Err(error.clone())).ok();
        }
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }
}
