//! One request on one connection: its events, then its final line.

use std::{io, marker::PhantomData, time::Duration};

use futures_util::StreamExt as _;
use interprocess::local_socket::tokio::Stream;
use serde::de::DeserializeOwned;
use tokio::{
    io::AsyncWriteExt as _,
    time::{Instant, timeout, timeout_at},
};
use tokio_util::codec::{FramedRead, LinesCodec, LinesCodecError};

use super::{connect::Connection, request::Request};
use crate::{
    error::{BeamError, BeamResult, ErrorCode},
    event::Event,
    frame::{FrameError, MAX_REQUEST_BYTES, MAX_RESPONSE_BYTES, encode_line},
    op::Operation,
    request::{Envelope, WorkspaceRef},
    response::{Line, Response},
    version::Identity,
};

/// A daemon that does not read a request within this time is stuck.
const WRITE_LIMIT: Duration = Duration::from_secs(10);
/// The daemon itself keeps a request's deadline. If it has not answered this long after it, it is stuck.
const DEADLINE_GRACE: Duration = Duration::from_secs(10);
/// How much of a line that cannot be understood goes into the error.
const SNIPPET_CHARS: usize = 200;

/// A call whose result is not decoded.
///
/// Dropping it closes the connection, which cancels the request in the daemon.
#[derive(Debug)]
pub struct RawCall {
    /// Keeps the write half open too: closing it would mean cancel.
    lines: FramedRead<Stream, LinesCodec>,
    peeked: Option<Event>,
    response: Option<Box<Response>>,
    /// When we stop waiting for a daemon that does not keep the deadline.
    limit: Option<Instant>,
    answered: bool,
    finished: bool,
}

/// A call of the operation `O`.
///
/// Dropping it closes the connection, which cancels the request in the daemon.
#[derive(Debug)]
pub struct Call<O> {
    raw: RawCall,
    operation: PhantomData<fn() -> O>,
}

/// A decoded answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer<T> {
    /// The operation's result.
    pub output: T,
    /// The project that it is about, with its canonical root.
    pub workspace: Option<WorkspaceRef>,
    /// Who answered.
    pub identity: Identity,
}

impl Connection {
    /// Sends a typed request.
    ///
    /// # Errors
    /// `invalidInput` when it is too long, `daemonUnavailable` when the daemon does not take it.
    pub async fn send<O: Operation>(self, request: &Request<O>) -> BeamResult<Call<O>> {
        let envelope = request.envelope(self.protocol, &self.client)?;
        Ok(Call {
            raw: self.send_raw(&envelope).await?,
            operation: PhantomData,
        })
    }

    /// Sends `envelope` as it is.
    ///
    /// # Errors
    /// `invalidInput` when it is too long, `daemonUnavailable` when the daemon does not take it.
    pub async fn send_raw(self, envelope: &Envelope) -> BeamResult<RawCall> {
        let line = encode_line(envelope, MAX_REQUEST_BYTES).map_err(unsendable)?;
        let deadline = envelope.deadline_ms.map(Duration::from_millis);
        let mut stream = self.stream;
        match timeout(WRITE_LIMIT, stream.write_all(&line)).await {
            Ok(Ok(())) => {}
            // The daemon may refuse a request before it has read all of it; the reason is then there to be read.
            Ok(Err(error)) if has_hung_up(&error) => {}
            Ok(Err(error)) => return Err(lost(&error.to_string())),
            Err(_elapsed) => return Err(not_taken()),
        }
        Ok(RawCall::new(stream, deadline))
    }
}

impl RawCall {
    fn new(stream: Stream, deadline: Option<Duration>) -> Self {
        let codec = LinesCodec::new_with_max_length(MAX_RESPONSE_BYTES);
        Self {
            lines: FramedRead::new(stream, codec),
            peeked: None,
            response: None,
            limit: deadline.and_then(|wait| Instant::now().checked_add(wait + DEADLINE_GRACE)),
            answered: false,
            finished: false,
        }
    }

    /// The next event; `None` once the final line has arrived. Nothing is lost when the future is dropped.
    ///
    /// # Errors
    /// `daemonUnavailable` when the connection ends before the final line.
    pub async fn next_event(&mut self) -> BeamResult<Option<Event>> {
        if let Some(event) = self.peeked.take() {
            return Ok(Some(event));
        }
        if self.response.is_some() {
            return Ok(None);
        }
        match self.read_line().await?.1 {
            Line::Event(event) => Ok(Some(event)),
            Line::Final(response) => {
                self.response = Some(response);
                Ok(None)
            }
        }
    }

    /// The final line; events before it are skipped.
    ///
    /// # Errors
    /// `daemonUnavailable` when the connection ends before the final line. An error of the operation
    /// itself is part of the [`Response`].
    pub async fn finish(mut self) -> BeamResult<Response> {
        loop {
            if let Some(response) = self.response.take() {
                return Ok(*response);
            }
            self.next_event().await?;
        }
    }

    /// The next line, event or final, with its text as the daemon wrote it; `None` after the final one.
    /// A caller who shows lines uses this alone, since lines taken here are not seen by
    /// [`RawCall::next_event`] and [`RawCall::finish`].
    ///
    /// # Errors
    /// `daemonUnavailable` when the connection ends before the final line.
    pub async fn next_line(&mut self) -> BeamResult<Option<(String, Line)>> {
        if self.finished {
            return Ok(None);
        }
        let (text, line) = self.read_line().await?;
        Ok(Some((text, line)))
    }

    /// Waits for the daemon's first line and keeps it for [`RawCall::next_event`] or [`RawCall::finish`].
    pub(super) async fn wait_for_first_line(&mut self) -> BeamResult<()> {
        if self.peeked.is_none() {
            self.peeked = self.next_event().await?;
        }
        Ok(())
    }

    /// True when at least one line of the daemon has arrived. Before that the request has done nothing.
    pub(super) fn was_answered(&self) -> bool {
        self.answered
    }

    async fn read_line(&mut self) -> BeamResult<(String, Line)> {
        let next = match self.limit {
            None => self.lines.next().await,
            Some(limit) => timeout_at(limit, self.lines.next())
                .await
                .map_err(|_elapsed| silent())?,
        };
        match next {
            None => Err(lost("it closed the connection")),
            Some(Err(error)) => Err(unreadable(error)),
            Some(Ok(text)) => {
                let line = Line::parse(&text).map_err(|error| not_a_line(&error, &text))?;
                self.answered = true;
                self.finished = matches!(line, Line::Final(_));
                Ok((text, line))
            }
        }
    }
}

impl<O: Operation> Call<O> {
    /// The next event; `None` once the final line has arrived. Nothing is lost when the future is dropped.
    ///
    /// # Errors
    /// `daemonUnavailable` when the connection ends before the final line.
    pub async fn next_event(&mut self) -> BeamResult<Option<Event>> {
        self.raw.next_event().await
    }

    /// The result; events before it are skipped.
    ///
    /// # Errors
    /// The error of the operation; `daemonUnavailable` when the connection ends before the final line;
    /// `internalError` when the result does not have the operation's shape.
    pub async fn finish(self) -> BeamResult<Answer<O::Output>> {
        let response = self.raw.finish().await?;
        let result = response.response.into_result()?;
        Ok(Answer {
            output: decode(O::NAME, result.get())?,
            workspace: response.workspace,
            identity: response.identity,
        })
    }

    pub(super) fn raw_mut(&mut self) -> &mut RawCall {
        &mut self.raw
    }
}

/// Decodes the result of `operation`, naming the field that does not fit.
pub(super) fn decode<T: DeserializeOwned>(operation: &str, json: &str) -> BeamResult<T> {
    let deserializer = &mut serde_json::Deserializer::from_str(json);
    serde_path_to_error::deserialize(deserializer).map_err(|error| {
        BeamError::internal(format!(
            "the daemon's result of {operation} has an unexpected shape: {error}"
        ))
    })
}

fn unsendable(error: FrameError) -> BeamError {
    match error {
        FrameError::TooLong { .. } => BeamError::new(
            ErrorCode::InvalidInput,
            format!("the request is too long: {error}"),
        ),
        FrameError::Json(error) => {
            BeamError::internal(format!("the request has no JSON form: {error}"))
        }
    }
}

fn has_hung_up(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset
    )
}

fn lost(detail: &str) -> BeamError {
    BeamError::new(
        ErrorCode::DaemonUnavailable,
        format!("the connection to the daemon was lost before its answer: {detail}"),
    )
    .with_hint("The daemon was stopped or died; `lean-beam logs` may say why. The next command starts a new one.")
}

fn not_taken() -> BeamError {
    BeamError::new(
        ErrorCode::DaemonUnavailable,
        format!(
            "the daemon did not read the request within {} s",
            WRITE_LIMIT.as_secs()
        ),
    )
    .with_hint("It may be stuck: `lean-beam restart` starts a new one.")
}

fn silent() -> BeamError {
    BeamError::new(
        ErrorCode::DaemonUnavailable,
        format!(
            "the daemon said nothing for {} s after the deadline",
            DEADLINE_GRACE.as_secs()
        ),
    )
    .with_hint("It may be stuck: `lean-beam restart` starts a new one.")
}

fn unreadable(error: LinesCodecError) -> BeamError {
    match error {
        LinesCodecError::MaxLineLengthExceeded => BeamError::internal(format!(
            "the daemon's answer is over the limit of {MAX_RESPONSE_BYTES} bytes"
        )),
        LinesCodecError::Io(error) if error.kind() == io::ErrorKind::InvalidData => {
            BeamError::internal("the daemon's answer is not UTF-8")
        }
        LinesCodecError::Io(error) => lost(&error.to_string()),
    }
}

/// A line that ends in the middle was being written when the daemon died.
fn not_a_line(error: &serde_json::Error, text: &str) -> BeamError {
    if error.is_eof() {
        return lost("it ended in the middle of a line");
    }
    let snippet: String = text.chars().take(SNIPPET_CHARS).collect();
    BeamError::internal(format!(
        "the daemon wrote a line that is neither an event nor a response ({error}): {snippet}"
    ))
}

#[cfg(test)]
mod tests;
