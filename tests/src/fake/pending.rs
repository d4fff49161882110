//! Requests of the client that have no answer yet.

use serde_json::Value;

use super::{document::Place, rules, scenario::OnCancel};

/// One request without an answer.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) message: Value,
    pub(super) why: Why,
    pub(super) cancelled: bool,
}

/// What its answer waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// For the diagnostics of this version.
    Version(i64),
    /// For its time to come.
    Time(OnCancel),
    /// For the document's worker to be restarted.
    Worker,
    /// For nothing: the scenario never answers it.
    Nothing,
}

impl Pending {
    pub(super) fn new(message: Value, why: Why) -> Self {
        Self {
            message,
            why,
            cancelled: false,
        }
    }

    pub(super) fn id(&self) -> &Value {
        &self.message["id"]
    }

    pub(super) fn method(&self) -> &str {
        self.message["method"].as_str().unwrap_or_default()
    }

    pub(super) fn is_about(&self, uri: &str) -> bool {
        rules::uri_of(&self.message) == Some(uri)
    }

    /// Whether an edit at `edit` changes what the answer would have been.
    pub(super) fn is_touched_by(&self, edit: Place) -> bool {
        Place::read(&self.message["params"]["position"]).is_none_or(|place| edit.line <= place.line)
    }
}

/// All requests without an answer, in the order of their arrival.
#[derive(Debug, Default)]
pub(super) struct PendingTable {
    requests: Vec<Pending>,
}

impl PendingTable {
    pub(super) fn add(&mut self, message: Value, why: Why) {
        self.requests.push(Pending::new(message, why));
    }

    pub(super) fn take(&mut self, id: &Value) -> Option<Pending> {
        let at = self.requests.iter().position(|one| one.id() == id)?;
        Some(self.requests.remove(at))
    }

    pub(super) fn take_where(&mut self, mut wanted: impl FnMut(&Pending) -> bool) -> Vec<Pending> {
        self.requests.extract_if(.., |one| wanted(one)).collect()
    }

    pub(super) fn find_mut(&mut self, id: &Value) -> Option<&mut Pending> {
        self.requests.iter_mut().find(|one| one.id() == id)
    }
}
