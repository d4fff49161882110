//! The revisions that open a connection with `initialize`.

use super::{
    Effect, Family, LogLevel, LogPolicy, Protocol,
    family::{CALL_TOOL, INITIALIZE, LIST_TOOLS, PING, SET_LEVEL},
    identity::initialization,
    meta::{Meta, is_implementation, is_object},
    tool_call::check_cursor,
    tool_list,
};
use crate::jsonrpc::{Members, RequestId, RpcError, result_line};

impl Protocol {
    pub(super) fn serve_legacy(
        &mut self,
        id: &RequestId,
        method: &str,
        params: &Members<'_>,
        meta: Meta<'_>,
    ) -> Result<Vec<Effect>, RpcError> {
        let reply = |result: &str| Ok(vec![Effect::Reply(result_line(id, result))]);
        match (self.family, method) {
            (_, PING) => reply("{}"),
            (Family::Legacy { .. }, INITIALIZE) => Err(RpcError::invalid_request(
                "the connection is initialized already",
            )),
            (_, INITIALIZE) => {
                let revision = requested_revision(params)?;
                self.family = Family::Legacy { ready: false };
                reply(&initialization(&revision))
            }
            (Family::Legacy { ready: true }, SET_LEVEL) => {
                let level = params.get("level").and_then(LogLevel::from_json);
                let level = level.ok_or_else(|| {
                    RpcError::invalid_params("`params.level` must be a log level")
                })?;
                Ok(vec![
                    Effect::SetLogLevel(level),
                    Effect::Reply(result_line(id, "{}")),
                ])
            }
            (Family::Legacy { ready: true }, LIST_TOOLS) => {
                check_cursor(params)?;
                reply(&tool_list().finish())
            }
            (Family::Legacy { ready: true }, CALL_TOOL) => {
                self.admit(id, params, meta.progress_token, LogPolicy::Connection)
            }
            (Family::Legacy { ready: true }, _) => Err(RpcError::method_not_found(method)),
            (Family::Legacy { ready: false }, _) => Err(RpcError::invalid_request(
                "the client must send `notifications/initialized` first",
            )),
            _ => Err(RpcError::invalid_request(
                "the connection is not initialized; start with `initialize`, or send the metadata of revision 2026-07-28 with every request",
            )),
        }
    }
}

/// Checks all that `initialize` must say, and gives the revision that it asks for.
fn requested_revision(params: &Members<'_>) -> Result<String, RpcError> {
    let revision = params
        .get("protocolVersion")
        .and_then(|json| serde_json::from_str(json.get()).ok())
        .ok_or_else(|| RpcError::invalid_params("`params.protocolVersion` must be a string"))?;
    if !params.get("capabilities").is_some_and(is_object) {
        return Err(RpcError::invalid_params(
            "`params.capabilities` must be an object",
        ));
    }
    if !params.get("clientInfo").is_some_and(is_implementation) {
        return Err(RpcError::invalid_params(
            "`params.clientInfo` must be an object with `name` and `version`",
        ));
    }
    Ok(revision)
}
