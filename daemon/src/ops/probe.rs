//! Running texts: `run_at`, handles, `try`.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use futures_util::{StreamExt as _, stream::FuturesUnordered};
use lean_beam_proto::{
    BeamError, BeamResult, ErrorCode,
    event::Event,
    op::{
        Operation, ProofState, ReleaseParams, ReleaseResult, RunAt, RunAtHandle, RunAtParams,
        RunMessage, RunResult, RunWith, RunWithLinear, RunWithParams, Try, TryItem, TryParams,
        TryResult, TryStatus,
    },
    text::{Position, Range, Severity},
};
use serde_json::json;
use tokio::time::Instant;

use super::{OpContext, position::locate};
use crate::{
    goals::GoalState,
    probe::{
        Basis, Beginning, EndReason, HandleState, Run, Target, TextRun, Verdict, mentions_sorry,
    },
    text::DocumentText,
    workspace::{DocumentAt, DocumentPath},
};

/// How long a candidate may take unless the client says otherwise.
const CANDIDATE_LIMIT: Duration = Duration::from_secs(10);
/// Most candidates of one request.
const MOST_CANDIDATES: usize = 256;
/// Longest text, in bytes. Longer ones belong into the file.
const TEXT_BYTES: usize = 1024 * 1024;

/// True for operations whose work ends with the request, because it is the client's own text that runs.
pub(crate) fn runs_texts(op: &str) -> bool {
    [
        RunAt::NAME,
        RunAtHandle::NAME,
        RunWith::NAME,
        RunWithLinear::NAME,
        Try::NAME,
    ]
    .contains(&op)
}

pub(super) async fn run_at(context: &OpContext<'_>, params: RunAtParams) -> BeamResult<RunResult> {
    let start = begin(context, &params, Beginning::of(&params.text)).await?;
    let outcome = start.run(context, &params.text).await?;
    Ok(result(&start, outcome, &params.text, None))
}

pub(super) async fn run_at_handle(
    context: &OpContext<'_>,
    params: RunAtParams,
) -> BeamResult<RunResult> {
    let start = begin(context, &params, Beginning::of(&params.text)).await?;
    let outcome = start.run(context, &params.text).await?;
    let handle = start.handle(context, &outcome, &params.text)?;
    Ok(result(&start, outcome, &params.text, handle))
}

pub(super) async fn run_with(
    context: &OpContext<'_>,
    params: RunWithParams,
) -> BeamResult<RunResult> {
    let start = resume(context, &params).await?;
    let outcome = start.run(context, &params.text).await?;
    let handle = start.handle(context, &outcome, &params.text)?;
    Ok(result(&start, outcome, &params.text, handle))
}

/// The handle ends before the text runs: whatever comes of it, nobody else goes on from there.
pub(super) async fn run_with_linear(
    context: &OpContext<'_>,
    params: RunWithParams,
) -> BeamResult<RunResult> {
    let start = resume(context, &params).await?;
    context
        .workspace()?
        .probes
        .handles
        .end(&params.handle, EndReason::Consumed)?;
    let outcome = start.run(context, &params.text).await?;
    let handle = start.handle(context, &outcome, &params.text)?;
    Ok(result(&start, outcome, &params.text, handle))
}

pub(super) async fn release(
    context: &OpContext<'_>,
    params: ReleaseParams,
) -> BeamResult<ReleaseResult> {
    context.document(&params.path).await?;
    let released = context
        .workspace()?
        .probes
        .handles
        .end(&params.handle, EndReason::Released)?;
    Ok(ReleaseResult { released })
}

pub(super) async fn try_candidates(
    context: &OpContext<'_>,
    params: TryParams,
) -> BeamResult<TryResult> {
    check_candidates(&params.candidates)?;
    let limit = params
        .per_candidate_ms
        .map_or(CANDIDATE_LIMIT, Duration::from_millis);
    let at = RunAtParams {
        path: params.path.clone(),
        version: params.version,
        line: params.line,
        character: params.character,
        anchor: params.anchor.clone(),
        text: String::new(),
    };
    let beginning = Beginning::of_all(params.candidates.iter().map(String::as_str));
    let start = begin(context, &at, beginning).await?;
    let mut running: FuturesUnordered<_> = params
        .candidates
        .iter()
        .enumerate()
        .map(|(index, text)| candidate(context, &start, index, text, limit))
        .collect();
    let mut items = BTreeMap::new();
    while let Some(item) = running.next().await {
        let item = item?;
        context.events.try_send(Event::Notice {
            message: format!(
                "candidate {} of {}: {}",
                item.index + 1,
                params.candidates.len(),
                item.status.name()
            ),
        });
        let is_enough =
            params.stop_on_first && item.status == TryStatus::Closed && !item.uses_sorry;
        items.insert(item.index, item);
        if is_enough {
            break;
        }
    }
    let items: Vec<_> = items.into_values().collect();
    let first_success = first_success(&items);
    Ok(TryResult {
        items,
        first_success,
    })
}

/// The first candidate that closes the goals, else the first that works; what rests on `sorry` comes last.
fn first_success(items: &[TryItem]) -> Option<usize> {
    let rank = |item: &TryItem| match item.status {
        TryStatus::Closed => Some((item.uses_sorry, 0)),
        TryStatus::Ok => Some((item.uses_sorry, 1)),
        _ => None,
    };
    items
        .iter()
        .filter_map(|item| Some((rank(item)?, item.index)))
        .min()
        .map(|(_, index)| index)
}

async fn candidate(
    context: &OpContext<'_>,
    start: &Start,
    index: usize,
    text: &str,
    limit: Duration,
) -> BeamResult<TryItem> {
    let began = Instant::now();
    let run = start.submit(context, text, Some(limit)).await?;
    let elapsed_ms = began.elapsed().as_millis() as u64;
    Ok(match run {
        Run::Judged(verdict) => {
            let uses_sorry = verdict.is_success() && mentions_sorry(text);
            TryItem {
                index,
                status: verdict.status,
                proof_state: start.state_after(&verdict),
                messages: messages_of(&verdict, text),
                elapsed_ms,
                uses_sorry,
            }
        }
        Run::Stopped(status, said) => TryItem {
            index,
            status,
            proof_state: None,
            messages: stopped_messages(status, &said, limit),
            elapsed_ms,
            uses_sorry: false,
        },
        Run::OverCeiling(error) => TryItem {
            index,
            status: TryStatus::Crashed,
            proof_state: None,
            messages: vec![about_the_run(error.message)],
            elapsed_ms,
            uses_sorry: false,
        },
    })
}

/// Where a text starts: a place in a document, and the texts accepted there before.
struct Start {
    path: DocumentPath,
    text: Arc<DocumentText>,
    basis: Arc<Basis>,
    steps: Vec<Arc<str>>,
    /// The state before the text.
    state: Option<GoalState>,
    uses_sorry: bool,
}

/// The place at a position of the user's document, for a text that begins like this.
async fn begin(
    context: &OpContext<'_>,
    params: &RunAtParams,
    beginning: Beginning,
) -> BeamResult<Start> {
    check_text(&params.text)?;
    let path = context.document(&params.path).await?;
    let document = context.workspace()?.lookup(&path, params.version).await?;
    context.observed.set(&document);
    let position = locate(
        &document.text,
        params.line,
        params.character,
        params.anchor.as_deref(),
    )?;
    let basis = context
        .workspace()?
        .probes
        .basis(&target(&document), position, beginning)
        .await?;
    let state = basis.state.clone();
    Ok(Start {
        path,
        text: document.text,
        basis,
        steps: Vec::new(),
        state,
        uses_sorry: false,
    })
}

/// The place that a handle stands for.
async fn resume(context: &OpContext<'_>, params: &RunWithParams) -> BeamResult<Start> {
    check_text(&params.text)?;
    let path = context.document(&params.path).await?;
    let current = match context.workspace()?.text(&path).await {
        Ok(text) => text,
        // A closed document has ended its handles: they say so themselves.
        Err(_) => Arc::new(DocumentText::new("")),
    };
    let handle = context
        .workspace()?
        .probes
        .handles
        .get(&params.handle, &path.uri, &current)?;
    Ok(Start {
        path,
        text: handle.text,
        basis: handle.basis,
        steps: handle.steps,
        state: handle.state,
        uses_sorry: handle.uses_sorry,
    })
}

fn target(document: &DocumentAt) -> Target<'_> {
    Target {
        session: &document.session,
        uri: &document.path.uri,
        display: &document.path.display,
        text: &document.text,
        version: document.version,
    }
}

impl Start {
    async fn submit(
        &self,
        context: &OpContext<'_>,
        text: &str,
        limit: Option<Duration>,
    ) -> BeamResult<Run> {
        let mut steps: Vec<&str> = self.steps.iter().map(AsRef::as_ref).collect();
        steps.push(text);
        let run = TextRun {
            uri: &self.path.uri,
            display: &self.path.display,
            text: &self.text,
            basis: &self.basis,
            steps: &steps,
            limit,
        };
        context.workspace()?.probes.run(&run).await
    }

    async fn run(&self, context: &OpContext<'_>, text: &str) -> BeamResult<Verdict> {
        match self.submit(context, text, None).await? {
            Run::Judged(verdict) => Ok(verdict),
            Run::OverCeiling(error) => Err(error),
            Run::Stopped(_, said) => Err(BeamError::new(ErrorCode::WorkerCrashed, format!("the Lean worker that ran the text died: {}", said.first().map_or("", String::as_str)))
                .with_hint("The text itself is the likely cause (a stack overflow, for example). Your document is not affected.")
                .with_data(json!({ "path": self.path.display, "stderr": said }))),
        }
    }

    /// A handle for what was reached, when the text succeeded.
    fn handle(
        &self,
        context: &OpContext<'_>,
        verdict: &Verdict,
        text: &str,
    ) -> BeamResult<Option<String>> {
        if !verdict.is_success() {
            return Ok(None);
        }
        let mut steps = self.steps.clone();
        steps.push(Arc::from(text));
        let state = HandleState {
            uri: self.path.uri.clone(),
            text: Arc::clone(&self.text),
            basis: Arc::clone(&self.basis),
            steps,
            state: verdict.state.clone(),
            uses_sorry: self.uses_sorry || mentions_sorry(text),
        };
        Ok(Some(context.workspace()?.probes.handles.insert(state)))
    }

    /// The state after a text that succeeded, before one that did not.
    fn state_after(&self, verdict: &Verdict) -> Option<ProofState> {
        let state = if verdict.is_success() {
            &verdict.state
        } else {
            &self.state
        };
        state.clone().map(ProofState::from)
    }
}

fn result(start: &Start, verdict: Verdict, text: &str, next_handle: Option<String>) -> RunResult {
    let success = verdict.is_success();
    RunResult {
        success,
        proof_state: start.state_after(&verdict),
        messages: messages_of(&verdict, text),
        traces: verdict.traces,
        next_handle,
        uses_sorry: success && (start.uses_sorry || mentions_sorry(text)),
    }
}

/// Lean's messages, and ours where it has none for what went wrong.
fn messages_of(verdict: &Verdict, text: &str) -> Vec<RunMessage> {
    let mut messages = verdict.messages.clone();
    let explained = messages
        .iter()
        .any(|message| message.severity == Severity::Error);
    if verdict.status == TryStatus::Escaped && !explained {
        messages.push(RunMessage { severity: Severity::Error, text: "the text does not end where it should: a bracket, a comment or a string is open, or it begins or ends something outside".to_owned(), range: whole(text) });
    }
    messages
}

fn stopped_messages(status: TryStatus, said: &[String], limit: Duration) -> Vec<RunMessage> {
    let text = match status {
        TryStatus::Timeout => format!("still running after {} ms, and stopped", limit.as_millis()),
        _ => format!("the Lean worker died: {}", said.join("\n")),
    };
    vec![about_the_run(text)]
}

/// A message about the whole of a run.
fn about_the_run(text: String) -> RunMessage {
    RunMessage {
        severity: Severity::Error,
        text,
        range: Range::new(Position::new(0, 0), Position::new(0, 0)),
    }
}

fn whole(text: &str) -> Range {
    let text = DocumentText::new(text);
    Range::new(Position::new(0, 0), text.position(text.as_str().len()))
}

fn check_candidates(candidates: &[String]) -> BeamResult<()> {
    if candidates.is_empty() || candidates.len() > MOST_CANDIDATES {
        return Err(BeamError::new(
            ErrorCode::InvalidInput,
            format!(
                "there are {} candidates; 1 to {MOST_CANDIDATES} are possible",
                candidates.len()
            ),
        )
        .with_hint("Split them over several calls."));
    }
    candidates.iter().try_for_each(|text| check_text(text))
}

fn check_text(text: &str) -> BeamResult<()> {
    if text.len() > TEXT_BYTES {
        return Err(BeamError::new(
            ErrorCode::InvalidInput,
            format!(
                "the text has {} bytes; the limit is {TEXT_BYTES}",
                text.len()
            ),
        )
        .with_hint("Write it into the file and `sync` instead."));
    }
    Ok(())
}
