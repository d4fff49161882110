//! The protocol, pure: a line of the client and the connection's state in, effects and the next state out.
//!
//! No IO and no clock. Whoever drives it carries out the effects in their order and reports back what
//! became of calls: [`Protocol::complete`] when a call has its result, [`Protocol::retire`] right before
//! the answer is written, [`Protocol::end`] when it was.

mod family;
mod identity;
mod inflight;
mod legacy;
mod level;
mod meta;
mod modern;
mod outcome;
mod tool_call;

pub use family::Family;
pub use identity::{LEGACY_REVISIONS, SERVER_NAME, instructions};
pub use inflight::Admission;
pub use level::LogLevel;
pub use meta::{MODERN_REVISION, ProgressToken};
pub use outcome::{CallOutcome, MAX_RESULT_CHARACTERS};
pub use tool_call::{LogPolicy, Order};

use inflight::Inflight;
use lean_beam_proto::{BeamError, ErrorCode};
use meta::Meta;

use crate::jsonrpc::{
    INVALID_REQUEST, JsonObject, Members, Message, RequestId, RpcError, error_line, read_message,
};

/// Most calls in flight at once. A client that sends more does not read its answers.
pub const MAX_CALLS_IN_FLIGHT: usize = 1024;

/// Longest line of a client, in bytes.
pub const MAX_LINE_BYTES: usize = lean_beam_proto::frame::MAX_REQUEST_BYTES;

/// One line of input.
#[derive(Debug, Clone, Copy)]
pub enum Line<'a> {
    /// The line without its end.
    Whole(&'a [u8]),
    /// The line was longer than [`MAX_LINE_BYTES`] and is lost.
    TooLong,
}

/// What is to be done, in this order.
#[derive(Debug)]
pub enum Effect {
    /// Write this line.
    Reply(String),
    /// Carry out a call; hold it back where it is not released.
    Start(Box<Order>),
    /// Let a call go that was held back.
    Release(Admission),
    /// Stop working on a call. It gets no answer.
    Abort(Admission),
    /// The connection's log level is this from now on.
    SetLogLevel(LogLevel),
}

/// One connection's state.
#[derive(Debug, Default)]
pub struct Protocol {
    family: Family,
    calls: Inflight,
}

impl Protocol {
    /// A connection on which nothing was said yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The family that was decided on.
    pub fn family(&self) -> Family {
        self.family
    }

    /// True when no call is in flight.
    pub fn is_idle(&self) -> bool {
        self.calls.is_empty()
    }

    /// Takes in one line.
    pub fn receive(&mut self, line: Line<'_>) -> Vec<Effect> {
        let bytes = match line {
            Line::Whole(bytes) => bytes,
            Line::TooLong => return vec![Effect::Reply(error_line(None, &too_long()))],
        };
        match read_message(bytes) {
            Message::Blank => Vec::new(),
            Message::Rejected { id: Some(id), .. } if self.calls.owns(&id) => Vec::new(),
            Message::Rejected { id, error } => vec![Effect::Reply(error_line(id.as_ref(), &error))],
            Message::Notification { method, params } => self.notified(&method, &params),
            Message::Request { id, .. } if self.calls.owns(&id) => Vec::new(),
            Message::Request { id, method, params } => self.requested(&id, &method, &params),
        }
    }

    /// A call has its result. Gives the line that answers it, or `None` when a cancel came first.
    pub fn complete(&mut self, admission: Admission, outcome: CallOutcome) -> Option<String> {
        let id = self.calls.take(admission)?;
        Some(outcome.into_line(&id, self.family))
    }

    /// The line that answers a call is about to be written: its id is free from here on.
    pub fn retire(&mut self, admission: Admission) {
        self.calls.retire(admission);
    }

    /// A call is over: its line was written, or it was cancelled and its work has stopped.
    pub fn end(&mut self, admission: Admission) -> Vec<Effect> {
        self.calls
            .end(admission)
            .into_iter()
            .map(Effect::Release)
            .collect()
    }

    /// True when the call was cancelled and waits for its work to stop.
    pub fn is_cancelled(&self, admission: Admission) -> bool {
        self.calls.is_cancelled(admission)
    }

    /// The connection closes: every call ends early and gets no answer, fences excepted.
    pub fn close(&mut self) -> Vec<Effect> {
        let cancelled = self.calls.cancel_all();
        cancelled.into_iter().map(Effect::Abort).collect()
    }

    fn notified(&mut self, method: &str, params: &Members<'_>) -> Vec<Effect> {
        match (method, self.family) {
            ("notifications/cancelled", _) => params
                .get("requestId")
                .and_then(RequestId::from_json)
                .and_then(|id| self.calls.cancel(&id))
                .map(Effect::Abort)
                .into_iter()
                .collect(),
            ("notifications/initialized", Family::Legacy { .. }) => {
                self.family = Family::Legacy { ready: true };
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn requested(&mut self, id: &RequestId, method: &str, params: &Members<'_>) -> Vec<Effect> {
        let served = Meta::of(params).and_then(|meta| match self.family.route(method, &meta)? {
            family::Route::Legacy => self.serve_legacy(id, method, params, meta),
            family::Route::Modern => self.serve_modern(id, method, params, meta),
        });
        served.unwrap_or_else(|error| vec![Effect::Reply(error_line(Some(id), &error))])
    }

    /// Takes in a call whose parameters are well-formed.
    fn admit(
        &mut self,
        id: &RequestId,
        params: &Members<'_>,
        progress_token: Option<ProgressToken>,
        logs: LogPolicy,
    ) -> Result<Vec<Effect>, RpcError> {
        let (tool, arguments) = tool_call::read_call(params)?;
        if self.calls.len() >= MAX_CALLS_IN_FLIGHT {
            let line = CallOutcome::failed(&too_many_calls()).into_line(id, self.family);
            return Ok(vec![Effect::Reply(line)]);
        }
        let is_fence = tool.is_fence() && arguments.is_ok();
        let (admission, released) = self.calls.admit(id.clone(), is_fence);
        Ok(vec![Effect::Start(Box::new(Order {
            admission,
            id: id.clone(),
            tool,
            arguments,
            progress_token,
            logs,
            released,
        }))])
    }
}

fn too_long() -> RpcError {
    RpcError::new(
        INVALID_REQUEST,
        format!("a line of more than {MAX_LINE_BYTES} bytes is not read"),
    )
}

fn too_many_calls() -> BeamError {
    BeamError::new(
        ErrorCode::ResourceExhausted,
        format!("{MAX_CALLS_IN_FLIGHT} calls are in flight already"),
    )
    .with_hint("Wait for answers before sending more calls.")
}

/// The result of `tools/list` before a family adds its own members.
fn tool_list() -> JsonObject {
    JsonObject::new().with_raw("tools", crate::tools::list())
}
