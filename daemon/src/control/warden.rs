//! Keeps Lean within the machine: a ceiling for every worker, a budget for all of them, a number of loaded
//! workspaces.

use std::{collections::HashMap, sync::Arc, time::Duration};

use tokio::time::{MissedTickBehavior, interval};

use super::Services;
use crate::{
    process::{TreeProcess, kill_process, trees_of},
    session::Spare,
    workspace::{Eviction, WorkspaceHandle},
};

/// How often workers are measured while there are any. A worker that allocates without bound gains a gigabyte
/// or two a second at most.
const INTERVAL: Duration = Duration::from_millis(500);
/// The budget and the number of workspaces are looked at every so many times.
const SLOW: u32 = 4;
/// How many documents are let go in one look at the budget; then it is measured again.
const SHED_AT_ONCE: usize = 4;
/// How many times its first size a worker may have before it is let go.
const GROWTH: u64 = 2;

/// Watches until the shutdown begins.
pub(crate) async fn watch(services: Arc<Services>) {
    let mut ticks = interval(INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut warden = Warden {
        services,
        count: 0,
        first_sizes: HashMap::new(),
    };
    loop {
        ticks.tick().await;
        warden.look().await;
    }
}

struct Warden {
    services: Arc<Services>,
    count: u32,
    /// Workers with the size that they had when their document was first seen complete, by process id.
    first_sizes: HashMap<u32, u64>,
}

/// What a tree of processes is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// The server of the user's documents.
    Documents,
    /// A server of lanes.
    Lanes,
    /// A build.
    Build,
}

/// One process and whose it is.
struct Measured<'a> {
    workspace: &'a WorkspaceHandle,
    role: Role,
    /// The root of its tree.
    server: u32,
    process: TreeProcess,
}

/// Something that may be let go, and who can do it.
struct Candidate<'a> {
    workspace: &'a WorkspaceHandle,
    role: Role,
    spare: Spare,
}

impl Warden {
    async fn look(&mut self) {
        self.count = self.count.wrapping_add(1);
        let workspaces = self.services.broker.all();
        let processes = measure(&workspaces).await;
        if processes.is_empty() {
            return;
        }
        self.enforce_ceiling(&processes).await;
        if self.count.is_multiple_of(SLOW) {
            let mut candidates = candidates(&workspaces, &processes).await;
            self.recycle(&processes, &mut candidates).await;
            self.enforce_budget(&processes, candidates).await;
            self.enforce_workspaces(&workspaces, &processes).await;
        }
    }

    async fn enforce_ceiling(&self, processes: &[Measured<'_>]) {
        let ceiling = self.services.config.limits.worker_memory_bytes;
        let over = |measured: &&Measured<'_>| measured.process.private_bytes > ceiling;
        for measured in processes.iter().filter(over) {
            let (pid, bytes) = (measured.process.pid, measured.process.private_bytes);
            let workspace = measured.workspace;
            match (measured.role, measured.uri()) {
                (Role::Documents, Some(uri)) => workspace.note_memory_kill(uri, bytes, ceiling),
                (Role::Lanes, Some(uri)) => workspace.probes.kills.note(uri, bytes, ceiling),
                (Role::Build, _) => workspace.builds.note_memory_kill(bytes, ceiling),
                // A server itself: it holds what all of its documents need.
                (Role::Documents | Role::Lanes, None) => continue,
            }
            tracing::warn!(
                pid,
                role = ?measured.role,
                uri = measured.uri(),
                bytes,
                "a process passed the memory ceiling"
            );
            kill_process(pid).await;
        }
    }

    /// Lets go of workers that have grown without end.
    async fn recycle(&mut self, processes: &[Measured<'_>], candidates: &mut Vec<Candidate<'_>>) {
        self.first_sizes.retain(|pid, _| {
            processes
                .iter()
                .any(|measured| measured.process.pid == *pid)
        });
        let floor = self.services.config.limits.recycle_memory_bytes;
        for measured in processes {
            let found = candidates
                .iter()
                .position(|candidate| candidate.is_for(measured));
            let Some(index) = found.filter(|index| candidates[*index].spare.is_quiet) else {
                continue;
            };
            let bytes = measured.process.private_bytes;
            let first = *self
                .first_sizes
                .entry(measured.process.pid)
                .or_insert_with(|| {
                    tracing::debug!(uri = measured.uri(), bytes, "a document is complete");
                    bytes
                });
            if bytes > floor && bytes > first.saturating_mul(GROWTH) {
                let grown = candidates.swap_remove(index);
                if grown.let_go(Eviction::Grown).await {
                    tracing::info!(
                        uri = grown.spare.uri,
                        first,
                        bytes,
                        "a worker that only grew was let go"
                    );
                }
            }
        }
    }

    /// Closes what nobody uses, least recently used first.
    async fn enforce_budget(&self, processes: &[Measured<'_>], mut candidates: Vec<Candidate<'_>>) {
        let budget = self.services.config.limits.lean_memory_bytes;
        let total: u64 = processes
            .iter()
            .map(|measured| measured.process.private_bytes)
            .sum();
        if total <= budget {
            return;
        }
        tracing::info!(total, budget, "over the memory budget");
        candidates.sort_by_key(|candidate| candidate.spare.last_use);
        let mut left = SHED_AT_ONCE;
        for candidate in candidates {
            if left > 0 && candidate.let_go(Eviction::Spare).await {
                left -= 1;
            }
        }
    }

    async fn enforce_workspaces(&self, workspaces: &[WorkspaceHandle], processes: &[Measured<'_>]) {
        let is_loaded = |workspace: &&WorkspaceHandle| {
            processes
                .iter()
                .any(|measured| std::ptr::eq(measured.workspace, *workspace))
        };
        let loaded: Vec<_> = workspaces.iter().filter(is_loaded).collect();
        let excess = loaded
            .len()
            .saturating_sub(self.services.config.limits.workspaces.max(1));
        if excess == 0 {
            return;
        }
        let mut unused = Vec::new();
        for workspace in loaded {
            if let Some(last_use) = workspace.last_use().await {
                unused.push((last_use, workspace));
            }
        }
        unused.sort_by_key(|(last_use, _)| *last_use);
        for (_, workspace) in unused.into_iter().take(excess) {
            workspace.unload();
        }
    }
}

/// Every process of every workspace, in one look at the system.
async fn measure(workspaces: &[WorkspaceHandle]) -> Vec<Measured<'_>> {
    let mut roots = Vec::new();
    for workspace in workspaces {
        let documents = workspace.servers().await;
        let lanes = workspace.probes.servers().await;
        roots.extend(
            documents
                .into_iter()
                .map(|pid| (workspace, Role::Documents, pid)),
        );
        roots.extend(lanes.into_iter().map(|pid| (workspace, Role::Lanes, pid)));
        roots.extend(
            workspace
                .builds
                .running()
                .map(|pid| (workspace, Role::Build, pid)),
        );
    }
    if roots.is_empty() {
        return Vec::new();
    }
    let pids: Vec<u32> = roots.iter().map(|(_, _, pid)| *pid).collect();
    let trees = trees_of(&pids).await;
    let measured = |((workspace, role, server), tree): ((_, _, _), Vec<TreeProcess>)| {
        tree.into_iter().map(move |process| Measured {
            workspace,
            role,
            server,
            process,
        })
    };
    roots.into_iter().zip(trees).flat_map(measured).collect()
}

/// Everything that may be let go in the workspaces that have processes.
async fn candidates<'a>(
    workspaces: &'a [WorkspaceHandle],
    processes: &[Measured<'a>],
) -> Vec<Candidate<'a>> {
    let mut found = Vec::new();
    for workspace in workspaces {
        let is_its = |measured: &Measured<'_>| std::ptr::eq(measured.workspace, workspace);
        if !processes.iter().any(is_its) {
            continue;
        }
        for (role, spare) in [
            (Role::Documents, workspace.spare().await),
            (Role::Lanes, workspace.probes.spare().await),
        ] {
            found.extend(spare.into_iter().map(|spare| Candidate {
                workspace,
                role,
                spare,
            }));
        }
    }
    found
}

impl Measured<'_> {
    /// The document of a worker.
    fn uri(&self) -> Option<&str> {
        let command = &self.process.command;
        let is_worker = command.iter().any(|argument| argument == "--worker");
        command.last().filter(|_| is_worker).map(String::as_str)
    }
}

impl Candidate<'_> {
    /// Whether `measured` is its worker.
    fn is_for(&self, measured: &Measured<'_>) -> bool {
        self.spare.server == measured.server && measured.uri() == Some(self.spare.uri.as_str())
    }

    /// Lets it go, unless it is in use by now.
    async fn let_go(&self, why: Eviction) -> bool {
        match self.role {
            Role::Documents => self.workspace.evict(&self.spare.uri, why).await,
            Role::Lanes => self.workspace.probes.evict(&self.spare).await,
            Role::Build => false,
        }
    }
}
