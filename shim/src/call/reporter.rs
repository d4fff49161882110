//! What a client hears while its call is at work: progress, a sign of life, diagnostics.

use std::{sync::Arc, time::Duration};

use lean_beam_proto::{
    event::{self, Event},
    op::DiagnosticScope,
    text::{Diagnostic, Severity},
};
use tokio::{
    pin, select,
    sync::oneshot,
    time::{Instant, sleep_until},
};

use super::{Shared, pace::Pace, pace::Update};
use crate::{
    bound::bounded,
    jsonrpc::JsonObject,
    protocol::{LogLevel, LogPolicy, Order, ProgressToken},
    tools::{Display, Liveness},
};

/// How long a call without token may be silent.
const SILENCE_LIMIT: Duration = Duration::from_secs(2);
/// Shortest time between a progress notification and the response. The official TypeScript clients lose a
/// notification that they read together with the response, and report an error. A millisecond is enough on
/// an idle machine; this leaves a busy one some room.
const PROGRESS_GAP: Duration = Duration::from_millis(5);
/// How long to wait for a chance to send progress while the last one is not written yet.
const WRITE_PAUSE: Duration = Duration::from_millis(50);
/// Most diagnostics that one call sends as logs. The result counts all of them.
const MAX_DIAGNOSTICS: usize = 1_000;
/// Most characters of one log notification's data.
const MAX_LOG_CHARACTERS: usize = 10_000;

/// Sends the notifications of one call.
pub(super) struct Reporter {
    shared: Arc<Shared>,
    display: Display,
    tool: &'static str,
    /// The request's id as JSON.
    id: String,
    path: Option<String>,
    scope: DiagnosticScope,
    logs: LogPolicy,
    progress: Option<Progress>,
    /// When the sign of life is due; `None` when it was given or is not wanted.
    liveness_due: Option<Instant>,
    diagnostics_left: usize,
}

/// Progress for a client that asked for it.
struct Progress {
    token: ProgressToken,
    pace: Pace,
    /// The last update, until it is known to be written.
    unwritten: Option<oneshot::Receiver<Instant>>,
    written_at: Option<Instant>,
    retry_at: Option<Instant>,
}

impl Reporter {
    pub(super) fn new(order: &Order, shared: &Arc<Shared>, now: Instant) -> Self {
        let display = order.tool.display;
        let arguments = order.arguments.as_ref().ok();
        let path = arguments.and_then(|arguments| arguments.path.clone());
        let token = order.progress_token.clone().filter(|_| display.preparation);
        let is_silent = token.is_none() && display.liveness != Liveness::Quiet;
        Self {
            shared: Arc::clone(shared),
            display,
            tool: order.tool.name,
            id: order.id.to_json(),
            scope: arguments
                .map(|arguments| arguments.diagnostic_scope)
                .unwrap_or_default(),
            logs: order.logs,
            progress: token
                .map(|token| Progress::new(token, subject(order.tool.name, path.as_deref()))),
            liveness_due: is_silent.then(|| now + SILENCE_LIMIT),
            diagnostics_left: MAX_DIAGNOSTICS,
            path,
        }
    }

    /// Says that the call was taken in.
    pub(super) async fn prepare(&mut self) {
        if let Some(progress) = &mut self.progress {
            let update = progress.pace.preparation(Instant::now());
            progress.send(&self.shared, &update).await;
        }
    }

    /// Waits for `work`, sending what falls due meanwhile.
    pub(super) async fn during<F: Future>(&mut self, work: F) -> F::Output {
        pin!(work);
        loop {
            let due = self.due();
            select! {
                biased;
                output = &mut work => return output,
                () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {}
            }
            self.send_due().await;
        }
    }

    /// The daemon says something.
    pub(super) async fn event(&mut self, event: Event) {
        match event {
            Event::Setup { message, .. } => self.setup(message).await,
            Event::Progress(progress) => self.file_progress(&progress).await,
            Event::Diagnostics {
                path,
                version,
                items,
            } => {
                self.diagnostics(&path, version, &items).await;
            }
            Event::Accepted { .. } | Event::Notice { .. } | Event::Unknown => {}
        }
    }

    /// Makes sure that the response comes well after the last progress. Updates that are still pending
    /// are dropped.
    pub(super) async fn settle(self) {
        let Some(mut progress) = self.progress else {
            return;
        };
        if let Some(unwritten) = progress.unwritten.take() {
            progress.written_at = unwritten.await.ok();
        }
        if let Some(written_at) = progress.written_at {
            sleep_until(written_at + PROGRESS_GAP).await;
        }
    }

    async fn setup(&mut self, message: String) {
        if !self.display.setup {
            return;
        }
        if self.display.liveness == Liveness::OnSetupOrAfterDelay {
            self.sign_of_life("setup", &message).await;
        }
        if let Some(progress) = &mut self.progress {
            progress.pace.setup(message);
            progress.send_due(&self.shared).await;
        }
    }

    async fn file_progress(&mut self, news: &event::Progress) {
        if let Some(progress) = &mut self.progress
            && self.display.file_progress
        {
            progress.pace.file(news);
            progress.send_due(&self.shared).await;
        }
    }

    async fn diagnostics(&mut self, path: &str, version: u64, items: &[Diagnostic]) {
        if !self.display.diagnostics {
            return;
        }
        for diagnostic in items {
            let level = level_of(diagnostic.severity);
            let is_wanted = self.scope == DiagnosticScope::All || level == LogLevel::Error;
            if !is_wanted || !self.admits(level) || self.diagnostics_left == 0 {
                continue;
            }
            self.diagnostics_left -= 1;
            let diagnostic = serde_json::to_string(diagnostic).unwrap_or_default();
            let data = JsonObject::new()
                .with_raw("requestId", &self.id)
                .with("path", path)
                .with("version", &version)
                .with_members_of(&diagnostic);
            self.log(level, "lean.diagnostic", data).await;
        }
    }

    /// The next time when something may have to be sent.
    fn due(&self) -> Option<Instant> {
        let progress = self.progress.as_ref().and_then(Progress::due);
        [self.liveness_due, progress].into_iter().flatten().min()
    }

    async fn send_due(&mut self) {
        if self.liveness_due.is_some_and(|due| due <= Instant::now()) {
            self.sign_of_life("running", "").await;
        }
        if let Some(progress) = &mut self.progress {
            progress.send_due(&self.shared).await;
        }
    }

    /// Says once that the call is alive, if the log level admits it.
    async fn sign_of_life(&mut self, state: &str, detail: &str) {
        if self.liveness_due.take().is_none() || !self.admits(LogLevel::Notice) {
            return;
        }
        let subject = subject(self.tool, self.path.as_deref());
        let message = match detail {
            "" => format!("{subject} is still working."),
            detail => format!("{subject} waits for a build: {detail}"),
        };
        let mut data = JsonObject::new()
            .with_raw("requestId", &self.id)
            .with("tool", self.tool)
            .with("state", state)
            .with("message", &message);
        if let Some(path) = &self.path {
            data = data.with("path", path);
        }
        let data = data.with(
            "progressHint",
            "For detailed live updates, pass tools/call params._meta.progressToken.",
        );
        self.log(LogLevel::Notice, "beam.status", data).await;
    }

    fn admits(&self, level: LogLevel) -> bool {
        match self.logs {
            LogPolicy::Connection => level >= self.shared.session_level(),
            LogPolicy::Request(minimum) => minimum.is_some_and(|minimum| level >= minimum),
        }
    }

    async fn log(&self, level: LogLevel, logger: &str, data: JsonObject) {
        let params = JsonObject::new()
            .with("level", level.as_str())
            .with("logger", logger)
            .with_raw("data", &bounded(data.finish(), MAX_LOG_CHARACTERS, ""));
        self.shared.output.log(&params.finish()).await;
    }
}

impl Progress {
    fn new(token: ProgressToken, subject: String) -> Self {
        Self {
            token,
            pace: Pace::new(subject),
            unwritten: None,
            written_at: None,
            retry_at: None,
        }
    }

    fn due(&self) -> Option<Instant> {
        let due = self.pace.due()?;
        Some(self.retry_at.map_or(due, |retry| due.max(retry)))
    }

    async fn send_due(&mut self, shared: &Shared) {
        let now = Instant::now();
        if self.due().is_none_or(|due| due > now) {
            return;
        }
        if !self.last_was_written() {
            // A client that does not read keeps one update of ours, not many.
            self.retry_at = Some(now + WRITE_PAUSE);
            return;
        }
        self.retry_at = None;
        if let Some(update) = self.pace.take(now) {
            self.send(shared, &update).await;
        }
    }

    fn last_was_written(&mut self) -> bool {
        let Some(unwritten) = &mut self.unwritten else {
            return true;
        };
        match unwritten.try_recv() {
            Err(oneshot::error::TryRecvError::Empty) => false,
            outcome => {
                self.written_at = outcome.ok();
                self.unwritten = None;
                true
            }
        }
    }

    async fn send(&mut self, shared: &Shared, update: &Update) {
        let mut params = JsonObject::new()
            .with_raw("progressToken", self.token.as_json())
            .with("progress", &update.progress);
        if let Some(total) = update.total {
            params = params.with("total", &total);
        }
        let params = params.with("message", &update.message).finish();
        self.unwritten = Some(shared.output.progress(&params).await);
    }
}

fn subject(tool: &str, path: Option<&str>) -> String {
    match path {
        Some(path) => format!("{tool} on {path}"),
        None => tool.to_owned(),
    }
}

fn level_of(severity: Severity) -> LogLevel {
    match severity {
        Severity::Error => LogLevel::Error,
        Severity::Warning => LogLevel::Warning,
        Severity::Information | Severity::Unknown => LogLevel::Info,
        Severity::Hint => LogLevel::Debug,
    }
}
