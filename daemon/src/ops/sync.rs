//! `sync` and `refresh`: Lean's complete verdict on the text that is on disk.

use std::sync::Arc;

use lean_beam_proto::{
    BeamResult,
    op::{DiagnosticScope, Readiness, ReadinessReason, SyncDiagnostics, SyncParams, SyncResult},
    text::{Diagnostic, DiagnosticCounts, Severity},
};

use super::{
    OpContext,
    barrier::{check_chain, given_up, stale_imports},
    context::document_progress,
    error::{Rounds, session_error},
    verdict::{in_scope, wait_for_verdict},
};
use crate::{
    imports::Chain,
    session::{DocumentSnapshot, SessionError},
    workspace::{DocumentAt, Ensured, Freshness},
};

/// How many errors are listed as blocking; all are counted.
const BLOCKING_SHOWN: usize = 20;
/// How many diagnostics a result lists at most.
const ITEMS_SHOWN: usize = 10_000;
/// How many bytes of messages a result lists at most.
const ITEM_BYTES: usize = 8 * 1024 * 1024;

pub(super) async fn sync(context: &OpContext<'_>, params: SyncParams) -> BeamResult<SyncResult> {
    judge(context, &params, Freshness::Verdict)
        .await
        .map(|judged| judged.result)
}

pub(super) async fn refresh(context: &OpContext<'_>, params: SyncParams) -> BeamResult<SyncResult> {
    judge(context, &params, Freshness::Worker)
        .await
        .map(|judged| judged.result)
}

/// A verdict, and what exactly it is about.
pub(super) struct Judged {
    pub(super) result: SyncResult,
    pub(super) document: DocumentAt,
    pub(super) chain: Arc<Chain>,
}

/// Reads, passes on, waits; begins again when an edit or a change of the imports overtakes the wait, so that
/// the verdict is always about what was on disk when the last round began.
pub(super) async fn judge(
    context: &OpContext<'_>,
    params: &SyncParams,
    mut freshness: Freshness,
) -> BeamResult<Judged> {
    let path = context.document(&params.path).await?;
    let mut rounds = Rounds::default();
    let mut reloaded = false;
    loop {
        let Ensured {
            document, chain, ..
        } = context.workspace()?.ensure(&path, freshness).await?;
        // A refresh needs one new worker, not one for every round.
        freshness = Freshness::Verdict;
        context.observed.set(&document);
        check_chain(&document, &chain)?;
        match wait_for_verdict(&document, params.diagnostic_scope, &context.events).await {
            Ok(()) => {}
            Err(SessionError::Overtaken) => {
                rounds.next(&document)?;
                continue;
            }
            Err(error) => return Err(session_error(&document, error).await),
        }
        if context.workspace()?.chain_signature(&document).await? != chain.signature {
            // An import was saved or edited meanwhile: which state of it Lean has loaded nobody knows.
            rounds.next(&document)?;
            continue;
        }
        // Nothing can come between these looks at the snapshot and the result: there is no await.
        let snapshot = document.watch.borrow();
        if snapshot.version != document.version {
            continue;
        }
        if snapshot.stale_imports.is_some() && !std::mem::replace(&mut reloaded, true) {
            // By our own reckoning they are current: what the worker has loaded is not.
            freshness = Freshness::Reload;
            continue;
        }
        let result = verdict(&document, &snapshot, params);
        warm_lane(context, &document, &snapshot)?;
        drop(snapshot);
        return result.map(|result| Judged {
            result,
            document,
            chain,
        });
    }
}

/// Texts will be tried where errors and `sorry` are.
fn warm_lane(
    context: &OpContext<'_>,
    document: &DocumentAt,
    snapshot: &DocumentSnapshot,
) -> BeamResult<()> {
    if !context.services.config.probe.warm || snapshot.fatal {
        return Ok(());
    }
    let trouble = snapshot.diagnostics.iter().filter(|diagnostic| {
        diagnostic.severity == Severity::Error || diagnostic.message.contains("sorry")
    });
    if let Some(first) = trouble.map(|diagnostic| diagnostic.range.start).min()
        && let Ok(offset) = document.text.offset(first)
    {
        context
            .workspace()?
            .probes
            .warm(&document.path.uri, &document.text, offset);
    }
    Ok(())
}

fn verdict(
    document: &DocumentAt,
    snapshot: &DocumentSnapshot,
    params: &SyncParams,
) -> BeamResult<SyncResult> {
    let counts = DiagnosticCounts::of(
        snapshot
            .diagnostics
            .iter()
            .map(|diagnostic| diagnostic.severity),
    );
    if let Some(message) = &snapshot.stale_imports {
        return Err(stale_imports(document, message, snapshot));
    }
    if snapshot.fatal && counts.error == 0 {
        return Err(given_up(document, snapshot));
    }
    let (items, truncated) = if params.diagnostics_in_result {
        shown(&snapshot.diagnostics, params.diagnostic_scope)
    } else {
        (None, false)
    };
    Ok(SyncResult {
        path: document.path.display.clone(),
        version: document.version,
        diagnostics: SyncDiagnostics {
            counts,
            items,
            truncated,
        },
        readiness: readiness(snapshot, counts.error),
        document_progress: document_progress(snapshot),
    })
}

fn readiness(snapshot: &DocumentSnapshot, errors: usize) -> Readiness {
    let mut blocking = in_order(
        snapshot
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == Severity::Error),
    );
    blocking.truncate(BLOCKING_SHOWN);
    let reason = match (snapshot.fatal, errors) {
        (true, _) => ReadinessReason::HeaderFailed,
        (false, 0) => ReadinessReason::Ok,
        (false, _) => ReadinessReason::DocumentErrors,
    };
    Readiness {
        save_ready: reason == ReadinessReason::Ok,
        reason,
        blocking_error_count: errors,
        blocking_diagnostics: blocking.into_iter().cloned().collect(),
        blocking_messages: Vec::new(),
    }
}

/// The diagnostics in scope, in document order, within the limits; and whether any were left out.
fn shown(diagnostics: &[Diagnostic], scope: DiagnosticScope) -> (Option<Vec<Diagnostic>>, bool) {
    let wanted = in_order(
        diagnostics
            .iter()
            .filter(|diagnostic| in_scope(diagnostic, scope)),
    );
    let mut bytes = 0;
    let kept: Vec<_> = wanted
        .iter()
        .take(ITEMS_SHOWN)
        .take_while(|diagnostic| {
            bytes += diagnostic.message.len();
            bytes <= ITEM_BYTES
        })
        .map(|diagnostic| (*diagnostic).clone())
        .collect();
    let truncated = kept.len() < wanted.len();
    (Some(kept), truncated)
}

fn in_order<'a>(diagnostics: impl Iterator<Item = &'a Diagnostic>) -> Vec<&'a Diagnostic> {
    let mut ordered: Vec<_> = diagnostics.collect();
    // Stable: messages of one place stay in the order in which Lean made them.
    ordered.sort_by_key(|diagnostic| (diagnostic.range.start, diagnostic.range.end));
    ordered
}
