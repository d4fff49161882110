//! A stage for one connection: the server in a thread, a scripted daemon behind it, a client before it.

mod client;
mod daemon;

use std::{
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use lean_beam_proto::paths::RuntimeDir;
use serde_json::{Value, json};

pub(crate) use client::*;
pub(crate) use daemon::*;

/// Nothing on a stage takes this long unless it hangs.
pub(crate) const LIMIT: Duration = Duration::from_secs(20);
/// How often it is looked whether something that tells nobody has happened.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// Looks until there is what was waited for; `what` says what was not there in time.
#[track_caller]
pub(crate) fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + LIMIT;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < end, "{what}");
        thread::sleep(LOOK_EVERY);
    }
}

/// Long enough for a line that should not come to have come.
pub(crate) const QUIET: Duration = Duration::from_millis(300);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    Legacy,
    Modern,
}

pub(crate) const ERAS: [Era; 2] = [Era::Legacy, Era::Modern];

/// A private world: a runtime directory and a project.
pub(crate) struct World {
    _directory: tempfile::TempDir,
    pub(crate) runtime_dir: RuntimeDir,
    pub(crate) project: PathBuf,
}

impl World {
    pub(crate) fn new() -> Self {
        let directory = tempfile::Builder::new().prefix("lb").tempdir().unwrap();
        let base = directory.path().canonicalize().unwrap();
        let runtime_dir = RuntimeDir::at(base.join("run")).unwrap();
        runtime_dir.ensure().unwrap();
        let project = base.join("project");
        std::fs::create_dir(&project).unwrap();
        std::fs::write(project.join("lean-toolchain"), "test\n").unwrap();
        Self {
            _directory: directory,
            runtime_dir,
            project,
        }
    }

    pub(crate) fn base(&self) -> &Path {
        self.project.parent().unwrap()
    }

    /// Arguments of a call about the whole project.
    pub(crate) fn about_the_project(&self) -> Value {
        json!({"workspace": {"root": self.project}})
    }

    /// Arguments of a call about `A.lean`.
    pub(crate) fn about_a_file(&self) -> Value {
        json!({"workspace": {"root": self.project}, "path": "A.lean"})
    }
}

/// A world with a daemon and a client that is connected.
pub(crate) fn staged(era: Era) -> (World, Daemon, Client) {
    let world = World::new();
    let daemon = Daemon::listen(&world);
    let client = Client::connect(&world, era);
    (world, daemon, client)
}

pub(crate) fn sync_result() -> Value {
    json!({
        "path": "A.lean", "version": 3,
        "diagnostics": {"counts": {"error": 0, "warning": 0, "information": 0, "hint": 0, "unknown": 0, "total": 0}},
        "readiness": {"save_ready": true, "reason": "ok", "blocking_error_count": 0, "blocking_diagnostics": [], "blocking_messages": []},
        "document_progress": {"updates": 2, "done": true},
    })
}

pub(crate) fn update_result() -> Value {
    json!({"path": "A.lean", "version": 1, "changed": true})
}

pub(crate) fn drop_result() -> Value {
    json!({"dropped": true, "invalidated_handles": 0})
}
