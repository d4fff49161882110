//! One project root: its Lean server, the mirror of its documents, their versions.

mod actor;
mod config_watch;
mod disk;
mod handle;
mod inbox;
mod lean_command;
mod mirror;
mod project;
mod report;
mod restart;
mod servers;

pub(crate) use disk::DocumentPath;
pub(crate) use handle::{DocumentAt, WorkspaceHandle};
pub(crate) use inbox::{Dropped, Ensured, Eviction, Freshness};
pub(crate) use lean_command::artifact_directory;
pub(crate) use project::Project;

use std::sync::Arc;

use tokio_util::task::TaskTracker;

use crate::config::Config;

/// What every workspace needs from its surroundings.
#[derive(Debug, Clone)]
pub(crate) struct WorkspaceContext {
    pub(crate) config: Arc<Config>,
    pub(crate) tasks: TaskTracker,
    /// Cancelled when a stop of the daemon has to hurry.
    pub(crate) hurry: tokio_util::sync::CancellationToken,
}
