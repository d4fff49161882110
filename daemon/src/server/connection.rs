//! One connection: one request line, its events, its final line.

use std::{sync::Arc, time::Duration};

use futures_util::StreamExt as _;
use interprocess::local_socket::tokio::Stream;
use lean_beam_proto::{
    BeamError, BeamResult, ErrorCode,
    event::Event,
    frame::{self, FrameError, encode_line},
    request::{Envelope, WorkspaceRef},
    response::{self, Response},
};
use serde_json::value::RawValue;
use tokio::{
    io::{AsyncWriteExt as _, ReadHalf, WriteHalf},
    sync::mpsc,
    time::{Instant, timeout},
};
use tokio_util::codec::{FramedRead, LinesCodecError};
use tracing::Instrument as _;

use super::{
    codec::RequestCodec,
    decode::decode,
    dispatch::{Outcome, admit, dispatch},
};
use crate::{
    control::Services,
    ops::{EventSink, Observed, runs_texts},
};

/// How long a connection may stay silent before its request.
const REQUEST_LIMIT: Duration = Duration::from_secs(30);
/// How long a client may take to read the final line once it is ready.
const FINAL_LINE_LIMIT: Duration = Duration::from_secs(60);
/// How many events wait for a slow client before its own operation waits.
const EVENT_QUEUE: usize = 64;

type Requests = FramedRead<ReadHalf<Stream>, RequestCodec>;
type Answers = WriteHalf<Stream>;

/// Serves one connection to its end. Nothing that a client does or leaves undone outlives it.
pub(super) async fn serve(stream: Stream, services: Arc<Services>) {
    let (receive, send) = tokio::io::split(stream);
    let mut requests = FramedRead::new(receive, RequestCodec::default());
    let envelope = match read_request(&mut requests).await {
        Ok(Some(envelope)) => envelope,
        Ok(None) => return,
        Err(error) => {
            services.counters.malformed();
            return answer(
                send,
                &services,
                Outcome {
                    result: Err(error),
                    workspace: None,
                },
            )
            .await;
        }
    };
    let started = Instant::now();
    let span = tracing::info_span!("request", op = %envelope.op, id = tracing::field::Empty);
    let op = envelope.op.clone();
    let code = handle(envelope, requests, send, &services)
        .instrument(span)
        .await;
    services.counters.record(&op, code, started.elapsed());
}

/// The request line; `None` when the client left without one.
async fn read_request(requests: &mut Requests) -> BeamResult<Option<Envelope>> {
    let Ok(line) = timeout(REQUEST_LIMIT, requests.next()).await else {
        return Err(BeamError::new(
            ErrorCode::InvalidInput,
            format!("no request came within {} s", REQUEST_LIMIT.as_secs()),
        ));
    };
    match line {
        Some(Ok(line)) => decode(&line).map(Some),
        Some(Err(LinesCodecError::MaxLineLengthExceeded)) => Err(BeamError::new(
            ErrorCode::InvalidInput,
            format!(
                "the request line is over the limit of {} bytes",
                frame::MAX_REQUEST_BYTES
            ),
        )),
        Some(Err(LinesCodecError::Io(error)))
            if error.kind() == std::io::ErrorKind::InvalidData =>
        {
            Err(BeamError::new(
                ErrorCode::InvalidInput,
                "the request line is not UTF-8",
            ))
        }
        Some(Err(LinesCodecError::Io(error))) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
            Err(BeamError::new(ErrorCode::InvalidInput, "the request line has no end")
                .with_hint("End the request with a newline, and keep your side open until the answer is there."))
        }
        Some(Err(LinesCodecError::Io(_))) | None => Ok(None),
    }
}

/// Runs a request and answers it. Returns the error's code, if it failed.
async fn handle(
    envelope: Envelope,
    mut requests: Requests,
    send: Answers,
    services: &Services,
) -> Option<ErrorCode> {
    let admission = match admit(&envelope, services) {
        Ok(admission) => admission,
        Err(error) => {
            let code = error.code;
            answer(
                send,
                services,
                Outcome {
                    result: Err(error),
                    workspace: None,
                },
            )
            .await;
            return Some(code);
        }
    };
    tracing::Span::current().record("id", admission.id.as_str());
    let deadline = envelope
        .deadline_ms
        .map(|limit| Instant::now() + Duration::from_millis(limit));
    let (events, events_rx) = mpsc::channel(EVENT_QUEUE);
    events
        .try_send(Event::Accepted {
            request_id: admission.id.clone(),
        })
        .ok();
    let mut pump = std::pin::pin!(pump(send, events_rx));
    let outcome = {
        let observed = Observed::default();
        let operation = dispatch(
            &envelope,
            services,
            &admission,
            EventSink::new(events),
            &observed,
        );
        let mut operation = std::pin::pin!(operation);
        tokio::select! {
            biased;
            outcome = &mut operation => Some(outcome),
            () = admission.cancel.cancelled() => Some(failed(&envelope, cancelled(services))),
            () = until(deadline) => Some(failed(&envelope, overdue(&envelope, &observed))),
            () = client_left(&mut requests) => None,
            // Ends early only when the client cannot be written to.
            _ = &mut pump => None,
        }
        // Here the operation is dropped: what it was waiting for in Lean is cancelled.
    };
    let Some(outcome) = outcome else {
        tracing::debug!("the client left");
        return Some(ErrorCode::RequestCancelled);
    };
    let code = outcome.result.as_ref().err().map(|error| error.code);
    // The place in the table is free before the answer is out, as its reader may expect.
    drop(admission);
    let last = async {
        if let Some(send) = pump.await {
            answer(send, services, outcome).await;
        }
    };
    tokio::select! {
        result = timeout(FINAL_LINE_LIMIT, last) => if result.is_err() {
            tracing::warn!("a client does not read its answer");
        },
        () = client_left(&mut requests) => {}
    }
    code
}

/// Writes events until their senders are gone; gives the socket back unless it failed.
async fn pump(mut send: Answers, mut events: mpsc::Receiver<Event>) -> Option<Answers> {
    while let Some(event) = events.recv().await {
        let line = encode_line(&event, frame::MAX_RESPONSE_BYTES).ok()?;
        send.write_all(&line).await.ok()?;
    }
    Some(send)
}

/// Ends when the client closes its side. What it still sends is read and forgotten.
async fn client_left(requests: &mut Requests) {
    while let Some(Ok(_)) = requests.next().await {}
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

fn failed(envelope: &Envelope, error: BeamError) -> Outcome {
    Outcome {
        result: Err(error),
        workspace: envelope.workspace.clone(),
    }
}

fn cancelled(services: &Services) -> BeamError {
    if services.shutdown.has_begun() {
        return BeamError::new(ErrorCode::RequestCancelled, "the daemon is stopping")
            .with_hint("Ask again: that starts a new daemon.");
    }
    BeamError::new(ErrorCode::RequestCancelled, "the request was cancelled")
        .with_hint("Lean goes on; the same call resumes the wait.")
}

fn overdue(envelope: &Envelope, observed: &Observed) -> BeamError {
    let limit = envelope.deadline_ms.unwrap_or_default();
    let error = BeamError::new(ErrorCode::DeadlineExceeded, format!("`{}` was not done within {limit} ms", envelope.op))
        .with_hint(if runs_texts(&envelope.op) {
            "Nothing is known to be wrong or right yet. What the file needs goes on; the text itself was stopped, and the same call runs it again: give it a longer time, or try another text."
        } else {
            "Nothing is known to be wrong or right yet. Lean goes on working; the same call resumes the wait, with a longer time if need be."
        });
    match observed.data() {
        Some(data) => error.with_data(data),
        None => error,
    }
}

/// Writes the final line.
async fn answer(mut send: Answers, services: &Services, outcome: Outcome) {
    let line = final_line(services, outcome.result, outcome.workspace);
    if let Err(error) = send.write_all(&line).await {
        tracing::debug!(%error, "the final line could not be written");
    }
}

fn final_line(
    services: &Services,
    result: BeamResult<Box<RawValue>>,
    workspace: Option<WorkspaceRef>,
) -> Vec<u8> {
    let line = |outcome, workspace| {
        encode_line(
            &Response {
                response: outcome,
                workspace,
                identity: services.identity.clone(),
            },
            frame::MAX_RESPONSE_BYTES,
        )
    };
    let outcome = match result {
        Ok(result) => response::Outcome::Ok(result),
        Err(error) => response::Outcome::Error(error),
    };
    line(outcome, workspace).unwrap_or_else(|error| {
        let error = match error {
            FrameError::TooLong { actual, limit } => BeamError::new(
                ErrorCode::ResourceExhausted,
                format!("the answer has {actual} bytes; the limit is {limit}"),
            )
            .with_hint("Ask for less: leave diagnostics out of the result, or narrow the range."),
            FrameError::Json(error) => BeamError::internal(error.to_string()),
        };
        line(response::Outcome::Error(error), None).unwrap_or_default()
    })
}
