//! Speaking to a daemon of any protocol, in the few words that never change.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::time::timeout;

use super::{call::decode, connect::Connection};
use crate::{
    error::{BeamError, BeamResult, ErrorCode},
    frame,
    op::{Operation as _, Shutdown, ShutdownParams, Status},
    request::Envelope,
    response::Response,
    version::Identity,
};

/// The frozen operations are answered at once; whoever needs longer is stuck.
const FROZEN_LIMIT: Duration = Duration::from_secs(5);

/// What any daemon's `status` tells to any client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FrozenStatus {
    /// The daemon.
    pub identity: Identity,
    /// True while it works for somebody else. A daemon that does not say so counts as busy.
    pub busy: bool,
}

impl Connection {
    /// Asks a daemon of any protocol whether it is busy.
    ///
    /// # Errors
    /// The daemon's own error, or `daemonUnavailable` when it does not answer within 5 s.
    pub async fn frozen_status(self) -> BeamResult<FrozenStatus> {
        #[derive(Deserialize)]
        struct Busy {
            busy: Option<bool>,
        }
        let response = self.frozen_call(Status::NAME, None).await?;
        let result = response.response.into_result()?;
        let status: Busy = decode(Status::NAME, result.get())?;
        Ok(FrozenStatus {
            identity: response.identity,
            busy: status.busy.unwrap_or(true),
        })
    }

    /// Asks a daemon of any protocol to stop. It is gone when its life lock is free, see
    /// [`wait_until_gone`](super::wait_until_gone).
    ///
    /// # Errors
    /// The daemon's own error, `resourceExhausted` when it is busy and `only_if_idle` is set;
    /// `daemonUnavailable` when it does not answer within 5 s.
    pub async fn frozen_shutdown(self, only_if_idle: bool) -> BeamResult<Identity> {
        let params = if only_if_idle {
            let params = ShutdownParams { only_if_idle };
            Some(frame::raw(&params).map_err(|error| BeamError::internal(error.to_string()))?)
        } else {
            None
        };
        let response = self.frozen_call(Shutdown::NAME, params).await?;
        response.response.into_result()?;
        Ok(response.identity)
    }

    /// Only what is frozen goes in: another protocol's daemon may refuse any further field.
    async fn frozen_call(self, op: &str, params: Option<Box<RawValue>>) -> BeamResult<Response> {
        let envelope = Envelope {
            protocol: self.protocol,
            op: op.to_owned(),
            params,
            client: None,
            workspace: None,
            deadline_ms: None,
            request_id: None,
        };
        let call = async { self.send_raw(&envelope).await?.finish().await };
        timeout(FROZEN_LIMIT, call).await.map_err(|_elapsed| {
            BeamError::new(
                ErrorCode::DaemonUnavailable,
                format!(
                    "the daemon did not answer {op} within {} s",
                    FROZEN_LIMIT.as_secs()
                ),
            )
        })?
    }
}
