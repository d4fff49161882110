//! A typed request, before it becomes an envelope.

use std::{path::Path, time::Duration};

use crate::{
    error::{BeamError, BeamResult},
    frame,
    op::Operation,
    request::{Envelope, WorkspaceRef},
    version::ClientInfo,
};

/// What a client asks, with the types of the operation `O`.
#[derive(Debug, Clone)]
pub struct Request<O: Operation> {
    /// The operation's parameters.
    pub params: O::Params,
    /// The project that it is about, where it is about one.
    pub workspace: Option<WorkspaceRef>,
    /// How long the client wants to wait for the final line. `None`: for ever.
    pub deadline: Option<Duration>,
    /// A name for `cancel`; the daemon makes one up when absent.
    pub request_id: Option<String>,
}

impl<O: Operation> Request<O> {
    /// A request about no workspace, without a deadline.
    pub fn new(params: O::Params) -> Self {
        Self {
            params,
            workspace: None,
            deadline: None,
            request_id: None,
        }
    }

    /// The same request about the project at `root`, an absolute path.
    ///
    /// A path that is not UTF-8 has no form on the wire; it goes as its closest one, which the daemon
    /// will not find.
    #[must_use]
    pub fn in_workspace(mut self, root: impl AsRef<Path>) -> Self {
        self.workspace = Some(WorkspaceRef {
            root: root.as_ref().to_string_lossy().into_owned(),
        });
        self
    }

    /// The same request with a deadline, counted from its arrival at the daemon.
    #[must_use]
    pub fn within(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// The same request under a name by which `cancel` finds it.
    #[must_use]
    pub fn named(mut self, request_id: impl Into<String>) -> Self {
        self.request_id = Some(request_id.into());
        self
    }

    /// The envelope of this request.
    ///
    /// # Errors
    /// `internalError` when the parameters have no JSON form.
    pub fn envelope(&self, protocol: u32, client: &ClientInfo) -> BeamResult<Envelope> {
        let params = frame::raw(&self.params).map_err(|error| {
            BeamError::internal(format!(
                "the parameters of {} have no JSON form: {error}",
                O::NAME
            ))
        })?;
        Ok(Envelope {
            protocol,
            op: O::NAME.to_owned(),
            params: Some(params),
            client: Some(client.clone()),
            workspace: self.workspace.clone(),
            deadline_ms: self.deadline.map(whole_milliseconds),
            request_id: self.request_id.clone(),
        })
    }
}

/// Rounds up, so that a deadline under a millisecond does not become none.
fn whole_milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op;

    #[test]
    fn the_envelope_carries_everything_that_was_set() {
        let request = Request::<op::Update>::new(op::UpdateParams {
            path: "A.lean".to_owned(),
        })
        .in_workspace("/p")
        .within(Duration::from_micros(1_500))
        .named("mine");
        let envelope = request.envelope(7, &ClientInfo::named("test")).unwrap();
        let json = serde_json::to_value(&envelope).unwrap();
        assert_eq!(json["protocol"], 7);
        assert_eq!(json["op"], "update");
        assert_eq!(json["params"]["path"], "A.lean");
        assert_eq!(json["workspace"]["root"], "/p");
        assert_eq!(json["deadline_ms"], 2);
        assert_eq!(json["request_id"], "mine");
        assert_eq!(json["client"]["name"], "test");
    }

    #[test]
    fn what_was_not_set_is_left_out() {
        let envelope = Request::<op::Ping>::new(op::Empty {})
            .envelope(1, &ClientInfo::named("test"))
            .unwrap();
        let json = serde_json::to_value(&envelope).unwrap();
        for key in ["workspace", "deadline_ms", "request_id"] {
            assert!(json.get(key).is_none(), "{key} is there: {json}");
        }
    }
}
