//! Systems without `/proc`: Lean's workers end because their input ends, and nothing is known of them.

use super::{ProcessKey, TreeProcess};

/// Never constructed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) pid: i32,
    pub(super) parent: i32,
}

impl Entry {
    pub(super) fn key(&self) -> ProcessKey {
        ProcessKey {
            pid: self.pid,
            start: 0,
        }
    }
}

pub(super) fn snapshot() -> Vec<Entry> {
    Vec::new()
}

pub(super) fn marked(_marker: &str) -> Vec<ProcessKey> {
    Vec::new()
}

pub(super) fn is_alive(_key: &ProcessKey) -> bool {
    false
}

pub(super) fn kill_and_reap(_processes: &[ProcessKey]) {}

pub(super) fn details(_entry: &Entry) -> Option<TreeProcess> {
    None
}

pub(super) fn resident_bytes(_pid: u32) -> Option<u64> {
    None
}
