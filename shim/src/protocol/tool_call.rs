//! The parameters of `tools/call` and `tools/list`.

use lean_beam_proto::BeamResult;

use super::{inflight::Admission, level::LogLevel, meta::ProgressToken};
use crate::{
    jsonrpc::{Members, RequestId, RpcError, excerpt},
    tools::{self, Arguments, Tool},
};

/// A call that was taken in, with all that is needed to carry it out.
#[derive(Debug)]
pub struct Order {
    /// Its name among all calls of this process.
    pub admission: Admission,
    /// The id of its request, for messages that refer to it.
    pub id: RequestId,
    /// The tool.
    pub tool: &'static Tool,
    /// Its arguments, or why they cannot be used.
    pub arguments: BeamResult<Arguments>,
    /// Where progress goes.
    pub progress_token: Option<ProgressToken>,
    /// Which log notifications it may send.
    pub logs: LogPolicy,
    /// False when it must wait until it is released.
    pub released: bool,
}

/// Which log notifications a call may send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogPolicy {
    /// Those that the connection's level admits when they are sent.
    Connection,
    /// Those at this level or graver; none when there is no level.
    Request(Option<LogLevel>),
}

/// Reads the tool and its arguments.
///
/// # Errors
/// The parameters are malformed, or there is no such tool. Arguments that do not fit the tool are no
/// such error: the answer to them is a result.
pub(super) fn read_call(
    params: &Members<'_>,
) -> Result<(&'static Tool, BeamResult<Arguments>), RpcError> {
    for name in ["inputResponses", "requestState"] {
        if params.has(name) {
            return Err(RpcError::invalid_params(format!(
                "`{name}` continues a request for input, and this server has made none"
            )));
        }
    }
    if let Some(name) = params.first_undeclared(&["name", "arguments", "_meta"]) {
        let message = format!("`params.{}` is not known", excerpt(name));
        return Err(RpcError::invalid_params(message));
    }
    let name: String = params
        .get("name")
        .and_then(|json| serde_json::from_str(json.get()).ok())
        .ok_or_else(|| RpcError::invalid_params("`params.name` must be a string"))?;
    let arguments = params.get("arguments");
    if arguments.is_some_and(|json| Members::from_json(json).is_none()) {
        return Err(RpcError::invalid_params(
            "`params.arguments` must be an object",
        ));
    }
    let tool = tools::find(&name).ok_or_else(|| {
        RpcError::invalid_params(format!("there is no tool `{}`", excerpt(&name)))
    })?;
    Ok((tool, Arguments::read(tool, arguments)))
}

/// Checks the parameters of a list that fits on one page.
///
/// # Errors
/// There is a cursor: none was ever given out. The empty one is taken for the start of the list.
pub(super) fn check_cursor(params: &Members<'_>) -> Result<(), RpcError> {
    match params.get("cursor") {
        None => Ok(()),
        Some(cursor) if cursor.get() == "\"\"" => Ok(()),
        Some(_) => Err(RpcError::invalid_params("the cursor is not known")),
    }
}
