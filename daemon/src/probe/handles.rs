//! Handles: places in proofs that were reached, for going on from there.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use lean_beam_proto::{BeamError, BeamResult, ErrorCode};
use serde_json::json;

use super::basis::Basis;
use crate::{goals::GoalState, text::DocumentText};

/// How many handles a workspace keeps; the oldest go first.
const KEPT: usize = 10_000;
/// For how many ended handles the reason is remembered.
const REMEMBERED: usize = 10_000;

/// What a handle stands for.
#[derive(Debug, Clone)]
pub(crate) struct HandleState {
    pub(crate) uri: String,
    /// The text that the place was found in.
    pub(crate) text: Arc<DocumentText>,
    pub(crate) basis: Arc<Basis>,
    /// The texts accepted so far, in order.
    pub(crate) steps: Vec<Arc<str>>,
    /// The state after them.
    pub(crate) state: Option<GoalState>,
    /// Any of them was accepted with the help of `sorry`.
    pub(crate) uses_sorry: bool,
}

/// Why a handle has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EndReason {
    /// The text before its place changed.
    Edited,
    /// Its document was closed.
    Closed,
    /// Its workspace was dropped.
    Dropped,
    /// `release`.
    Released,
    /// `run_with_linear` went on from it.
    Consumed,
    /// There were too many handles.
    Evicted,
    /// Its document was opened again in a new worker.
    Restarted,
}

impl EndReason {
    /// The wire form.
    fn as_str(self) -> &'static str {
        match self {
            Self::Edited => "edited",
            Self::Closed => "closed",
            Self::Dropped => "dropped",
            Self::Released => "released",
            Self::Consumed => "consumed",
            Self::Evicted => "evicted",
            Self::Restarted => "restarted",
        }
    }

    fn explanation(self) -> &'static str {
        match self {
            Self::Edited => "the text before its place changed",
            Self::Closed => "its document was closed",
            Self::Dropped => "its workspace was dropped",
            Self::Released => "it was released",
            Self::Consumed => "`run_with_linear` went on from it",
            Self::Evicted => "too many handles were made since",
            Self::Restarted => "its document was opened again in a new Lean worker",
        }
    }
}

/// The only owner of a workspace's handles.
#[derive(Debug)]
pub(crate) struct HandleTable {
    // Held for single look-ups only, never across an await.
    inner: Mutex<Inner>,
    /// Tells the handles of this workspace from those of another, and of an earlier daemon.
    nonce: String,
}

#[derive(Debug, Default)]
struct Inner {
    living: HashMap<String, HandleState>,
    order: VecDeque<String>,
    ended: HashMap<String, EndReason>,
    ended_order: VecDeque<String>,
    next: u64,
}

impl HandleTable {
    pub(crate) fn new(nonce: String) -> Self {
        Self {
            inner: Mutex::default(),
            nonce,
        }
    }

    /// A new handle for `state`.
    pub(crate) fn insert(&self, state: HandleState) -> String {
        let mut inner = self.lock();
        inner.next += 1;
        let id = format!("h{}-{}", inner.next, self.nonce);
        inner.living.insert(id.clone(), state);
        inner.order.push_back(id.clone());
        while inner.living.len() > KEPT {
            let Some(oldest) = inner.order.pop_front() else {
                break;
            };
            inner.end(&oldest, EndReason::Evicted);
        }
        id
    }

    /// What a handle stands for, if it belongs to `uri` and `current` still begins as the text did that its
    /// place was found in.
    ///
    /// # Errors
    /// `handleNotFound`, `handleInvalidated` with the reason.
    pub(crate) fn get(
        &self,
        id: &str,
        uri: &str,
        current: &DocumentText,
    ) -> BeamResult<HandleState> {
        let mut inner = self.lock();
        let Some(state) = inner.living.get(id) else {
            return Err(inner.missing(id));
        };
        if state.uri != uri {
            return Err(
                not_found(id).with_hint("The handle belongs to another file of the workspace.")
            );
        }
        if !same_prefix(&state.text, current, state.basis.offset()) {
            inner.end(id, EndReason::Edited);
            return Err(inner.missing(id));
        }
        Ok(state.clone())
    }

    /// Ends one handle. False when it had ended already.
    ///
    /// # Errors
    /// `handleNotFound` when there never was one of that name.
    pub(crate) fn end(&self, id: &str, reason: EndReason) -> BeamResult<bool> {
        let mut inner = self.lock();
        if inner.end(id, reason) {
            Ok(true)
        } else if inner.ended.contains_key(id) {
            Ok(false)
        } else {
            Err(not_found(id))
        }
    }

    /// Ends all handles of a document.
    pub(crate) fn end_document(&self, uri: &str, reason: EndReason) {
        let mut inner = self.lock();
        let ids: Vec<_> = inner
            .living
            .iter()
            .filter(|(_, state)| state.uri == uri)
            .map(|(id, _)| id.clone())
            .collect();
        for id in ids {
            inner.end(&id, reason);
        }
    }

    /// Ends all handles; returns how many there were.
    pub(crate) fn end_all(&self, reason: EndReason) -> usize {
        let mut inner = self.lock();
        let ids: Vec<_> = inner.living.keys().cloned().collect();
        for id in &ids {
            inner.end(id, reason);
        }
        ids.len()
    }

    /// How many live.
    pub(crate) fn len(&self) -> usize {
        self.lock().living.len()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn end(&mut self, id: &str, reason: EndReason) -> bool {
        if self.living.remove(id).is_none() {
            return false;
        }
        // The order list may keep dead names; it is trimmed from the front as they come up.
        if self.order.len() > 2 * KEPT {
            let living = &self.living;
            self.order.retain(|id| living.contains_key(id));
        }
        self.ended.insert(id.to_owned(), reason);
        self.ended_order.push_back(id.to_owned());
        if self.ended_order.len() > REMEMBERED
            && let Some(oldest) = self.ended_order.pop_front()
        {
            self.ended.remove(&oldest);
        }
        true
    }

    fn missing(&self, id: &str) -> BeamError {
        match self.ended.get(id) {
            Some(reason) => BeamError::new(
                ErrorCode::HandleInvalidated,
                format!("the handle {id} has ended: {}", reason.explanation()),
            )
            .with_hint("Make a new one with `run_at_handle`.")
            .with_data(json!({ "handle": id, "reason": reason.as_str() })),
            None => not_found(id),
        }
    }
}

fn not_found(id: &str) -> BeamError {
    BeamError::new(ErrorCode::HandleNotFound, format!("there is no handle {id:?} in this workspace"))
        .with_hint("Handles come from `next_handle` of `run_at_handle` and `run_with`, and belong to one workspace of one daemon.")
        .with_data(json!({ "handle": id }))
}

fn same_prefix(left: &Arc<DocumentText>, right: &DocumentText, length: usize) -> bool {
    std::ptr::eq(Arc::as_ptr(left), right)
        || left.as_str().as_bytes().get(..length) == right.as_str().as_bytes().get(..length)
}

#[cfg(test)]
mod tests {
    use super::{super::verdict::Noise, *};

    fn state(text: &str, offset: usize) -> HandleState {
        HandleState {
            uri: "file:///a.lean".to_owned(),
            text: Arc::new(DocumentText::new(text)),
            basis: Arc::new(Basis::among_commands(offset, false, Noise::default())),
            steps: Vec::new(),
            state: None,
            uses_sorry: false,
        }
    }

    fn code(result: BeamResult<HandleState>) -> ErrorCode {
        result.unwrap_err().code
    }

    #[test]
    fn an_edit_before_its_place_ends_a_handle_and_one_after_does_not() {
        let table = HandleTable::new("x".to_owned());
        let id = table.insert(state("abc def", 3));
        assert!(
            table
                .get(&id, "file:///a.lean", &DocumentText::new("abc xyz!"))
                .is_ok()
        );
        assert_eq!(
            code(table.get(&id, "file:///a.lean", &DocumentText::new("abX def"))),
            ErrorCode::HandleInvalidated
        );
        let again = table
            .get(&id, "file:///a.lean", &DocumentText::new("abc def"))
            .unwrap_err();
        assert_eq!(again.data.unwrap()["reason"], "edited", "it stays dead");
    }

    #[test]
    fn a_file_cut_before_the_place_ends_the_handle() {
        let table = HandleTable::new("x".to_owned());
        let id = table.insert(state("abc def", 5));
        assert_eq!(
            code(table.get(&id, "file:///a.lean", &DocumentText::new("abc"))),
            ErrorCode::HandleInvalidated
        );
    }

    #[test]
    fn a_handle_of_elsewhere_is_not_found() {
        let (here, there) = (
            HandleTable::new("x".to_owned()),
            HandleTable::new("y".to_owned()),
        );
        let id = there.insert(state("", 0));
        let text = DocumentText::new("");
        assert_eq!(
            code(here.get(&id, "file:///a.lean", &text)),
            ErrorCode::HandleNotFound
        );
        assert_eq!(
            code(there.get(&id, "file:///b.lean", &text)),
            ErrorCode::HandleNotFound
        );
        assert_eq!(
            here.end(&id, EndReason::Released).unwrap_err().code,
            ErrorCode::HandleNotFound
        );
    }

    #[test]
    fn ending_twice_is_no_error_and_says_so() {
        let table = HandleTable::new("x".to_owned());
        let id = table.insert(state("", 0));
        assert!(table.end(&id, EndReason::Released).unwrap());
        assert!(!table.end(&id, EndReason::Released).unwrap());
    }

    #[test]
    fn the_oldest_handles_go_when_there_are_too_many() {
        let table = HandleTable::new("x".to_owned());
        let first = table.insert(state("", 0));
        for _ in 0..KEPT {
            table.insert(state("", 0));
        }
        assert_eq!(table.len(), KEPT);
        let error = table
            .get(&first, "file:///a.lean", &DocumentText::new(""))
            .unwrap_err();
        assert_eq!(error.data.unwrap()["reason"], "evicted");
    }
}
