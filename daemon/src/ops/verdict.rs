//! Waiting for Lean's complete verdict on one version, telling the client how it goes.

use std::{
    collections::HashSet,
    hash::{DefaultHasher, Hash, Hasher},
    time::Duration,
};

use lean_beam_proto::{
    event::Event,
    op::DiagnosticScope,
    text::{Diagnostic, Severity},
};
use tokio::time::Instant;

use super::context::{EventSink, progress_event};
use crate::{
    session::{DocumentSnapshot, SessionError},
    workspace::DocumentAt,
};

/// Progress events are at least this far apart.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);
/// How long Lean's progress may lag behind its word that all diagnostics are out. In the versions measured
/// it never does.
const SETTLE_LIMIT: Duration = Duration::from_secs(10);

/// Waits until Lean has published every diagnostic of the document's version and has nothing left to do.
///
/// # Errors
/// [`SessionError::Overtaken`] when the document changed meanwhile; else what ended the wait.
pub(super) async fn wait_for_verdict(
    document: &DocumentAt,
    scope: DiagnosticScope,
    events: &EventSink,
) -> Result<(), SessionError> {
    let mut relay = Relay::new(document, scope, events);
    let mut watch = document.watch.clone();
    let answer = document
        .session
        .wait_for_diagnostics(&document.path.uri, document.version);
    tokio::pin!(answer);
    loop {
        relay.pass_on(&watch).await;
        tokio::select! {
            biased;
            answer = &mut answer => { answer?; break }
            changed = watch.changed() => if changed.is_err() {
                // Closed, opened again or without a server: the pending request knows which.
                return answer.await.and(Err(SessionError::Overtaken));
            },
        }
    }
    let settled =
        watch.wait_for(|snapshot| snapshot.version != document.version || is_settled(snapshot));
    match tokio::time::timeout(SETTLE_LIMIT, settled).await {
        Ok(Ok(snapshot)) if snapshot.version == document.version => {}
        Ok(_) => return Err(SessionError::Overtaken),
        Err(_) => {
            return Err(SessionError::Invalid(
                "Lean says that its diagnostics are complete, and goes on working".to_owned(),
            ));
        }
    }
    relay.finish(&watch).await;
    Ok(())
}

/// Nothing left to do. A server that never reports progress is taken at its word.
fn is_settled(snapshot: &DocumentSnapshot) -> bool {
    snapshot.done || snapshot.fatal || snapshot.updates == 0
}

/// Whether a diagnostic is shown in `scope`.
pub(super) fn in_scope(diagnostic: &Diagnostic, scope: DiagnosticScope) -> bool {
    scope == DiagnosticScope::All || diagnostic.severity == Severity::Error
}

/// Tells the client what is new since the last time.
struct Relay<'a> {
    document: &'a DocumentAt,
    scope: DiagnosticScope,
    events: &'a EventSink,
    /// How many diagnostics of the current list were looked at.
    seen: usize,
    /// Which list that was.
    replaced: u64,
    /// Hashes of what was sent.
    sent: HashSet<u64>,
    setup: Option<String>,
    next_progress: Instant,
    updates: u64,
    progress_sent: bool,
}

impl<'a> Relay<'a> {
    fn new(document: &'a DocumentAt, scope: DiagnosticScope, events: &'a EventSink) -> Self {
        Self {
            document,
            scope,
            events,
            seen: 0,
            replaced: 0,
            sent: HashSet::new(),
            setup: None,
            next_progress: Instant::now(),
            updates: 0,
            progress_sent: false,
        }
    }

    async fn pass_on(&mut self, watch: &tokio::sync::watch::Receiver<DocumentSnapshot>) {
        let news = self.news(&watch.borrow());
        for event in news {
            self.events.send(event).await;
        }
    }

    async fn finish(&mut self, watch: &tokio::sync::watch::Receiver<DocumentSnapshot>) {
        self.pass_on(watch).await;
        let last = self
            .progress_sent
            .then(|| progress_event(self.document, &watch.borrow()));
        if let Some(last) = last {
            self.events.send(last).await;
        }
    }

    fn news(&mut self, snapshot: &DocumentSnapshot) -> Vec<Event> {
        if snapshot.version != self.document.version {
            return Vec::new();
        }
        let mut news = Vec::new();
        if snapshot.setup != self.setup {
            self.setup.clone_from(&snapshot.setup);
            news.extend(snapshot.setup.clone().map(|message| Event::Setup {
                path: self.document.path.display.clone(),
                message,
            }));
        }
        news.extend(self.new_diagnostics(snapshot));
        // The last progress event is sent once, by `finish`.
        if snapshot.updates != self.updates
            && !snapshot.done
            && Instant::now() >= self.next_progress
        {
            self.updates = snapshot.updates;
            self.next_progress = Instant::now() + PROGRESS_INTERVAL;
            self.progress_sent = true;
            self.events
                .try_send(progress_event(self.document, snapshot));
        }
        news
    }

    fn new_diagnostics(&mut self, snapshot: &DocumentSnapshot) -> Option<Event> {
        // A list that was replaced may hold old messages at any place.
        let replaced =
            std::mem::replace(&mut self.replaced, snapshot.replaced) != snapshot.replaced;
        let start = if replaced { 0 } else { self.seen };
        self.seen = snapshot.diagnostics.len();
        let mut items = Vec::new();
        for diagnostic in snapshot.diagnostics[start..]
            .iter()
            .filter(|diagnostic| in_scope(diagnostic, self.scope))
        {
            let is_new = self.sent.insert(hash(diagnostic));
            if is_new || !replaced {
                items.push(diagnostic.clone());
            }
        }
        let path = self.document.path.display.clone();
        (!items.is_empty()).then_some(Event::Diagnostics {
            path,
            version: snapshot.version,
            items,
        })
    }
}

fn hash(diagnostic: &Diagnostic) -> u64 {
    let mut hasher = DefaultHasher::new();
    diagnostic.hash(&mut hasher);
    hasher.finish()
}
