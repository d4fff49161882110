//! Places in a text and what Lean said about them: the protocol's own types, not the language server's.

use serde::{Deserialize, Serialize};

/// A place in a document.
///
/// Both numbers are zero-based. `character` counts UTF-16 code units from the start of the line, as
/// in the Language Server Protocol. Lines end at `\n`, `\r\n` or `\r`, and at nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Position {
    /// Zero-based line.
    pub line: u32,
    /// Zero-based column in UTF-16 code units.
    pub character: u32,
}

impl Position {
    /// The position at `line` and `character`.
    pub const fn new(line: u32, character: u32) -> Self {
        Self { line, character }
    }
}

/// A half-open stretch of a document: `end` is the first position after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Range {
    /// First position inside.
    pub start: Position,
    /// First position after.
    pub end: Position,
}

impl Range {
    /// The range from `start` up to, not including, `end`.
    pub const fn new(start: Position, end: Position) -> Self {
        Self { start, end }
    }
}

/// How serious a diagnostic is. `Unknown` is for levels that a later Lean may add.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Severity {
    /// Lean refuses the code.
    Error,
    /// Lean accepts it with a complaint, such as a `sorry`.
    Warning,
    /// Output of commands such as `#check` and `#eval`.
    Information,
    /// A suggestion.
    Hint,
    /// None of the four, or not given.
    #[serde(other)]
    Unknown,
}

/// One message of Lean about a range of a document.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Diagnostic {
    /// Where it stands. Lean cuts a range of several lines to the start of the next line.
    pub range: Range,
    /// The whole range, present only where it differs from `range`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_range: Option<Range>,
    /// How serious it is.
    pub severity: Severity,
    /// Lean's text, several lines perhaps.
    pub message: String,
    /// Lean's name for the error, such as `lean.unknownIdentifier`, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// What kind of message it is beyond its severity, where Lean says so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<DiagnosticTag>,
}

/// Lean's own marks on a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum DiagnosticTag {
    /// The message lists goals that remain.
    UnsolvedGoals,
    /// A proof is complete. Such messages are silent and normally dropped.
    GoalsAccomplished,
    /// A mark that this version does not know.
    #[serde(other)]
    Unknown,
}

/// How many diagnostics of each severity a document version has. Always complete, whatever is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiagnosticCounts {
    /// Errors.
    pub error: usize,
    /// Warnings.
    pub warning: usize,
    /// Information messages.
    pub information: usize,
    /// Hints.
    pub hint: usize,
    /// Messages of no known severity.
    pub unknown: usize,
    /// All of them.
    pub total: usize,
}

impl DiagnosticCounts {
    /// Counts what `severities` yields.
    ///
    /// ```
    /// use lean_beam_proto::text::{DiagnosticCounts, Severity};
    /// let counts = DiagnosticCounts::of([Severity::Error, Severity::Hint, Severity::Error]);
    /// assert_eq!((counts.error, counts.hint, counts.total), (2, 1, 3));
    /// ```
    pub fn of(severities: impl IntoIterator<Item = Severity>) -> Self {
        let mut counts = Self::default();
        for severity in severities {
            *counts.slot(severity) += 1;
            counts.total += 1;
        }
        counts
    }

    fn slot(&mut self, severity: Severity) -> &mut usize {
        match severity {
            Severity::Error => &mut self.error,
            Severity::Warning => &mut self.warning,
            Severity::Information => &mut self.information,
            Severity::Hint => &mut self.hint,
            Severity::Unknown => &mut self.unknown,
        }
    }
}
