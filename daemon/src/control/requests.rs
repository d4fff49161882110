//! Requests in flight.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use lean_beam_proto::{BeamError, BeamResult, ErrorCode, status::RequestStatus};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Who asks for what.
#[derive(Debug, Clone)]
pub(crate) struct Requester {
    pub(crate) op: String,
    pub(crate) client: Option<String>,
    pub(crate) root: Option<String>,
    /// The name that the client gave its request.
    pub(crate) request_id: Option<String>,
    /// It neither counts towards the limit nor makes the daemon busy: what is needed to look at a daemon
    /// that is overloaded, and to stop it.
    pub(crate) is_exempt: bool,
}

/// The only owner of the table of requests in flight.
#[derive(Debug)]
pub(crate) struct RequestTable {
    entries: Arc<Entries>,
    limit: usize,
    next: AtomicU64,
    /// Requests that were taken in so far, exempt ones left out.
    uses: AtomicU64,
}

#[derive(Debug, Default)]
struct Entries {
    // Held for single look-ups only, never across an await.
    by_number: Mutex<BTreeMap<u64, Entry>>,
    /// Told whenever the table becomes empty.
    empty: Notify,
}

#[derive(Debug)]
struct Entry {
    id: String,
    requester: Requester,
    path: Option<String>,
    since: Instant,
    cancel: CancellationToken,
}

/// A request's place in the table; it leaves when this is dropped.
#[derive(Debug)]
pub(crate) struct Admission {
    entries: Arc<Entries>,
    number: u64,
    pub(crate) id: String,
    pub(crate) cancel: CancellationToken,
}

impl RequestTable {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            entries: Arc::default(),
            limit,
            next: AtomicU64::new(1),
            uses: AtomicU64::new(0),
        }
    }

    /// Takes a request in.
    ///
    /// # Errors
    /// `resourceExhausted` when the table is full; `invalidInput` when its name is in use.
    pub(crate) fn admit(&self, requester: Requester) -> BeamResult<Admission> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let mut entries = self.entries.lock();
        if !requester.is_exempt && counted(&entries) >= self.limit {
            return Err(BeamError::new(
                ErrorCode::ResourceExhausted,
                format!("{} requests are in flight, which is the limit", self.limit),
            )
            .with_hint("Wait for some to end, or raise `limits.requests` in the configuration."));
        }
        let id = requester
            .request_id
            .clone()
            .unwrap_or_else(|| format!("r{number}"));
        if entries.values().any(|entry| entry.id == id) {
            return Err(BeamError::new(
                ErrorCode::InvalidInput,
                format!("a request named {id:?} is in flight already"),
            )
            .with_hint("Choose another `request_id`, or leave it out."));
        }
        if !requester.is_exempt {
            self.uses.fetch_add(1, Ordering::Relaxed);
        }
        let cancel = CancellationToken::new();
        entries.insert(
            number,
            Entry {
                id: id.clone(),
                requester,
                path: None,
                since: Instant::now(),
                cancel: cancel.clone(),
            },
        );
        Ok(Admission {
            entries: Arc::clone(&self.entries),
            number,
            id,
            cancel,
        })
    }

    /// Cancels the request of that name. False when there is none.
    pub(crate) fn cancel(&self, id: &str) -> bool {
        let entries = self.entries.lock();
        let found = entries.values().find(|entry| entry.id == id);
        if let Some(entry) = found {
            entry.cancel.cancel();
        }
        found.is_some()
    }

    /// Cancels all of them.
    pub(crate) fn cancel_all(&self) {
        for entry in self.entries.lock().values() {
            entry.cancel.cancel();
        }
    }

    /// How many there are besides `own`, exempt ones left out.
    pub(crate) fn others(&self, own: &Admission) -> usize {
        let entries = self.entries.lock();
        others(&entries, own).count()
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.entries.lock().len()
    }

    /// How many there are, exempt ones left out.
    pub(crate) fn working(&self) -> usize {
        counted(&self.entries.lock())
    }

    /// How many were taken in since the start, exempt ones left out.
    pub(crate) fn uses(&self) -> u64 {
        self.uses.load(Ordering::Relaxed)
    }

    /// Waits until there is none.
    pub(crate) async fn drained(&self) {
        loop {
            let empty = self.entries.empty.notified();
            if self.entries.lock().is_empty() {
                return;
            }
            empty.await;
        }
    }

    /// All of them besides `own`, exempt ones left out, oldest first.
    pub(crate) fn list(&self, own: &Admission) -> Vec<RequestStatus> {
        let entries = self.entries.lock();
        others(&entries, own).map(Entry::status).collect()
    }
}

fn counted(entries: &BTreeMap<u64, Entry>) -> usize {
    entries
        .values()
        .filter(|entry| !entry.requester.is_exempt)
        .count()
}

fn others<'a>(
    entries: &'a BTreeMap<u64, Entry>,
    own: &Admission,
) -> impl Iterator<Item = &'a Entry> {
    let number = own.number;
    entries
        .iter()
        .filter(move |(other, entry)| **other != number && !entry.requester.is_exempt)
        .map(|(_, entry)| entry)
}

impl Entry {
    fn status(&self) -> RequestStatus {
        RequestStatus {
            request_id: self.id.clone(),
            op: self.requester.op.clone(),
            client: self.requester.client.clone(),
            root: self.requester.root.clone(),
            path: self.path.clone(),
            age_ms: self.since.elapsed().as_millis() as u64,
        }
    }
}

impl Entries {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Entry>> {
        self.by_number
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Admission {
    /// Notes which document the request is about.
    pub(crate) fn set_path(&self, path: &str) {
        if let Some(entry) = self.entries.lock().get_mut(&self.number) {
            entry.path = Some(path.to_owned());
        }
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        let mut entries = self.entries.lock();
        entries.remove(&self.number);
        if entries.is_empty() {
            self.entries.empty.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requester(request_id: Option<&str>) -> Requester {
        Requester {
            op: "sync".to_owned(),
            client: None,
            root: None,
            request_id: request_id.map(str::to_owned),
            is_exempt: false,
        }
    }

    #[test]
    fn a_name_is_free_again_when_its_request_ended() {
        let table = RequestTable::new(10);
        let first = table.admit(requester(Some("x"))).unwrap();
        assert_eq!(
            table.admit(requester(Some("x"))).unwrap_err().code,
            ErrorCode::InvalidInput
        );
        assert!(table.cancel("x"));
        assert!(first.cancel.is_cancelled());
        drop(first);
        assert!(!table.cancel("x"));
        let second = table.admit(requester(Some("x"))).unwrap();
        assert!(!second.cancel.is_cancelled());
    }

    #[test]
    fn the_table_has_a_limit_and_shows_the_others() {
        let table = RequestTable::new(2);
        let (own, other) = (
            table.admit(requester(None)).unwrap(),
            table.admit(requester(None)).unwrap(),
        );
        assert_eq!(
            table.admit(requester(None)).unwrap_err().code,
            ErrorCode::ResourceExhausted
        );
        assert_eq!(
            table
                .list(&own)
                .iter()
                .map(|request| request.request_id.clone())
                .collect::<Vec<_>>(),
            std::slice::from_ref(&other.id)
        );
        assert_eq!(table.others(&own), 1);
        let exempt = Requester {
            is_exempt: true,
            ..requester(None)
        };
        let status = table.admit(exempt).unwrap();
        assert_eq!(
            (table.others(&own), table.others(&status)),
            (1, 2),
            "who looks is not counted"
        );
        assert_eq!((table.working(), table.uses()), (2, 2));
        drop(own);
        assert_eq!((table.working(), table.uses()), (1, 2));
    }
}
