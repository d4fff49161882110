//! Who descends from whom, how much memory they use, and ending exactly those.

use std::collections::HashSet;

#[cfg(target_os = "linux")]
#[path = "tree_linux.rs"]
mod system;
#[cfg(not(target_os = "linux"))]
#[path = "tree_other.rs"]
mod system;

/// A process, told apart from a later one with the same id by its start time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ProcessKey {
    pub(super) pid: i32,
    pub(super) start: u64,
}

/// One process of a tree, as `status` shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TreeProcess {
    pub(crate) pid: u32,
    pub(crate) parent: u32,
    pub(crate) command: Vec<String>,
    pub(crate) resident_bytes: u64,
    /// Of those, what it shares with nobody.
    pub(crate) private_bytes: u64,
}

/// `root` and its descendants with their command lines and memory; empty where the system does not tell.
pub(crate) async fn tree_of(root: u32) -> Vec<TreeProcess> {
    trees_of(&[root]).await.pop().unwrap_or_default()
}

/// The trees of several processes, in one look.
pub(crate) async fn trees_of(roots: &[u32]) -> Vec<Vec<TreeProcess>> {
    let roots = roots.to_vec();
    blocking(move || {
        let all = system::snapshot();
        roots.iter().map(|root| tree_in(&all, *root)).collect()
    })
    .await
}

fn tree_in(all: &[system::Entry], root: u32) -> Vec<TreeProcess> {
    let mut wanted = descendants_in(all, root);
    wanted.extend(
        all.iter()
            .find(|process| process.pid == root as i32)
            .copied(),
    );
    wanted.iter().filter_map(system::details).collect()
}

/// Kills one process of a tree of ours, found a moment ago.
pub(crate) async fn kill_process(pid: u32) {
    blocking(move || {
        let victim = system::snapshot()
            .into_iter()
            .find(|process| process.pid == pid as i32);
        if let Some(victim) = victim {
            system::kill_and_reap(&[victim.key()]);
        }
    })
    .await;
}

/// Resident memory of this process, where the system tells.
pub(crate) fn own_resident_bytes() -> Option<u64> {
    system::resident_bytes(std::process::id())
}

/// Process ids of the children of this process.
pub(super) fn children_of_this_process() -> Vec<i32> {
    let own = std::process::id() as i32;
    system::snapshot()
        .iter()
        .filter(|process| process.parent == own)
        .map(|process| process.pid)
        .collect()
}

/// The descendants of `root`, without itself.
pub(super) async fn descendants(root: u32) -> Vec<ProcessKey> {
    blocking(move || {
        descendants_in(&system::snapshot(), root)
            .iter()
            .map(system::Entry::key)
            .collect()
    })
    .await
}

/// Kills and reaps every process that carries `marker` or is in `known` and still lives. Returns how many
/// there were.
pub(super) async fn sweep(marker: &str, known: Vec<ProcessKey>) -> usize {
    let marker = marker.to_owned();
    blocking(move || {
        let mut victims: HashSet<ProcessKey> = known.into_iter().collect();
        let mut ended = 0;
        // Once more after the first round: a victim may have started a process in the meantime.
        for _ in 0..3 {
            victims.extend(system::marked(&marker));
            let living: Vec<_> = victims.drain().filter(system::is_alive).collect();
            if living.is_empty() {
                break;
            }
            ended += living.len();
            system::kill_and_reap(&living);
        }
        ended
    })
    .await
}

fn descendants_in(all: &[system::Entry], root: u32) -> Vec<system::Entry> {
    let mut family = HashSet::from([root as i32]);
    let mut found = Vec::new();
    // Parents need not come before their children in the list: go on until nothing is added.
    loop {
        let before = found.len();
        for process in all {
            if family.contains(&process.parent) && family.insert(process.pid) {
                found.push(*process);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

async fn blocking<T: Default + Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.unwrap_or_default()
}
