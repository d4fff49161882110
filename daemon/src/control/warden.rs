//! Keeps Lean within the machine: a ceiling for every worker, a budget for all of them, a number of loaded
//! workspaces.

use std::{sync::Arc, time::Duration};

use tokio::time::{Instant, MissedTickBehavior, interval};

use super::Services;
use crate::{
    process::{TreeProcess, kill_process, trees_of},
    workspace::WorkspaceHandle,
};

/// How often workers are measured while there are any. A worker that allocates without bound gains a gigabyte
/// or two a second at most.
const INTERVAL: Duration = Duration::from_millis(500);
/// The budget and the number of workspaces are looked at every so many times.
const SLOW: u32 = 4;
/// How many documents are let go in one look at the budget; then it is measured again.
const SHED_AT_ONCE: usize = 4;
/// A worker that is larger than this, and has grown this many times since its document was first complete, is
/// let go at a quiet moment.
const RECYCLE_BYTES: u64 = 1024 * 1024 * 1024;
const RECYCLE_GROWTH: u64 = 4;

/// Watches until the shutdown begins.
pub(crate) async fn watch(services: Arc<Services>) {
    let mut ticks = interval(INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut warden = Warden {
        services,
        count: 0,
        first_sizes: Vec::new(),
    };
    loop {
        ticks.tick().await;
        warden.look().await;
    }
}

struct Warden {
    services: Arc<Services>,
    count: u32,
    /// Workers with the size at which they were first seen quiet, by process id.
    first_sizes: Vec<(u32, u64)>,
}

/// One worker and whose it is.
struct Worker<'a> {
    workspace: &'a WorkspaceHandle,
    process: TreeProcess,
    uri: String,
}

impl Warden {
    async fn look(&mut self) {
        self.count = self.count.wrapping_add(1);
        let mut loaded = Vec::new();
        for workspace in self.services.broker.all() {
            let servers = workspace.servers().await;
            if !servers.is_empty() {
                loaded.push((workspace, servers));
            }
        }
        if loaded.is_empty() {
            return;
        }
        let roots: Vec<u32> = loaded
            .iter()
            .flat_map(|(_, servers)| servers.iter().copied())
            .collect();
        let mut trees = trees_of(&roots).await.into_iter();
        let mut workers = Vec::new();
        let mut total = 0;
        for (workspace, servers) in &loaded {
            for process in servers.iter().filter_map(|_| trees.next()).flatten() {
                total += process.private_bytes;
                workers.extend(worker_uri(&process).map(|uri| Worker {
                    workspace,
                    process,
                    uri,
                }));
            }
        }
        self.enforce_ceiling(&workers).await;
        if self.count.is_multiple_of(SLOW) {
            self.recycle(&workers).await;
            self.enforce_budget(total, &loaded).await;
            self.enforce_workspaces(loaded).await;
        }
    }

    async fn enforce_ceiling(&self, workers: &[Worker<'_>]) {
        let ceiling = self.services.config.limits.worker_memory_bytes;
        for worker in workers
            .iter()
            .filter(|worker| worker.process.private_bytes > ceiling)
        {
            tracing::warn!(
                pid = worker.process.pid,
                uri = worker.uri,
                bytes = worker.process.private_bytes,
                "a worker passed its memory ceiling"
            );
            worker
                .workspace
                .note_memory_kill(&worker.uri, worker.process.private_bytes, ceiling);
            kill_process(worker.process.pid).await;
        }
    }

    /// Lets go of workers that have grown without end.
    async fn recycle(&mut self, workers: &[Worker<'_>]) {
        self.first_sizes
            .retain(|(pid, _)| workers.iter().any(|worker| worker.process.pid == *pid));
        for worker in workers {
            let (pid, bytes) = (worker.process.pid, worker.process.private_bytes);
            match self.first_sizes.iter().find(|(known, _)| *known == pid) {
                None => self.first_sizes.push((pid, bytes)),
                Some((_, first))
                    if bytes > RECYCLE_BYTES && bytes > first.saturating_mul(RECYCLE_GROWTH) =>
                {
                    if worker.workspace.evict(&worker.uri).await {
                        tracing::info!(
                            uri = worker.uri,
                            bytes,
                            "a worker that only grew was let go"
                        );
                    }
                }
                Some(_) => {}
            }
        }
    }

    /// Closes documents that nobody uses, those of the workspace that was used least recently first.
    async fn enforce_budget(&self, total: u64, loaded: &[(WorkspaceHandle, Vec<u32>)]) {
        let budget = self.services.config.limits.lean_memory_bytes;
        if total <= budget {
            return;
        }
        tracing::info!(total, budget, "over the memory budget");
        let mut by_use = Vec::new();
        for (workspace, _) in loaded {
            by_use.push((workspace.last_use().await, workspace));
        }
        by_use.sort_by_key(|(last_use, _)| *last_use);
        let mut left = SHED_AT_ONCE;
        for (_, workspace) in by_use {
            while left > 0 && workspace.shed().await {
                left -= 1;
            }
        }
    }

    async fn enforce_workspaces(&self, loaded: Vec<(WorkspaceHandle, Vec<u32>)>) {
        let excess = loaded
            .len()
            .saturating_sub(self.services.config.limits.workspaces.max(1));
        if excess == 0 {
            return;
        }
        let mut by_use: Vec<(Option<Instant>, WorkspaceHandle)> = Vec::new();
        for (workspace, _) in loaded {
            by_use.push((workspace.last_use().await, workspace));
        }
        by_use.sort_by_key(|(last_use, _)| *last_use);
        for (_, workspace) in by_use.into_iter().take(excess) {
            workspace.unload();
        }
    }
}

/// The document of a worker process.
fn worker_uri(process: &TreeProcess) -> Option<String> {
    let is_worker = process
        .command
        .iter()
        .any(|argument| argument == "--worker");
    is_worker.then(|| process.command.last().cloned()).flatten()
}
