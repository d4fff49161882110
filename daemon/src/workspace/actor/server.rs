//! The life of a workspace's Lean server: started when needed, again after a crash, stopped when idle.

use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use lean_beam_proto::{BeamError, BeamResult, ErrorCode};
use serde_json::json;

use super::{
    super::{
        inbox::{Eviction, Inbox},
        lean_command::Purpose,
        restart::Verdict,
    },
    Actor,
};
use crate::session::{SessionHandle, SessionPhase};

impl Actor {
    /// The running server, or a new one.
    pub(super) fn ensure_server(&mut self) -> BeamResult<SessionHandle> {
        if let Some(server) = &self.server {
            if server.state().end.is_none() {
                return Ok(server.clone());
            }
            // Its end is known, the news of it is still on the way.
            self.session_over(self.generation);
        }
        let delay = match self.history.verdict(Instant::now()) {
            Verdict::StartAfter(delay) => delay,
            Verdict::GivenUp { retry_in, crashes } => return Err(self.given_up(retry_in, crashes)),
        };
        let server = self.servers.start(Purpose::Documents, delay)?;
        self.generation += 1;
        self.counters.servers_started += 1;
        self.config.lake_starts();
        self.follow(server.clone());
        self.server = Some(server.clone());
        Ok(server)
    }

    fn follow(&self, server: SessionHandle) {
        let (inbox, generation) = (self.inbox.clone(), self.generation);
        let config = Arc::clone(&self.config);
        self.context.tasks.spawn(async move {
            server.ready_or_over().await;
            config.lake_is_ready();
            server.over().await;
            inbox.send(Inbox::SessionOver { generation }).ok();
        });
    }

    pub(super) fn session_over(&mut self, generation: u64) {
        if generation != self.generation {
            return;
        }
        let Some(server) = self.server.take() else {
            return;
        };
        self.mirror.mark_all_closed();
        if let Some(end) = server
            .state()
            .end
            .filter(|end| end.phase != SessionPhase::Stopping)
        {
            if end.option_refused {
                self.servers.support.note_refusal();
                return;
            }
            self.history.record(Instant::now());
            self.counters.server_crashes += 1;
            self.last_end = Some(end);
        }
    }

    pub(super) fn unload_if_idle(&mut self) {
        if self.last_use.elapsed() >= self.context.config.workspace_idle() {
            return self.unload();
        }
        let limit = self.context.config.document_idle();
        while let Some(uri) = self
            .mirror
            .least_recently_used()
            .filter(|document| document.last_use.elapsed() >= limit)
            .map(|document| document.path.uri.clone())
        {
            self.evict(&uri, Eviction::Spare);
        }
    }

    /// Stops the servers, unless a request is at work. What clients hold stays valid.
    pub(super) fn unload(&mut self) {
        if self.in_use.load(Ordering::Relaxed) > 0 {
            return;
        }
        if let Some(server) = self.server.take() {
            tracing::info!("unloading an idle workspace");
            self.generation += 1;
            self.counters.unloads += 1;
            self.leaving = Some(server.clone());
            self.mirror.mark_all_closed();
            let probes = Arc::clone(&self.probes);
            self.context.tasks.spawn(async move {
                tokio::join!(server.stop(), probes.stop());
            });
        }
    }

    /// The server and the one before it, which may still be ending.
    pub(in crate::workspace) fn servers_left(&self) -> impl Iterator<Item = SessionHandle> + use<> {
        let servers = [self.server.clone(), self.leaving.clone()];
        servers
            .into_iter()
            .flatten()
            .filter(|server| server.state().end.is_none())
    }

    pub(in crate::workspace) fn server_pids(&self) -> Vec<u32> {
        self.servers_left()
            .filter_map(|server| server.state().pid)
            .collect()
    }

    fn given_up(&self, retry_in: Duration, crashes: usize) -> BeamError {
        let why = self.last_end.as_ref().map_or("", |end| end.reason.as_str());
        let (code, stderr, command) = match &self.last_end {
            Some(end) if end.phase == SessionPhase::Starting => {
                (ErrorCode::RuntimeSetup, &end.stderr[..], &end.command[..])
            }
            Some(end) => (ErrorCode::WorkerCrashed, &end.stderr[..], &end.command[..]),
            None => (ErrorCode::WorkerCrashed, &[][..], &[][..]),
        };
        BeamError::new(code, format!("the Lean server of {} ended {crashes} times within a minute and is left alone: {why}", self.project.root.display()))
            .with_hint(format!("See `lean-beam logs`. It is tried again in {} s, or at once after `lean-beam drop`.", retry_in.as_secs() + 1))
            .with_data(json!({ "crashes": crashes, "retry_in_ms": retry_in.as_millis() as u64, "stderr": stderr, "command": command }))
    }
}
