//! Which of the two protocol families a connection speaks, and which of them a request belongs to.
//!
//! A connection starts undecided. A successful `initialize` makes it legacy, the first supported
//! operation with valid metadata makes it modern, and so it stays. `server/discover` decides nothing.

use super::meta::Meta;
use crate::jsonrpc::RpcError;

/// Asks what the server speaks. It is always a modern request, and the only one that locks nothing.
pub(super) const DISCOVER: &str = "server/discover";
/// Opens a legacy connection.
pub(super) const INITIALIZE: &str = "initialize";
/// Asks a legacy server whether it is there.
pub(super) const PING: &str = "ping";
/// Sets the log level of a legacy connection.
pub(super) const SET_LEVEL: &str = "logging/setLevel";
/// Lists the tools.
pub(super) const LIST_TOOLS: &str = "tools/list";
/// Calls a tool.
pub(super) const CALL_TOOL: &str = "tools/call";

/// The methods that exist in the legacy family alone.
pub(super) const LEGACY_ONLY: [&str; 3] = [INITIALIZE, PING, SET_LEVEL];

/// The family of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Family {
    /// Nothing has been decided.
    #[default]
    Undecided,
    /// `initialize` was answered.
    Legacy {
        /// `notifications/initialized` came after it.
        ready: bool,
    },
    /// A modern operation was served.
    Modern,
}

/// The family that a request is served in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// By the rules of the revisions with `initialize`.
    Legacy,
    /// By the rules of the revision with metadata on every request.
    Modern,
}

impl Family {
    /// Finds the family of a request on this connection.
    ///
    /// # Errors
    /// The connection speaks the other one; or it is modern and the request says nothing about itself.
    pub fn route(self, method: &str, meta: &Meta<'_>) -> Result<Route, RpcError> {
        let is_modern = method == DISCOVER || meta.is_modern();
        match (self, is_modern) {
            (Self::Undecided, false) | (Self::Legacy { .. }, false) => Ok(Route::Legacy),
            (Self::Undecided, true) | (Self::Modern, true) => Ok(Route::Modern),
            (Self::Legacy { .. }, true) => Err(RpcError::invalid_request(
                "this connection was opened with `initialize` and speaks no other protocol family",
            )),
            (Self::Modern, false) if LEGACY_ONLY.contains(&method) => {
                Err(RpcError::invalid_request(format!(
                    "this connection speaks revision {} already, which has no `{method}`",
                    super::meta::MODERN_REVISION
                )))
            }
            (Self::Modern, false) => meta.validate_modern().map(|_| Route::Modern),
        }
    }
}
