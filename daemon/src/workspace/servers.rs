//! Starting Lean servers for a project, for its documents and for probes.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use lean_beam_proto::{BeamError, BeamResult};

use super::{
    Project, WorkspaceContext,
    lean_command::{OptionSupport, Purpose, build_tool, lean_command},
};
use crate::{
    incident,
    process::ChildSpec,
    session::{self, SessionCounters, SessionHandle, SessionSpec},
    text::file_uri,
};

/// Numbers the servers of this daemon, for their markers.
static SERVER_NUMBER: AtomicU64 = AtomicU64::new(1);

/// How the servers of one project are started. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Servers {
    project: Arc<Project>,
    context: WorkspaceContext,
    pub(super) support: Arc<OptionSupport>,
    pub(super) counters: Arc<SessionCounters>,
}

impl Servers {
    pub(super) fn new(project: Arc<Project>, context: WorkspaceContext) -> Self {
        Self {
            project,
            context,
            support: Arc::default(),
            counters: Arc::default(),
        }
    }

    /// Starts a server after `delay`.
    ///
    /// # Errors
    /// `runtimeSetup` when Lean cannot be found.
    pub(super) fn start(&self, purpose: Purpose, delay: Duration) -> BeamResult<SessionHandle> {
        let child = self.command(purpose, self.marker())?;
        let root_uri = file_uri(&self.project.root)
            .ok_or_else(|| BeamError::internal("a canonical root has no URI"))?;
        tracing::info!(program = %child.program.display(), ?purpose, ?delay, "starting a Lean server");
        // What probes do is not the user's own work, and is not counted as such.
        let counters = if purpose == Purpose::Documents {
            Arc::clone(&self.counters)
        } else {
            Arc::default()
        };
        let spec = SessionSpec {
            child,
            root_uri,
            delay,
            counters,
            worker: match purpose {
                Purpose::Documents => incident::Kind::Worker,
                Purpose::Probes => incident::Kind::Lane,
            },
        };
        Ok(session::start(
            spec,
            &self.context.tasks,
            self.context.hurry.clone(),
        ))
    }

    /// The program that makes artifacts, in the environment of the servers.
    ///
    /// # Errors
    /// `runtimeSetup` when it cannot be found.
    pub(super) fn build_tool(&self) -> BeamResult<ChildSpec> {
        build_tool(&self.project, &self.context.config, self.marker())
    }

    fn marker(&self) -> String {
        format!(
            "{}-{}",
            std::process::id(),
            SERVER_NUMBER.fetch_add(1, Ordering::Relaxed)
        )
    }

    /// The command line of a server for the user's documents, for people.
    pub(super) fn shown_command(&self) -> Vec<String> {
        let command = self.command(Purpose::Documents, String::new());
        command
            .map(|child| session::command_line(&child))
            .unwrap_or_default()
    }

    fn command(&self, purpose: Purpose, marker: String) -> BeamResult<ChildSpec> {
        lean_command(
            &self.project,
            &self.context.config,
            purpose,
            &self.support,
            marker,
        )
    }
}
