//! Lean's own messages, which the standard's types would cut down: `fullRange`, `leanTags`, `isSilent`
//! and `isIncremental` of diagnostics, file progress, `dependencyBuildMode`, `waitForDiagnostics`.

use lean_beam_proto::text::{Diagnostic, DiagnosticTag, Position, Range, Severity};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::types::{LspPosition, LspRange};

/// Parameters of `initialize`.
///
/// `silentDiagnosticSupport` stays off: silent messages are never shown, so Lean need not send them.
/// With `incrementalDiagnosticSupport` Lean sends each message once instead of ever longer lists.
pub(crate) fn initialize_params(root_uri: &str, process_id: u32) -> Value {
    json!({
        "processId": process_id,
        "clientInfo": { "name": "lean-beam", "version": lean_beam_proto::VERSION },
        "rootUri": root_uri,
        "capabilities": {
            "textDocument": { "publishDiagnostics": { "versionSupport": true } },
            "lean": { "incrementalDiagnosticSupport": true, "rpcWireFormat": "v1" },
        },
    })
}

/// Whether Lake may build a document's imports when the document is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum DependencyBuildMode {
    /// Never; stale or missing imports are reported.
    Never,
    /// Once, now.
    Once,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DidOpen<'a> {
    text_document: OpenedDocument<'a>,
    dependency_build_mode: DependencyBuildMode,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct OpenedDocument<'a> {
    uri: &'a str,
    language_id: &'static str,
    version: u64,
    text: &'a str,
}

impl<'a> DidOpen<'a> {
    pub(crate) fn new(
        uri: &'a str,
        version: u64,
        text: &'a str,
        dependency_build_mode: DependencyBuildMode,
    ) -> Self {
        Self {
            text_document: OpenedDocument {
                uri,
                language_id: "lean4",
                version,
                text,
            },
            dependency_build_mode,
        }
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DidChange<'a> {
    text_document: VersionedDocument<'a>,
    content_changes: [ContentChange<'a>; 1],
}

#[derive(Debug, Serialize)]
struct VersionedDocument<'a> {
    uri: &'a str,
    version: u64,
}

#[derive(Debug, Serialize)]
struct ContentChange<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<LspRange>,
    text: &'a str,
}

impl<'a> DidChange<'a> {
    /// Replaces `range`, or the whole text where there is none.
    pub(crate) fn new(uri: &'a str, version: u64, range: Option<LspRange>, text: &'a str) -> Self {
        Self {
            text_document: VersionedDocument { uri, version },
            content_changes: [ContentChange { range, text }],
        }
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DidClose<'a> {
    text_document: UriOnly<'a>,
}

/// `didSave` has the same parameters as `didClose`; the text is optional and Lean does not need it.
pub(crate) type DidSave<'a> = DidClose<'a>;

#[derive(Debug, Serialize)]
struct UriOnly<'a> {
    uri: &'a str,
}

impl<'a> DidClose<'a> {
    pub(crate) fn new(uri: &'a str) -> Self {
        Self {
            text_document: UriOnly { uri },
        }
    }
}

/// Asks for an answer once every diagnostic of a version was published.
#[derive(Debug, Serialize)]
pub(crate) struct WaitForDiagnostics<'a> {
    pub(crate) uri: &'a str,
    pub(crate) version: u64,
}

/// Diagnostics of one version: all of them, or what is new since the last message.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PublishDiagnostics {
    pub(crate) uri: String,
    /// Absent in some Lean versions' own messages; then it is about the current version.
    pub(crate) version: Option<i64>,
    #[serde(default)]
    pub(crate) is_incremental: bool,
    pub(crate) diagnostics: Vec<LeanDiagnostic>,
}

impl PublishDiagnostics {
    /// Lean refuses every file because it does not know an option on its command line.
    pub(crate) fn refuses_option(&self) -> bool {
        self.diagnostics
            .first()
            .is_some_and(|first| first.message.starts_with("invalid -D parameter"))
    }
}

/// One diagnostic as Lean sends it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LeanDiagnostic {
    range: LspRange,
    full_range: Option<LspRange>,
    severity: Option<u8>,
    code: Option<Value>,
    source: Option<String>,
    message: String,
    #[serde(default)]
    lean_tags: Vec<u8>,
    #[serde(default)]
    is_silent: Option<bool>,
}

impl LeanDiagnostic {
    /// True for messages that are for an editor's decorations only.
    pub(crate) fn is_silent(&self) -> bool {
        self.is_silent == Some(true)
    }

    /// What it is, beyond what it says.
    pub(crate) fn role(&self) -> DiagnosticRole {
        let at_start = self.range.start == LspPosition::new(0, 0);
        if at_start && self.message.starts_with("Imports are out of date and ") {
            // From the server ("should be rebuilt"), or because of Lake ("must be rebuilt").
            DiagnosticRole::StaleImports
        } else if self.source.is_none() && self.severity == Some(3) {
            // The elaborator signs its messages; the server does not when it repeats Lake's.
            DiagnosticRole::Setup
        } else {
            DiagnosticRole::Elaboration
        }
    }

    /// Lean's text.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Our form of it. Positions still follow Lean's idea of a line.
    pub(crate) fn into_diagnostic(self) -> Diagnostic {
        let range = range_of(self.range);
        Diagnostic {
            range,
            full_range: self.full_range.map(range_of).filter(|full| *full != range),
            severity: severity_of(self.severity),
            message: self.message,
            code: self.code.and_then(|code| match code {
                Value::String(text) => Some(text),
                Value::Number(number) => Some(number.to_string()),
                _ => None,
            }),
            tags: self.lean_tags.into_iter().map(tag_of).collect(),
        }
    }
}

/// Where a diagnostic comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DiagnosticRole {
    /// From elaborating the document, or from failing to set it up.
    Elaboration,
    /// Lake's own output while it prepares the imports; it goes away by itself.
    Setup,
    /// An import was changed after the document had loaded it, or has not been built.
    StaleImports,
}

fn severity_of(severity: Option<u8>) -> Severity {
    match severity {
        Some(1) => Severity::Error,
        Some(2) => Severity::Warning,
        Some(3) => Severity::Information,
        Some(4) => Severity::Hint,
        _ => Severity::Unknown,
    }
}

fn tag_of(tag: u8) -> DiagnosticTag {
    match tag {
        1 => DiagnosticTag::UnsolvedGoals,
        2 => DiagnosticTag::GoalsAccomplished,
        _ => DiagnosticTag::Unknown,
    }
}

fn position_of(position: LspPosition) -> Position {
    Position::new(position.line, position.character)
}

/// A range of Lean's in our type, still by Lean's count of lines.
pub(crate) fn range_of(range: LspRange) -> Range {
    Range::new(position_of(range.start), position_of(range.end))
}

/// What of a document is still being worked on. Nothing, when `processing` is empty.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FileProgress {
    pub(crate) text_document: ProgressDocument,
    pub(crate) processing: Vec<ProgressInfo>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ProgressDocument {
    pub(crate) uri: String,
    pub(crate) version: Option<i64>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ProgressInfo {
    pub(crate) range: LspRange,
    /// Absent in old versions, which know processing only.
    #[serde(default)]
    pub(crate) kind: ProgressKind,
}

/// Whether a range is being worked on or was given up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "u8")]
pub(crate) enum ProgressKind {
    /// Being worked on.
    #[default]
    Processing,
    /// Given up: the header failed or the worker died.
    Fatal,
}

impl From<u8> for ProgressKind {
    fn from(kind: u8) -> Self {
        if kind == 2 {
            Self::Fatal
        } else {
            Self::Processing
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagnostic_keeps_what_the_standard_does_not_know() {
        let json = r#"{"fullRange":{"start":{"line":5,"character":45},"end":{"line":7,"character":12}},"leanTags":[1],
            "message":"unsolved goals","range":{"start":{"line":5,"character":45},"end":{"line":6,"character":0}},"severity":1,"source":"Lean 4"}"#;
        let diagnostic = serde_json::from_str::<LeanDiagnostic>(json)
            .unwrap()
            .into_diagnostic();
        assert_eq!(diagnostic.full_range.unwrap().end, Position::new(7, 12));
        assert_eq!(diagnostic.tags, [DiagnosticTag::UnsolvedGoals]);
        assert_eq!(diagnostic.severity, Severity::Error);
    }

    #[test]
    fn what_later_versions_may_send_is_read_with_care() {
        let json = r#"{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"message":"m","severity":9,"leanTags":[7],"code":12,"new":[]}"#;
        let diagnostic = serde_json::from_str::<LeanDiagnostic>(json)
            .unwrap()
            .into_diagnostic();
        assert_eq!(diagnostic.severity, Severity::Unknown);
        assert_eq!(diagnostic.tags, [DiagnosticTag::Unknown]);
        assert_eq!(diagnostic.code.as_deref(), Some("12"));
        assert_eq!(diagnostic.full_range, None);
    }

    #[test]
    fn a_whole_text_change_has_no_range() {
        let json = serde_json::to_value(DidChange::new("file:///a", 3, None, "x")).unwrap();
        assert_eq!(json["contentChanges"], json!([{ "text": "x" }]));
    }
}
