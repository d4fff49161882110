//! One lane: a document open in a probe server, which runs one text at a time.

use std::{sync::Arc, time::Duration};

use lean_beam_proto::text::{Diagnostic, Position, Range};
use tokio::{
    sync::oneshot,
    time::{Instant, sleep},
};
use tokio_util::sync::CancellationToken;

use crate::{
    goals::{GoalState, goals_at},
    lsp::DependencyBuildMode,
    session::{DocumentWatch, SessionError, SessionHandle, Spare},
    text::DocumentText,
};

/// How long a run that nobody waits for any more may go on. A run that ends by then leaves the lane warm;
/// one that does not may never end, and costs the worker.
const CANCEL_GRACE: Duration = Duration::from_millis(250);
/// How long Lean's progress may lag behind its word that all diagnostics are out.
const SETTLE_LIMIT: Duration = Duration::from_secs(10);

/// A text to run, and who waits for it.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) uri: String,
    pub(super) text: Arc<DocumentText>,
    /// Where to ask for the goals, if anywhere.
    pub(super) sentinel: Option<Position>,
    /// How long it may run once its base is elaborated.
    pub(super) limit: Option<Duration>,
    /// What has to be elaborated before the time for the text itself begins.
    pub(super) base: Arc<DocumentText>,
    /// It goes on when nobody waits for it any more, and the same text again finds it where it is then.
    pub(super) lasting: bool,
    pub(super) reply: oneshot::Sender<RunOutcome>,
}

/// How a run ended, for counting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Ran,
    TimedOut,
    Crashed,
    Cancelled,
}

/// What came of waiting for a text.
enum Awaited {
    Done(RunOutcome),
    /// Nobody waits, and it did not end soon.
    Stopped,
    /// Nobody waits, and it goes on.
    LeftRunning,
}

/// What came of a text.
#[derive(Debug)]
pub(crate) enum RunOutcome {
    /// Lean is through with it.
    Ran(RunReport),
    /// It was still running when its time was over; its worker was stopped.
    Timeout,
    /// Its worker died.
    Crashed {
        /// What Lean or the system said.
        message: String,
        /// The last lines on standard error.
        stderr: Vec<String>,
    },
    /// The document was closed or the workspace stopped.
    Cancelled,
    /// There is no probe server, or it does not behave.
    Failed(SessionError),
}

/// What Lean said.
#[derive(Debug)]
pub(crate) struct RunReport {
    /// Everything that it said about the whole document.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The goals at the sentinel; `None` without a sentinel, or when Lean sees no proof there.
    pub(crate) state: Option<GoalState>,
    /// Lean could not get past the imports.
    pub(crate) header_failed: bool,
}

/// A lane. Whoever holds it is the only one who uses its document.
#[derive(Debug)]
pub(super) struct Lane {
    uri: String,
    session: SessionHandle,
    /// Follows the document while it is open.
    watch: Option<DocumentWatch>,
    version: u64,
    pub(super) text: Option<Arc<DocumentText>>,
    /// When the lane was given that text.
    begun: Instant,
    /// Lean is through with that text.
    settled: bool,
    pub(super) last_use: Instant,
}

impl Lane {
    pub(super) fn new(uri: String, session: SessionHandle) -> Self {
        Self {
            uri,
            session,
            watch: None,
            version: 0,
            text: None,
            begun: Instant::now(),
            settled: false,
            last_use: Instant::now(),
        }
    }

    /// False once its server is gone.
    pub(super) fn is_usable(&self) -> bool {
        self.session.state().end.is_none()
    }

    /// What of it could be let go; `None` while it has no worker.
    pub(super) fn spare(&self) -> Option<Spare> {
        let snapshot = self.watch.as_ref()?.borrow();
        Some(Spare {
            server: self.session.state().pid?,
            uri: self.uri.clone(),
            last_use: self.last_use,
            is_quiet: snapshot.done || snapshot.fatal,
        })
    }

    /// How many bytes of `text` the lane has elaborated already.
    pub(super) fn common_prefix(&self, text: &DocumentText) -> usize {
        self.text.as_ref().map_or(0, |own| common_length(own, text))
    }

    /// True when all of `text` is in the lane already.
    pub(super) fn has(&self, text: &DocumentText) -> bool {
        self.common_prefix(text) == text.as_str().len()
    }

    /// Gives the lane a text to elaborate and does not wait for it.
    pub(super) fn warm(&mut self, text: &Arc<DocumentText>) {
        self.put(text);
        self.last_use = Instant::now();
    }

    /// True when it may be at work although nobody waits for it.
    pub(super) fn is_left_running(&self) -> bool {
        let watch = self.watch.as_ref().filter(|_| !self.settled);
        watch.is_some_and(|watch| !watch.borrow().done)
    }

    /// Runs a text, answers whoever waits, and gives the lane back. `stop` ends the run at once.
    pub(super) async fn run(mut self, mut job: Job, stop: &CancellationToken) -> (Self, Ending) {
        let outcome = match self.run_while_wanted(&mut job, stop).await {
            Awaited::Done(outcome) => Some(outcome),
            Awaited::Stopped => None,
            Awaited::LeftRunning => {
                self.last_use = Instant::now();
                return (self, Ending::Cancelled);
            }
        };
        let ending = match &outcome {
            Some(RunOutcome::Ran(_)) => Ending::Ran,
            Some(RunOutcome::Timeout) => Ending::TimedOut,
            Some(RunOutcome::Crashed { .. }) => Ending::Crashed,
            Some(RunOutcome::Cancelled | RunOutcome::Failed(_)) | None => Ending::Cancelled,
        };
        if ending != Ending::Ran {
            self.close();
        }
        if let Some(outcome) = outcome {
            // Whoever waited may have left.
            job.reply.send(outcome).ok();
        }
        self.last_use = Instant::now();
        (self, ending)
    }

    async fn run_while_wanted(&mut self, job: &mut Job, stop: &CancellationToken) -> Awaited {
        let Job {
            text,
            base,
            lasting,
            reply,
            ..
        } = job;
        tokio::select! {
            biased;
            failure = self.elaborate_base(base, text, *lasting) => if let Some(outcome) = failure {
                return Awaited::Done(outcome);
            },
            () = stop.cancelled() => return Awaited::Done(RunOutcome::Cancelled),
            // What the file itself needs is not thrown away: who asks again finds it done, or further.
            () = reply.closed() => return Awaited::LeftRunning,
        }
        let evaluation = self.evaluate_within(text, job.sentinel, job.limit);
        tokio::pin!(evaluation);
        tokio::select! {
            biased;
            outcome = &mut evaluation => return Awaited::Done(outcome),
            () = stop.cancelled() => return Awaited::Done(RunOutcome::Cancelled),
            () = reply.closed() => {}
        }
        if *lasting {
            return Awaited::LeftRunning;
        }
        tokio::select! {
            biased;
            outcome = &mut evaluation => Awaited::Done(outcome),
            () = stop.cancelled() => Awaited::Stopped,
            () = sleep(CANCEL_GRACE) => Awaited::Stopped,
        }
    }

    /// Closes the document, which ends its worker whatever it is doing.
    pub(super) fn close(&mut self) {
        self.text = None;
        if self.watch.take().is_some() {
            self.session.close(&self.uri);
        }
    }

    /// A lane that does not have the base yet elaborates it first, without a limit: a text must not fail
    /// because the file before it takes long. Gives what went wrong.
    async fn elaborate_base(
        &mut self,
        base: &Arc<DocumentText>,
        text: &DocumentText,
        lasting: bool,
    ) -> Option<RunOutcome> {
        if self.common_prefix(text) >= common_length(base, text) {
            // The very text that is running already has its own time.
            if self.settled || self.has_exactly(text) {
                return None;
            }
            if lasting {
                // Cutting the text off there would throw away what of its declaration is elaborated.
                self.declarations_done(base).await;
                return None;
            }
        }
        match self.evaluate(base, None).await {
            RunOutcome::Ran(_) => None,
            outcome => Some(outcome),
        }
    }

    /// Waits until Lean is through with `declarations`, with which the lane's text begins, or is gone.
    async fn declarations_done(&mut self, declarations: &DocumentText) {
        let version = self.version;
        let Some(watch) = &mut self.watch else { return };
        let code = declarations.as_str().trim_end();
        let last = code.char_indices().last().map_or(0, |(start, _)| start);
        let range = Range::new(Position::new(0, 0), declarations.position(last));
        let done = watch.wait_for(|snapshot| {
            snapshot.version == version
                && (snapshot.is_settled(range) || snapshot.is_presumed_dead())
        });
        // Without a sender the document is gone; what runs next says why.
        drop(done.await);
    }

    /// The time of a text that was left running goes on where it was.
    async fn evaluate_within(
        &mut self,
        text: &Arc<DocumentText>,
        sentinel: Option<Position>,
        limit: Option<Duration>,
    ) -> RunOutcome {
        let Some(limit) = limit else {
            return self.evaluate(text, sentinel).await;
        };
        let begun = if self.has_exactly(text) {
            self.begun
        } else {
            Instant::now()
        };
        let evaluation = self.evaluate(text, sentinel);
        tokio::time::timeout_at(begun + limit, evaluation)
            .await
            .unwrap_or(RunOutcome::Timeout)
    }

    fn has_exactly(&self, text: &DocumentText) -> bool {
        self.text
            .as_ref()
            .is_some_and(|own| own.as_str() == text.as_str())
    }

    async fn evaluate(
        &mut self,
        text: &Arc<DocumentText>,
        sentinel: Option<Position>,
    ) -> RunOutcome {
        match self.ask(text, sentinel).await {
            Ok(report) => {
                self.settled = true;
                RunOutcome::Ran(report)
            }
            Err(SessionError::WorkerCrashed { message }) => RunOutcome::Crashed {
                message,
                stderr: self.session.stderr_tail(),
            },
            Err(SessionError::Ended(end)) => RunOutcome::Crashed {
                message: end.reason.clone(),
                stderr: end.stderr.clone(),
            },
            Err(SessionError::Overtaken) => RunOutcome::Cancelled,
            Err(error) => RunOutcome::Failed(error),
        }
    }

    async fn ask(
        &mut self,
        text: &Arc<DocumentText>,
        sentinel: Option<Position>,
    ) -> Result<RunReport, SessionError> {
        let watch = self.put(text);
        let version = self.version;
        let verdict = self.session.wait_for_diagnostics(&self.uri, version);
        let goals = async {
            match sentinel {
                Some(position) => goals_at(&self.session, &self.uri, text.to_lean(position)).await,
                None => Ok(None),
            }
        };
        let ((), state) = tokio::try_join!(verdict, goals)?;
        let mut watch = watch;
        let settled = watch.wait_for(|snapshot| {
            snapshot.version == version
                && (snapshot.done || snapshot.fatal || snapshot.updates == 0)
        });
        match tokio::time::timeout(SETTLE_LIMIT, settled).await {
            Ok(Ok(snapshot)) => Ok(RunReport {
                diagnostics: snapshot.diagnostics.clone(),
                state,
                header_failed: snapshot.fatal,
            }),
            Ok(Err(_)) => Err(SessionError::Overtaken),
            Err(_) => Err(SessionError::Invalid(
                "Lean says that its diagnostics are complete, and goes on working".to_owned(),
            )),
        }
    }

    /// Brings `text` into the document: an edit where it is open, a new worker otherwise.
    fn put(&mut self, text: &Arc<DocumentText>) -> DocumentWatch {
        self.version += 1;
        if !self.has_exactly(text) {
            self.begun = Instant::now();
        }
        self.settled = false;
        self.text = Some(Arc::clone(text));
        let alive = self
            .watch
            .take()
            .filter(|watch| watch.has_changed().is_ok() && !watch.borrow().is_presumed_dead());
        let watch = match alive {
            Some(watch) => {
                self.session
                    .change(&self.uri, self.version, Arc::clone(text));
                watch
            }
            None => self.session.open(
                &self.uri,
                self.version,
                Arc::clone(text),
                DependencyBuildMode::Never,
            ),
        };
        self.watch = Some(watch.clone());
        watch
    }
}

/// How many bytes two texts have in common at their beginning.
fn common_length(left: &DocumentText, right: &DocumentText) -> usize {
    left.as_str()
        .bytes()
        .zip(right.as_str().bytes())
        .take_while(|(left, right)| left == right)
        .count()
}
