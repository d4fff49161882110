//! Verdicts and open files.

use std::time::Duration;

use lean_beam_proto::{
    op::{CloseResult, DocumentState, OpenFilesResult, ReadinessReason, SyncResult, UpdateResult},
    text::DiagnosticCounts,
};

use super::{
    style::{BAD, DIM, GOOD, STRONG, styled},
    table,
    words::{counted, duration},
};

/// `✗ Main.lean: 1 error, 2 warnings (version 3, 0.42 s)`, with what else stands in the way.
pub(crate) fn sync_summary(path: &str, result: &SyncResult, elapsed: Duration) -> String {
    let mark = if result.readiness.save_ready {
        styled(GOOD, "✓")
    } else {
        styled(BAD, "✗")
    };
    let mut text = format!(
        "{mark} {}: {} {}\n",
        styled(STRONG, path),
        counts(&result.diagnostics.counts),
        styled(
            DIM,
            format!("(version {}, {})", result.version, duration(elapsed))
        ),
    );
    if result.readiness.reason == ReadinessReason::HeaderFailed {
        text.push_str("  Lean could not get past the imports, so the rest was not checked\n");
    }
    for message in &result.readiness.blocking_messages {
        text.push_str(&format!("  {message}\n"));
    }
    text
}

/// `Main.lean: version 3 (changed)`
pub(crate) fn updated(path: &str, result: &UpdateResult) -> String {
    let news = if result.changed {
        "changed"
    } else {
        "unchanged"
    };
    format!(
        "{}: version {} {}\n",
        styled(STRONG, path),
        result.version,
        styled(DIM, format!("({news})"))
    )
}

/// Whether there was something to close.
pub(crate) fn closed(path: &str, result: &CloseResult) -> String {
    let news = if result.was_open {
        "closed"
    } else {
        "was not open"
    };
    format!("{}: {news}\n", styled(STRONG, path))
}

/// One line per file.
pub(crate) fn open_files(result: &OpenFilesResult) -> String {
    if result.files.is_empty() {
        return "no files are open\n".to_owned();
    }
    let rows: Vec<_> = result
        .files
        .iter()
        .map(|file| {
            vec![
                file.path.clone(),
                format!("version {}", file.version),
                counted(file.lines as usize, "line"),
                state(file.state).to_owned(),
                counts(&file.counts),
            ]
        })
        .collect();
    table(&rows)
}

fn state(state: DocumentState) -> &'static str {
    match state {
        DocumentState::Processing => "in work",
        DocumentState::Done => "done",
        DocumentState::Failed => "failed",
        DocumentState::Unloaded => "unloaded",
        DocumentState::Unknown => "?",
    }
}

/// `1 error, 2 warnings`; never silent about errors.
pub(super) fn counts(counts: &DiagnosticCounts) -> String {
    let kinds = [
        (counts.error, "error"),
        (counts.warning, "warning"),
        (counts.information, "message"),
        (counts.hint, "hint"),
        (counts.unknown, "other message"),
    ];
    let mut parts: Vec<_> = kinds
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, noun)| counted(*number, noun))
        .collect();
    if counts.error == 0 {
        parts.insert(0, "no errors".to_owned());
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use lean_beam_proto::{
        op::{DocumentProgress, OpenFile, Readiness, SyncDiagnostics},
        text::Severity,
    };

    use super::*;

    fn verdict(severities: &[Severity], reason: ReadinessReason) -> SyncResult {
        let counts = DiagnosticCounts::of(severities.iter().copied());
        SyncResult {
            path: "Main.lean".to_owned(),
            version: 3,
            diagnostics: SyncDiagnostics {
                counts,
                items: None,
                truncated: false,
            },
            readiness: Readiness {
                save_ready: reason == ReadinessReason::Ok,
                reason,
                blocking_error_count: counts.error,
                blocking_diagnostics: Vec::new(),
                blocking_messages: Vec::new(),
            },
            document_progress: DocumentProgress::default(),
        }
    }

    fn summary(result: &SyncResult) -> String {
        let text = sync_summary(&result.path, result, Duration::from_millis(420));
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn a_verdict_is_one_line() {
        use Severity::{Error, Information, Warning};
        let bad = verdict(&[Error, Warning, Warning], ReadinessReason::DocumentErrors);
        assert_eq!(
            summary(&bad),
            "✗ Main.lean: 1 error, 2 warnings (version 3, 0.42 s)\n"
        );
        let good = verdict(&[Warning, Information], ReadinessReason::Ok);
        assert_eq!(
            summary(&good),
            "✓ Main.lean: no errors, 1 warning, 1 message (version 3, 0.42 s)\n"
        );
    }

    #[test]
    fn a_file_that_is_not_ready_is_never_ticked_and_says_why() {
        let mut result = verdict(&[], ReadinessReason::HeaderFailed);
        result
            .readiness
            .blocking_messages
            .push("import B is stale".to_owned());
        let text = summary(&result);
        assert!(text.starts_with("✗ "), "{text}");
        assert!(text.contains("imports"), "{text}");
        assert!(text.ends_with("  import B is stale\n"), "{text}");
    }

    #[test]
    fn open_files_are_listed_in_columns() {
        let file = |path: &str, state| OpenFile {
            path: path.to_owned(),
            uri: String::new(),
            version: 2,
            hash: String::new(),
            lines: 1,
            state,
            counts: DiagnosticCounts::default(),
        };
        let result = OpenFilesResult {
            files: vec![
                file("A.lean", DocumentState::Done),
                file("Long.lean", DocumentState::Processing),
            ],
        };
        assert_eq!(
            open_files(&result),
            "  A.lean     version 2  1 line  done     no errors\n  Long.lean  version 2  1 line  in work  no errors\n"
        );
        assert_eq!(
            open_files(&OpenFilesResult { files: Vec::new() }),
            "no files are open\n"
        );
    }
}
