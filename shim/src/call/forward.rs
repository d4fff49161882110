//! Passing a call on to the daemon: one connection, one request, its events, its answer.

use std::time::Duration;

use lean_beam_proto::{
    BeamError, BeamResult, ClientInfo, ErrorCode, PROTOCOL,
    client::{Connection, RawCall},
    op::Scope,
    request::{Envelope, WorkspaceRef},
    response::Response,
};
use serde_json::value::RawValue;
use tokio::{
    sync::SemaphorePermit,
    time::{Instant, sleep, timeout_at},
};

use super::{Shared, reporter::Reporter, root};
use crate::{
    jsonrpc::JsonObject,
    protocol::SERVER_NAME,
    tools::{Arguments, Forward, Tool},
};

/// How long the daemon may take to say that a deadline has passed; then this end says so.
const DEADLINE_GRACE: Duration = Duration::from_secs(2);
/// How often a request that was not begun is sent to the next daemon.
const KNOCKS: u32 = 5;
/// How long to wait before asking again: a dying daemon takes some milliseconds to be gone.
const REPEAT_PAUSE: Duration = Duration::from_millis(20);

/// One call on its way.
pub(super) struct Passage<'a> {
    pub(super) tool: &'static Tool,
    pub(super) forward: &'static Forward,
    pub(super) arguments: &'a Arguments,
    pub(super) deadline: Instant,
    pub(super) shared: &'a Shared,
}

/// How far an attempt came.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// There was no daemon to ask.
    #[default]
    Unconnected,
    /// A daemon was asked and had not said anything yet.
    Connected,
    /// The daemon had begun.
    Accepted,
}

impl Passage<'_> {
    /// Carries the call out and gives its result, an object.
    ///
    /// # Errors
    /// The root is unusable, no daemon can be reached, the deadline passes, or the operation fails.
    pub(super) async fn go(&self, reporter: &mut Reporter) -> BeamResult<String> {
        let root = reporter.during(self.root()).await?;
        let _slot = reporter.during(self.slot()).await?;
        let response = self.attempts(root.as_deref(), reporter).await?;
        self.result(response, root)
    }

    /// Asks until there is an answer, or until asking again would be wrong.
    ///
    /// A daemon that dies takes what it knew with it. Only what keeps nothing, or was not even begun, is
    /// asked again: the former once, the latter a few times, since a dying daemon still lets clients in for
    /// a moment.
    async fn attempts(&self, root: Option<&str>, reporter: &mut Reporter) -> BeamResult<Response> {
        let mut may_lose_work = self.forward.observational;
        let mut knocks_left = KNOCKS;
        loop {
            let mut progress = Progress::default();
            let outcome = self.attempt(root, reporter, &mut progress).await;
            let is_lost =
                matches!(&outcome, Err(error) if error.code == ErrorCode::DaemonUnavailable);
            match progress {
                Progress::Connected if is_lost && knocks_left > 0 => knocks_left -= 1,
                Progress::Accepted if is_lost && may_lose_work => may_lose_work = false,
                _ => return outcome,
            }
            reporter.during(sleep(REPEAT_PAUSE)).await;
        }
    }

    async fn root(&self) -> BeamResult<Option<String>> {
        let (Scope::Workspace, Some(given)) = (self.forward.scope, self.arguments.root.clone())
        else {
            return Ok(None);
        };
        let (tool, may_be_gone) = (self.tool, self.forward.takes_vanished_roots);
        let check = move || {
            if may_be_gone {
                root::former_project(tool, &given)
            } else {
                root::existing_project(tool, &given)
            }
        };
        // The directory may be on a file system that does not answer; then only this call waits for it.
        match timeout_at(self.deadline, tokio::task::spawn_blocking(check)).await {
            Ok(Ok(checked)) => checked.map(Some),
            Ok(Err(failed)) => Err(BeamError::internal(format!(
                "the root was not checked: {failed}"
            ))),
            Err(_elapsed) => Err(self.late("the file system did not answer about the root")),
        }
    }

    async fn slot(&self) -> BeamResult<SemaphorePermit<'_>> {
        match timeout_at(self.deadline, self.shared.slot()).await {
            Ok(slot) => slot,
            Err(_elapsed) => Err(self.late("too many calls were in flight, so nothing was sent")),
        }
    }

    async fn attempt(
        &self,
        root: Option<&str>,
        reporter: &mut Reporter,
        progress: &mut Progress,
    ) -> BeamResult<Response> {
        let connection = reporter.during(self.connect()).await?;
        *progress = Progress::Connected;
        let mut call = reporter.during(self.send(connection, root)).await?;
        let limit = self.deadline + DEADLINE_GRACE;
        loop {
            match reporter.during(timeout_at(limit, call.next_event())).await {
                Err(_elapsed) => return Err(self.late("the daemon did not answer in time")),
                Ok(Err(error)) => return Err(error),
                Ok(Ok(None)) => break,
                Ok(Ok(Some(event))) => {
                    *progress = Progress::Accepted;
                    reporter.event(event).await;
                }
            }
        }
        call.finish().await
    }

    async fn connect(&self) -> BeamResult<Connection> {
        let connector = self.shared.connector()?;
        match timeout_at(self.deadline, connector.ensure()).await {
            Ok(connection) => connection,
            Err(_elapsed) => Err(self.late("the daemon was not ready in time")),
        }
    }

    async fn send(&self, connection: Connection, root: Option<&str>) -> BeamResult<RawCall> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(self.late("nothing was sent"));
        }
        let params = RawValue::from_string(self.arguments.params.clone()).map_err(|error| {
            BeamError::internal(format!("the arguments have no JSON form: {error}"))
        })?;
        let envelope = Envelope {
            protocol: PROTOCOL,
            op: self.forward.op.to_owned(),
            params: Some(params),
            client: Some(ClientInfo::named(SERVER_NAME)),
            workspace: root.map(|root| WorkspaceRef {
                root: root.to_owned(),
            }),
            deadline_ms: Some(u64::try_from(left.as_millis()).unwrap_or(u64::MAX).max(1)),
            request_id: None,
        };
        connection.send_raw(&envelope).await
    }

    /// The result with its project in front, in exactly the declared form.
    fn result(&self, response: Response, root: Option<String>) -> BeamResult<String> {
        let result = response.response.into_result()?;
        let json = (self.forward.reencode)(result.get()).map_err(|error| {
            BeamError::new(
                ErrorCode::InvalidResult,
                format!(
                    "the daemon's result of {} has an unexpected shape: {error}",
                    self.forward.op
                ),
            )
            .with_hint("Daemon and MCP server may be of different versions: `lean-beam restart`.")
        })?;
        let workspace = response
            .workspace
            .or_else(|| root.map(|root| WorkspaceRef { root }));
        Ok(match workspace {
            Some(workspace) => JsonObject::new()
                .with("workspace", &workspace)
                .with_members_of(&json)
                .finish(),
            None => json,
        })
    }

    fn late(&self, message: &str) -> BeamError {
        deadline_exceeded(self.tool, message)
    }
}

/// The deadline passed on this side of the daemon.
pub(super) fn deadline_exceeded(tool: &Tool, message: &str) -> BeamError {
    BeamError::new(
        ErrorCode::DeadlineExceeded,
        format!("{}: {message}", tool.name),
    )
    .with_hint("Call again; a larger timeout_ms waits longer.")
}
