//! `sync` gives Lean's verdict on exactly the text on disk, whatever the text and whenever it changes.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod edits;
mod files;
mod texts;

use lean_beam_proto::{
    op::{ReadinessReason, SyncResult},
    text::Severity,
};
use lean_beam_tests::{
    lean_text::{Line, expected, found},
    must::Must,
};

/// Fails unless `result` says about `lines` exactly what is to be expected.
#[track_caller]
fn assert_verdict(result: &SyncResult, lines: &[Line]) {
    let wanted = expected(lines);
    let items = result
        .diagnostics
        .items
        .as_deref()
        .must("get the items that were asked for");
    assert_eq!(found(items), wanted, "version {}", result.version);
    let count = |severity| wanted.iter().filter(|(one, _)| *one == severity).count();
    let counts = result.diagnostics.counts;
    assert_eq!(
        (
            counts.error,
            counts.warning,
            counts.information,
            counts.total
        ),
        (
            count(Severity::Error),
            count(Severity::Warning),
            count(Severity::Information),
            wanted.len()
        )
    );
    assert_eq!(result.readiness.save_ready, counts.error == 0);
    assert_eq!(result.readiness.blocking_error_count, counts.error);
    assert!(result.document_progress.done);
}

/// Fails unless `result` is a verdict without errors.
#[track_caller]
fn assert_clean(result: &SyncResult) {
    assert_eq!(result.diagnostics.counts.error, 0, "{result:?}");
    assert!(result.readiness.save_ready, "{result:?}");
    assert_eq!(result.readiness.reason, ReadinessReason::Ok);
}
