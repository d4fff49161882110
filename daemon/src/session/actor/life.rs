//! From `initialize` to the end of the process.

use std::{collections::VecDeque, process::ExitStatus, sync::Arc};

use serde_json::value::RawValue;

use super::{
    super::{
        SessionEnd, SessionError, SessionPhase,
        inbox::Inbox,
        launch::{INITIALIZE_ID, command_line},
    },
    Actor,
};
use crate::{
    incident,
    lsp::{
        InitializeResult, RequestId, ResponseError, encode_notification, encode_request,
        initialize_params, method,
    },
};

/// Id of the `shutdown` request, which nothing waits for.
const SHUTDOWN_ID: RequestId = RequestId::MAX >> 12;

impl Actor {
    pub(super) fn initialize(&mut self) {
        let params = initialize_params(&self.spec.root_uri, std::process::id());
        self.send(encode_request(INITIALIZE_ID, method::INITIALIZE, &params));
    }

    pub(super) fn initialized(
        &mut self,
        result: Result<Box<RawValue>, ResponseError>,
        waiting: &mut VecDeque<Inbox>,
    ) {
        let parsed = result.map_err(|error| error.message).and_then(|value| {
            serde_json::from_str::<InitializeResult>(value.get()).map_err(|error| error.to_string())
        });
        let result = match parsed {
            Ok(result) => result,
            Err(reason) => {
                return self.abandon(format!("the Lean server refused `initialize`: {reason}"));
            }
        };
        self.notify(method::INITIALIZED, &serde_json::json!({}));
        self.phase = SessionPhase::Running;
        let server = result
            .server()
            .unwrap_or_else(|| "unnamed server".to_owned());
        tracing::info!(server, pid = self.process.pid(), "the Lean server is ready");
        let sorry_type = result.sorry_type();
        self.state.send_modify(|state| {
            state.server = Some(server);
            state.sorry_type = sorry_type;
        });
        for message in waiting.drain(..) {
            self.handle_command(message);
        }
    }

    /// Nothing more can come of this process, whether it knows that or not.
    pub(super) fn end_of_output(&mut self) {
        self.output_ended = true;
        if self.phase != SessionPhase::Stopping {
            let process = self.process.clone();
            self.tasks.spawn(async move { process.kill().await });
        }
    }

    /// Gives a server up that cannot be worked with. Its exit ends the session.
    pub(super) fn abandon(&mut self, reason: String) {
        if self.failure.is_none() {
            tracing::warn!(reason, pid = self.process.pid(), "giving a Lean server up");
            self.failure = Some(reason);
        }
        self.frames = None;
        let process = self.process.clone();
        self.tasks.spawn(async move { process.kill().await });
    }

    pub(super) fn stop(&mut self) {
        if self.phase == SessionPhase::Running {
            self.request(SHUTDOWN_ID, method::SHUTDOWN, RawValue::NULL);
            self.send(encode_notification(method::EXIT, &()));
        }
        self.phase = SessionPhase::Stopping;
        // Closing its input is the last way of asking.
        self.frames = None;
        let (process, hurry) = (self.process.clone(), self.hurry.clone());
        self.tasks
            .spawn(async move { process.finish(&hurry).await });
    }

    pub(super) fn finish(mut self, status: Option<ExitStatus>, waiting: VecDeque<Inbox>) {
        let exit = status.map(|status| status.to_string());
        let reason = self.failure.take().unwrap_or_else(|| match self.phase {
            SessionPhase::Stopping => "the Lean server was stopped".to_owned(),
            SessionPhase::Starting => format!(
                "the Lean server ended while starting ({})",
                exit.as_deref().unwrap_or("unknown exit")
            ),
            SessionPhase::Running => format!(
                "the Lean server died ({})",
                exit.as_deref().unwrap_or("unknown exit")
            ),
        });
        let end = Arc::new(SessionEnd {
            phase: self.phase,
            reason,
            exit,
            stderr: self.stderr.tail(),
            command: command_line(&self.spec.child),
            option_refused: self.option_refused,
        });
        if end.phase != SessionPhase::Stopping && !end.option_refused {
            let root = &self.spec.child.directory;
            incident::record(incident::Kind::Server, Some(root), &end.reason);
        }
        tracing::info!(
            reason = end.reason,
            pending = self.pending.len(),
            "a Lean server is gone"
        );
        self.state
            .send_modify(|state| state.end = Some(Arc::clone(&end)));
        let was_running = self.output_ended && self.phase == SessionPhase::Running;
        for message in waiting {
            if let Inbox::Request { reply, .. } = message {
                let error = if was_running {
                    SessionError::Overtaken
                } else {
                    SessionError::of_end(Arc::clone(&end))
                };
                reply.send(Err(error)).ok();
            }
        }
        self.pending.fail_all(&SessionError::of_end(end));
    }
}
