//! What Lean said about the current version of one document.

use std::sync::Arc;

use lean_beam_proto::text::{Diagnostic, Range};
use tokio::sync::watch;

use crate::{
    lsp::{
        DiagnosticRole, FileProgress, LeanDiagnostic, LspPosition, ProgressKind,
        PublishDiagnostics, range_of,
    },
    text::DocumentText,
};

/// Longest line of Lake that is shown, in characters.
const SETUP_CHARACTERS: usize = 500;

/// Follows a document. The sender is gone when the document was closed or its server ended.
pub(crate) type DocumentWatch = watch::Receiver<DocumentSnapshot>;

/// What is known about the current version, in our own positions, silent messages left out.
#[derive(Debug, Default)]
pub(crate) struct DocumentSnapshot {
    /// The version that all of this is about.
    pub(crate) version: u64,
    /// Diagnostics in the order of arrival.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Raised when `diagnostics` was replaced and not only appended to.
    pub(crate) replaced: u64,
    /// Lean said that an import is out of date. Kept apart from `diagnostics`.
    pub(crate) stale_imports: Option<String>,
    /// The last line that Lake wrote while it prepared the imports. Kept apart from `diagnostics`.
    pub(crate) setup: Option<String>,
    /// Progress reports for this version.
    pub(crate) updates: u64,
    /// Lean has nothing left to do.
    pub(crate) done: bool,
    /// Lean was seen at work behind the header, so that did not fail.
    pub(crate) past_header: bool,
    /// Lean gave the document up: its header failed, or its worker died.
    pub(crate) fatal: bool,
    /// A request was answered after `fatal`, so the worker lives.
    pub(crate) answered_since_fatal: bool,
    /// The worker is known to be dead.
    pub(crate) crashed: bool,
    /// First line of the last unfinished range.
    pub(crate) start_line: Option<u32>,
    /// Last line of the last unfinished range.
    pub(crate) end_line: Option<u32>,
    /// The ranges that the last progress report gave as unfinished.
    pub(crate) unfinished: Vec<Range>,
}

impl DocumentSnapshot {
    /// True when the worker died or may have died: only opening the document again helps then.
    pub(crate) fn is_presumed_dead(&self) -> bool {
        self.crashed || (self.fatal && !self.answered_since_fatal)
    }

    /// True when Lean has nothing left to do in `range`. What it had to say about it is in `diagnostics`
    /// then: Lean reports the messages of a stretch before it reports the stretch as finished.
    pub(crate) fn is_settled(&self, range: Range) -> bool {
        let touches =
            |unfinished: &Range| unfinished.start <= range.end && range.start <= unfinished.end;
        self.done || self.fatal || (self.updates > 0 && !self.unfinished.iter().any(touches))
    }
}

/// The actor's side of a document.
#[derive(Debug)]
pub(super) struct OpenDocument {
    text: Arc<DocumentText>,
    publish: watch::Sender<DocumentSnapshot>,
    version: u64,
}

impl OpenDocument {
    pub(super) fn new(
        version: u64,
        text: Arc<DocumentText>,
        publish: watch::Sender<DocumentSnapshot>,
    ) -> Self {
        publish.send_replace(DocumentSnapshot {
            version,
            ..DocumentSnapshot::default()
        });
        Self {
            text,
            publish,
            version,
        }
    }

    /// Starts over for a new version; returns the old text.
    pub(super) fn change(&mut self, version: u64, text: Arc<DocumentText>) -> Arc<DocumentText> {
        self.version = version;
        self.publish.send_replace(DocumentSnapshot {
            version,
            ..DocumentSnapshot::default()
        });
        std::mem::replace(&mut self.text, text)
    }

    /// Takes diagnostics in; those of another version are dropped.
    pub(super) fn publish_diagnostics(&self, message: PublishDiagnostics) {
        if !self.is_current(message.version) {
            return;
        }
        let sorted = Sorted::of(message.diagnostics, &self.text);
        self.publish.send_modify(|snapshot| {
            if message.is_incremental {
                snapshot.diagnostics.extend(sorted.diagnostics);
                snapshot.stale_imports = sorted.stale_imports.or(snapshot.stale_imports.take());
            } else {
                snapshot.diagnostics = sorted.diagnostics;
                snapshot.stale_imports = sorted.stale_imports;
                snapshot.replaced += 1;
            }
            snapshot.setup = sorted.setup.or(snapshot.setup.take());
        });
    }

    pub(super) fn version(&self) -> u64 {
        self.version
    }

    /// The worker died, or may have.
    pub(super) fn is_presumed_dead(&self) -> bool {
        self.publish.borrow().is_presumed_dead()
    }

    /// Takes a progress report in; one of another version is dropped. True when Lean gave the document up.
    pub(super) fn report_progress(&self, message: &FileProgress) -> bool {
        if !self.is_current(message.text_document.version) {
            return false;
        }
        let fatal = message
            .processing
            .iter()
            .any(|info| info.kind == ProgressKind::Fatal);
        let start = message
            .processing
            .iter()
            .map(|info| info.range.start.line)
            .min();
        let end = message
            .processing
            .iter()
            .map(|info| info.range.end.line)
            .max();
        let start_of_text = LspPosition::new(0, 0);
        let behind_start = !message.processing.is_empty()
            && message
                .processing
                .iter()
                .all(|info| info.range.start > start_of_text);
        let unfinished = message
            .processing
            .iter()
            .map(|info| self.text.our_range(range_of(info.range)))
            .collect();
        self.publish.send_modify(|snapshot| {
            snapshot.updates += 1;
            snapshot.done = message.processing.is_empty();
            snapshot.past_header |= !fatal && behind_start;
            snapshot.unfinished = unfinished;
            snapshot.start_line = start.or(snapshot.start_line);
            snapshot.end_line = end.or(snapshot.end_line);
            if fatal {
                // Lean says once that a header failed; after that, as at any time, it means a dead worker.
                snapshot.fatal = true;
                snapshot.answered_since_fatal = false;
            }
        });
        fatal
    }

    /// A request about this document was answered by its worker.
    pub(super) fn note_answer(&self) {
        self.publish.send_if_modified(|snapshot| {
            snapshot.fatal && !std::mem::replace(&mut snapshot.answered_since_fatal, true)
        });
    }

    /// The worker is dead. True when that was not known before.
    pub(super) fn note_crash(&self) -> bool {
        self.publish
            .send_if_modified(|snapshot| !std::mem::replace(&mut snapshot.crashed, true))
    }

    fn is_current(&self, version: Option<i64>) -> bool {
        version.is_none_or(|version| u64::try_from(version) == Ok(self.version))
    }
}

/// One message's diagnostics by what they are.
#[derive(Debug, Default)]
struct Sorted {
    diagnostics: Vec<Diagnostic>,
    stale_imports: Option<String>,
    setup: Option<String>,
}

impl Sorted {
    fn of(incoming: Vec<LeanDiagnostic>, text: &DocumentText) -> Self {
        let mut sorted = Self::default();
        for diagnostic in incoming
            .into_iter()
            .filter(|diagnostic| !diagnostic.is_silent())
        {
            match diagnostic.role() {
                DiagnosticRole::Elaboration => {
                    sorted.diagnostics.push(diagnostic.into_diagnostic());
                }
                DiagnosticRole::StaleImports => {
                    sorted.stale_imports = Some(diagnostic.message().to_owned());
                }
                DiagnosticRole::Setup => sorted.setup = Some(shorten(diagnostic.message())),
            }
        }
        if text.lines_differ_from_lean() {
            for diagnostic in &mut sorted.diagnostics {
                diagnostic.range = text.our_range(diagnostic.range);
                diagnostic.full_range = diagnostic.full_range.map(|range| text.our_range(range));
            }
        }
        sorted
    }
}

fn shorten(line: &str) -> String {
    line.chars().take(SETUP_CHARACTERS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(version: u64) -> (OpenDocument, DocumentWatch) {
        let (publish, watch) = watch::channel(DocumentSnapshot::default());
        (
            OpenDocument::new(version, Arc::new(DocumentText::new("a\nb\nc\n")), publish),
            watch,
        )
    }

    fn diagnostics(json: &str) -> PublishDiagnostics {
        serde_json::from_str(json).unwrap()
    }

    fn message(version: u64, incremental: bool, texts: &[&str]) -> PublishDiagnostics {
        let items: Vec<_> = texts
            .iter()
            .map(|text| serde_json::json!({"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}, "message": text, "severity": 1, "source": "Lean 4"}))
            .collect();
        diagnostics(&serde_json::json!({"uri": "u", "version": version, "isIncremental": incremental, "diagnostics": items}).to_string())
    }

    fn seen(watch: &DocumentWatch) -> Vec<String> {
        watch
            .borrow()
            .diagnostics
            .iter()
            .map(|diagnostic| diagnostic.message.clone())
            .collect()
    }

    #[test]
    fn incremental_messages_append_and_full_ones_replace() {
        let (document, watch) = open(1);
        document.publish_diagnostics(message(1, false, &["a"]));
        document.publish_diagnostics(message(1, true, &["b", "c"]));
        assert_eq!(seen(&watch), ["a", "b", "c"]);
        document.publish_diagnostics(message(1, false, &["d"]));
        assert_eq!(seen(&watch), ["d"]);
    }

    #[test]
    fn what_belongs_to_another_version_is_dropped() {
        let (mut document, watch) = open(1);
        document.publish_diagnostics(message(1, false, &["old"]));
        document.change(2, Arc::new(DocumentText::new("x")));
        assert!(seen(&watch).is_empty());
        document.publish_diagnostics(message(1, true, &["late"]));
        document.publish_diagnostics(message(3, false, &["early"]));
        assert!(seen(&watch).is_empty());
        assert_eq!(watch.borrow().version, 2);
    }

    #[test]
    fn silent_messages_never_get_in() {
        let (document, watch) = open(1);
        document.publish_diagnostics(diagnostics(
            r#"{"uri":"u","version":1,"diagnostics":[{"isSilent":true,"leanTags":[2],"message":"Goals accomplished!","severity":3,
                "range":{"start":{"line":0,"character":0},"end":{"line":1,"character":0}}}]}"#,
        ));
        assert!(seen(&watch).is_empty());
    }

    #[test]
    fn a_fatal_report_without_a_later_answer_means_a_dead_worker() {
        let (document, watch) = open(1);
        let fatal: FileProgress = serde_json::from_str(
            r#"{"textDocument":{"uri":"u","version":1},"processing":[{"kind":2,"range":{"start":{"line":0,"character":0},"end":{"line":3,"character":0}}}]}"#,
        )
        .unwrap();
        document.report_progress(&fatal);
        assert!(watch.borrow().is_presumed_dead());
        document.note_answer();
        assert!(
            !watch.borrow().is_presumed_dead(),
            "a failed header leaves the worker alive"
        );
        assert!(document.note_crash());
        assert!(watch.borrow().is_presumed_dead());
    }
}
