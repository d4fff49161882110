//! Everything speculative of one workspace: its lanes, the places found, its handles.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use lean_beam_proto::{
    BeamError, BeamResult, ErrorCode,
    op::TryStatus,
    status::ProbeStats,
    text::{Position, Range},
};
use serde_json::json;
use tokio::sync::{mpsc, oneshot};
use tokio_util::task::TaskTracker;

use super::{
    baseline::BASELINE_LIMIT,
    basis::{Basis, BasisPlace, find_basis, splice_steps},
    completion::{Complete, Unchecked},
    desk::{self, DeskLimits, Inbox, StartServer},
    handles::{EndReason, HandleTable},
    lane::{Job, RunOutcome},
    splice::{Beginning, Splice, closes_too_much},
    verdict::{Noise, Verdict, escapes_at, judge_commands, judge_tactics, stops_reading},
};
use crate::{
    session::{MemoryKills, SessionError, SessionHandle, Spare},
    text::DocumentText,
};

/// How many places are remembered.
const REMEMBERED_PLACES: usize = 256;

/// One version of the user's document, for finding places in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target<'a> {
    /// The server that has the user's own document.
    pub(crate) session: &'a SessionHandle,
    pub(crate) uri: &'a str,
    /// Its name in messages.
    pub(crate) display: &'a str,
    pub(crate) text: &'a Arc<DocumentText>,
    /// The version, which stands for the text.
    pub(crate) version: u64,
}

/// The way to a workspace's speculation. Its servers start when they are needed.
#[derive(Debug)]
pub(crate) struct Probes {
    desk: mpsc::UnboundedSender<Inbox>,
    pub(crate) handles: HandleTable,
    /// Lanes whose workers were stopped for their memory.
    pub(crate) kills: MemoryKills,
    // Held for single look-ups only, never across an await.
    places: Mutex<HashMap<PlaceKey, Arc<Basis>>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct PlaceKey {
    uri: String,
    version: u64,
    position: Position,
    beginning: Beginning,
}

impl Probes {
    pub(crate) fn start(
        start_server: StartServer,
        limits: DeskLimits,
        tasks: &TaskTracker,
        nonce: String,
    ) -> Self {
        Self {
            desk: desk::start(start_server, limits, tasks),
            handles: HandleTable::new(nonce),
            kills: MemoryKills::default(),
            places: Mutex::default(),
        }
    }

    /// The place at `position` for a text that begins like this, found once for a version.
    ///
    /// # Errors
    /// See [`find_basis`].
    pub(crate) async fn basis(
        &self,
        target: &Target<'_>,
        position: Position,
        beginning: Beginning,
    ) -> BeamResult<Arc<Basis>> {
        let key = PlaceKey {
            uri: target.uri.to_owned(),
            version: target.version,
            position,
            beginning,
        };
        if let Some(known) = self.lock_places().get(&key) {
            return Ok(Arc::clone(known));
        }
        let basis = Arc::new(find_basis(self, target, position, beginning).await?);
        let mut places = self.lock_places();
        if places.len() >= REMEMBERED_PLACES {
            // What is still needed is found again at the price of one run.
            places.clear();
        }
        places.insert(key, Arc::clone(&basis));
        Ok(basis)
    }

    /// Runs a text. One that takes longer than its limit is stopped.
    ///
    /// # Errors
    /// What kept Lean from running it. Timeouts and crashes are outcomes, not errors.
    pub(crate) async fn run(&self, run: &TextRun<'_>) -> BeamResult<Run> {
        let basis = run.basis;
        let escaping = run.steps.last().filter(|_| basis.state.is_some());
        if let Some(range) = escaping.and_then(|step| escape(step)) {
            return Ok(Run::Judged(escapes_at(range)));
        }
        if let Some(complete) = basis.completion.preferred() {
            return self.run_complete(run, complete).await;
        }
        let splice = basis.splice(run.text, run.steps);
        let first = match self.judge(run, &splice, &basis.noise).await? {
            Run::Judged(verdict) if basis.completion.may_change(&verdict) => verdict,
            other => return Ok(other),
        };
        let complete = match basis.completion.find(self, run).await {
            Ok(Some(complete)) => complete,
            Ok(None) => return Ok(Run::Judged(first)),
            Err(Unchecked::Failed(error)) => return Err(error),
            // The failure may be due to what is cut off, so it is none.
            Err(Unchecked::Late) if run.limit.is_some() => {
                return Ok(Run::Stopped(TryStatus::Timeout, Vec::new()));
            }
            Err(Unchecked::Late) => return Err(rest_is_late(run.display)),
        };
        let second = self.run_complete(run, complete).await?;
        if let Run::Judged(verdict) = &second
            && (verdict.status, &verdict.messages) != (first.status, &first.messages)
        {
            basis.completion.prefer();
        }
        Ok(second)
    }

    async fn run_complete(&self, run: &TextRun<'_>, complete: &Complete) -> BeamResult<Run> {
        let splice = splice_steps(run.text, &complete.insertion, run.steps);
        self.judge(run, &splice, &complete.noise).await
    }

    async fn judge(&self, run: &TextRun<'_>, splice: &Splice, noise: &Noise) -> BeamResult<Run> {
        let document = Arc::new(DocumentText::new(splice.text.as_str()));
        let before = &run.steps[..run.steps.len().saturating_sub(1)];
        let request = RunRequest {
            text: document,
            sentinel: splice.sentinel(),
            limit: run.limit,
            base: run.basis.base(run.text, before),
            lasting: false,
        };
        let report = match self.submit(run.uri, request).await {
            RunOutcome::Ran(report) => report,
            RunOutcome::Timeout => return Ok(Run::Stopped(TryStatus::Timeout, Vec::new())),
            RunOutcome::Crashed {
                message,
                mut stderr,
            } => {
                if let Some(over) = self.kills.take(run.uri, run.display) {
                    return Ok(Run::OverCeiling(over));
                }
                stderr.insert(0, message);
                return Ok(Run::Stopped(TryStatus::Crashed, stderr));
            }
            outcome => return Err(outcome_error(run.display, outcome)),
        };
        let mut verdict = match run.basis.place {
            BasisPlace::Proof(_) => judge_tactics(report, splice, noise),
            BasisPlace::Commands { .. } => judge_commands(&report, splice, noise),
        };
        if stops_reading(&verdict).is_some() {
            verdict.status = TryStatus::Escaped;
        }
        Ok(Run::Judged(verdict))
    }

    /// Runs a whole probe document.
    pub(super) async fn submit(&self, uri: &str, request: RunRequest) -> RunOutcome {
        let (reply, outcome) = oneshot::channel();
        let job = Job {
            uri: uri.to_owned(),
            text: request.text,
            sentinel: request.sentinel,
            limit: request.limit,
            base: request.base,
            lasting: request.lasting,
            reply,
        };
        self.desk.send(Inbox::Submit(job)).ok();
        outcome.await.unwrap_or(RunOutcome::Cancelled)
    }

    /// The document was opened again: lanes load its imports anew, and its handles end.
    pub(crate) fn reopened(&self, uri: &str) {
        self.forget(uri, EndReason::Restarted);
    }

    /// The document was closed.
    pub(crate) fn closed(&self, uri: &str) {
        self.forget(uri, EndReason::Closed);
    }

    fn forget(&self, uri: &str, reason: EndReason) {
        self.handles.end_document(uri, reason);
        self.lock_places().retain(|key, _| key.uri != uri);
        self.desk
            .send(Inbox::Forget {
                uri: uri.to_owned(),
            })
            .ok();
    }

    /// Elaborates the file up to `offset` in the background, because texts will be run there next.
    pub(crate) fn warm(&self, uri: &str, text: &DocumentText, offset: usize) {
        let Some(prefix) = text.as_str().get(..offset) else {
            return;
        };
        let text = Arc::new(DocumentText::new(prefix));
        self.desk
            .send(Inbox::Warm {
                uri: uri.to_owned(),
                text,
            })
            .ok();
    }

    /// What was counted and what is there now.
    pub(crate) async fn stats(&self) -> ProbeStats {
        let (reply, stats) = oneshot::channel();
        self.desk.send(Inbox::Stats { reply }).ok();
        ProbeStats {
            handles: self.handles.len(),
            over_ceiling: self.kills.count(),
            ..stats.await.unwrap_or_default()
        }
    }

    /// Begins counting anew.
    pub(crate) fn reset_stats(&self) {
        self.kills.reset_count();
        self.desk.send(Inbox::ResetStats).ok();
    }

    /// Process ids of the probe servers.
    pub(crate) async fn servers(&self) -> Vec<u32> {
        let (reply, servers) = oneshot::channel();
        self.desk.send(Inbox::Servers { reply }).ok();
        servers.await.unwrap_or_default()
    }

    /// The lanes that run nothing.
    pub(crate) async fn spare(&self) -> Vec<Spare> {
        let (reply, spare) = oneshot::channel();
        self.desk.send(Inbox::Spare { reply }).ok();
        spare.await.unwrap_or_default()
    }

    /// Closes a lane unless it runs something. False when there is no such lane.
    pub(crate) async fn evict(&self, spare: &Spare) -> bool {
        let (reply, evicted) = oneshot::channel();
        let (server, uri) = (spare.server, spare.uri.clone());
        self.desk.send(Inbox::Evict { server, uri, reply }).ok();
        evicted.await.unwrap_or(false)
    }

    /// Ends all probe servers and waits until they are gone. Places and handles stay.
    pub(crate) async fn stop(&self) {
        let (reply, stopped) = oneshot::channel();
        self.desk.send(Inbox::Stop { reply }).ok();
        stopped.await.ok();
    }

    fn lock_places(&self) -> std::sync::MutexGuard<'_, HashMap<PlaceKey, Arc<Basis>>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A text to run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextRun<'a> {
    pub(crate) uri: &'a str,
    /// The document's name in messages.
    pub(crate) display: &'a str,
    /// The document that the place was found in.
    pub(crate) text: &'a DocumentText,
    pub(crate) basis: &'a Basis,
    /// The text is the last of them; the others were accepted before.
    pub(crate) steps: &'a [&'a str],
    /// How long it may run.
    pub(crate) limit: Option<Duration>,
}

/// A probe document to run.
#[derive(Debug)]
pub(super) struct RunRequest {
    pub(super) text: Arc<DocumentText>,
    /// Where to ask for the goals, if anywhere.
    pub(super) sentinel: Option<Position>,
    /// How long it may run, counted from when its base is elaborated.
    pub(super) limit: Option<Duration>,
    /// What has to be elaborated first, and takes as long as it takes.
    pub(super) base: Arc<DocumentText>,
    /// It goes on when nobody waits for it any more.
    pub(super) lasting: bool,
}

/// The parenthesis of a text by which it would leave its block.
fn escape(step: &str) -> Option<Range> {
    let offset = closes_too_much(step)?;
    let text = DocumentText::new(step);
    Some(Range::new(text.position(offset), text.position(offset + 1)))
}

/// What came of a run.
#[derive(Debug)]
pub(crate) enum Run {
    /// Lean judged the text.
    Judged(Verdict),
    /// It took too long, or its worker died; what was said about it.
    Stopped(TryStatus, Vec<String>),
    /// Its worker took too much memory: `workerMemoryLimit`.
    OverCeiling(BeamError),
}

/// Whether a text works depends on what stands behind its proof, and that takes too long.
fn rest_is_late(display: &str) -> BeamError {
    let message = format!(
        "it is not known whether the text works: what stands behind its proof in {display} takes longer than {} s",
        BASELINE_LIMIT.as_secs()
    );
    BeamError::new(ErrorCode::DeadlineExceeded, message)
        .with_hint("The same call asks again. Or write the text into the file and `sync` it.")
        .with_data(json!({ "path": display }))
}

/// The error for a run that did not come about.
pub(super) fn outcome_error(display: &str, outcome: RunOutcome) -> BeamError {
    match outcome {
        RunOutcome::Crashed { message, stderr } => {
            BeamError::new(ErrorCode::WorkerCrashed, format!("the Lean worker that runs texts in {display} died: {message}"))
                .with_hint("Your document is not affected. Ask again; if it happens again, the file itself may be the cause.")
                .with_data(json!({ "path": display, "stderr": stderr }))
        }
        RunOutcome::Cancelled => BeamError::new(ErrorCode::RequestCancelled, format!("{display} was closed or opened again meanwhile")).with_hint("Call `sync` for the file and ask again."),
        RunOutcome::Failed(error @ SessionError::Invalid(_)) => BeamError::new(ErrorCode::InvalidResult, error.to_string()),
        RunOutcome::Failed(error) => BeamError::new(ErrorCode::InvalidResult, error.to_string()).with_hint("See `lean-beam logs`."),
        RunOutcome::Ran(_) | RunOutcome::Timeout => BeamError::internal("a run that ended well was taken for an error"),
    }
}
