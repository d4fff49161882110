//! What was saved, why it was not, and what to do first.

use std::{path::Path, time::Duration};

use lean_beam_proto::{
    BeamError, ErrorCode,
    op::{CloseSaveResult, Readiness, ReadinessReason, SaveResult},
};
use serde::Deserialize;

use super::{
    diagnostics::diagnostics,
    documents::counts,
    style::{BAD, DIM, GOOD, STRONG, styled},
    words::{counted, duration},
};
use crate::{root, source::Source};

/// `✓ Main.lean: no errors, saved as module Main (version 3, 0.42 s)`, then the artifacts as `name` shows their
/// paths.
pub(crate) fn saved(
    path: &str,
    result: &SaveResult,
    elapsed: Duration,
    name: &dyn Fn(&str) -> String,
) -> String {
    heading(path, result, elapsed, "") + &artifacts(result, name)
}

/// The same for a file that is closed now.
pub(crate) fn close_saved(
    path: &str,
    result: &CloseSaveResult,
    elapsed: Duration,
    name: &dyn Fn(&str) -> String,
) -> String {
    let saved = &result.saved;
    heading(path, saved, elapsed, " and closed") + &artifacts(saved, name)
}

fn heading(path: &str, result: &SaveResult, elapsed: Duration, and: &str) -> String {
    format!(
        "{} {}: {}, saved as module {}{and} {}\n",
        styled(GOOD, "✓"),
        styled(STRONG, path),
        counts(&result.sync.diagnostics.counts),
        styled(STRONG, &result.module),
        styled(
            DIM,
            format!("(version {}, {})", result.version, duration(elapsed))
        ),
    )
}

fn artifacts(result: &SaveResult, name: &dyn Fn(&str) -> String) -> String {
    let always = [&result.olean, &result.ilean, &result.c, &result.trace];
    let sometimes = [
        &result.olean_server,
        &result.olean_private,
        &result.ir,
        &result.bc,
    ];
    let all = always
        .into_iter()
        .chain(sometimes.into_iter().filter_map(Option::as_ref));
    all.map(|path| format!("  {}\n", name(path))).collect()
}

/// Errors that keep a file from being saved.
#[derive(Debug, Deserialize)]
pub(crate) struct Refusal {
    version: u64,
    readiness: Readiness,
}

impl Refusal {
    /// What `error` says about the file's own errors; `None` when it is about something else.
    pub(crate) fn of(error: &BeamError) -> Option<Self> {
        if error.code != ErrorCode::SaveFailed {
            return None;
        }
        Self::deserialize(error.data.as_ref()?).ok()
    }

    /// The errors as `sync` shows them, and one line that sums up.
    pub(crate) fn text(&self, path: &str, source: Option<&Source>, elapsed: Duration) -> String {
        let blocking = &self.readiness.blocking_diagnostics;
        let mut text = diagnostics(path, source, blocking);
        let errors = self.readiness.blocking_error_count;
        if blocking.len() < errors {
            let number = blocking.len();
            text.push_str(&format!("These are the first {number} of {errors}.\n"));
        }
        text.push_str(&format!(
            "{} {}: {}, not saved {}\n",
            styled(BAD, "✗"),
            styled(STRONG, path),
            counted(errors, "error"),
            styled(
                DIM,
                format!("(version {}, {})", self.version, duration(elapsed))
            ),
        ));
        if self.readiness.reason == ReadinessReason::HeaderFailed {
            text.push_str("  Lean could not get past the imports, so the rest was not checked\n");
        }
        text
    }
}

/// The way out that an error names, as commands for somebody in `directory`; empty when it names none.
pub(crate) fn recovery(error: &BeamError, directory: &Path) -> String {
    #[derive(Deserialize)]
    struct Data {
        root: String,
        recovery_plan: Vec<Step>,
    }
    #[derive(Deserialize)]
    struct Step {
        op: String,
        path: String,
    }
    let data = error
        .data
        .as_ref()
        .and_then(|data| Data::deserialize(data).ok());
    let line = |data: &Data, step: &Step| {
        let path = root::shown(&Path::new(&data.root).join(&step.path), directory);
        format!(
            "  lean-beam {} {}\n",
            step.op.replace('_', "-"),
            quoted(&path)
        )
    };
    data.map_or_else(String::new, |data| {
        data.recovery_plan
            .iter()
            .map(|step| line(&data, step))
            .collect()
    })
}

/// `path` as one word of a shell.
fn quoted(path: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+@:".contains(c);
    if path.chars().all(is_plain) {
        path.to_owned()
    } else {
        format!("'{}'", path.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use lean_beam_proto::{
        op::{DocumentProgress, SavedSync, SyncDiagnostics},
        text::{Diagnostic, DiagnosticCounts, Position, Range, Severity},
    };
    use serde_json::json;

    use super::*;

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    fn result() -> SaveResult {
        let text = |text: &str| text.to_owned();
        SaveResult {
            path: text("A.lean"),
            module: text("A"),
            version: 3,
            source_hash: text("00"),
            olean: text("/p/A.olean"),
            ilean: text("/p/A.ilean"),
            c: text("/p/A.c"),
            trace: text("/p/A.olean.trace"),
            olean_server: None,
            olean_private: None,
            ir: Some(text("/p/A.ir")),
            bc: None,
            sync: SavedSync {
                path: text("A.lean"),
                version: 3,
                diagnostics: SyncDiagnostics {
                    counts: DiagnosticCounts::of([Severity::Warning]),
                    items: None,
                    truncated: false,
                },
                readiness: readiness(&[]),
            },
            document_progress: DocumentProgress::default(),
        }
    }

    fn readiness(messages: &[&str]) -> Readiness {
        let diagnostic = |message: &&str| Diagnostic {
            range: Range::new(Position::new(0, 4), Position::new(0, 5)),
            full_range: None,
            severity: Severity::Error,
            message: (*message).to_owned(),
            code: None,
            tags: Vec::new(),
        };
        Readiness {
            save_ready: messages.is_empty(),
            reason: if messages.is_empty() {
                ReadinessReason::Ok
            } else {
                ReadinessReason::DocumentErrors
            },
            blocking_error_count: messages.len(),
            blocking_diagnostics: messages.iter().take(1).map(diagnostic).collect(),
            blocking_messages: Vec::new(),
        }
    }

    #[test]
    fn everything_that_was_written_is_listed_below_the_verdict() {
        let elapsed = Duration::from_millis(420);
        let name = |path: &str| path.replace("/p/", "");
        assert_eq!(
            plain(&saved("A.lean", &result(), elapsed, &name)),
            "✓ A.lean: no errors, 1 warning, saved as module A (version 3, 0.42 s)\n  A.olean\n  A.ilean\n  A.c\n  A.olean.trace\n  A.ir\n"
        );
        let closed = CloseSaveResult {
            closed: true,
            saved: result(),
        };
        let text = plain(&close_saved("A.lean", &closed, elapsed, &name));
        assert!(
            text.contains("saved as module A and closed (version 3"),
            "{text}"
        );
    }

    #[test]
    fn a_refusal_shows_the_errors_and_other_failures_are_none() {
        let data = json!({"version": 3, "readiness": readiness(&["bad", "worse"])});
        let error = BeamError::new(ErrorCode::SaveFailed, "no").with_data(data.clone());
        let refusal = Refusal::of(&error).unwrap();
        let text = plain(&refusal.text("A.lean", None, Duration::from_millis(7)));
        assert!(text.starts_with("error: bad\n --> A.lean:1:5\n"), "{text}");
        assert!(
            text.ends_with(
                "These are the first 1 of 2.\n✗ A.lean: 2 errors, not saved (version 3, 7 ms)\n"
            ),
            "{text}"
        );
        let crashed = BeamError::new(ErrorCode::WorkerCrashed, "no").with_data(data);
        assert!(Refusal::of(&crashed).is_none());
        let build = BeamError::new(ErrorCode::SaveFailed, "no").with_data(json!({"exit": "1"}));
        assert!(Refusal::of(&build).is_none());
    }

    #[test]
    fn a_way_out_is_written_as_commands_that_work_from_here() {
        let error = BeamError::new(ErrorCode::SyncBarrierIncomplete, "no").with_data(json!({
            "root": "/p",
            "recovery_plan": [{"op": "save", "path": "My Files/C.lean"}, {"op": "sync", "path": "A.lean"}],
        }));
        assert_eq!(
            recovery(&error, Path::new("/p")),
            "  lean-beam save 'My Files/C.lean'\n  lean-beam sync A.lean\n"
        );
        assert!(recovery(&error, Path::new("/q")).ends_with("lean-beam sync /p/A.lean\n"));
        let other = BeamError::new(ErrorCode::WorkerCrashed, "no");
        assert_eq!(recovery(&other, Path::new("/p")), "");
    }
}
