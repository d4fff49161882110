//! What a caller says about what went wrong. The shape is closed: an undeclared field is an error, so that a
//! misspelled `confidential` never passes for its absence.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::{BeamError, BeamResult, ErrorCode};

/// Longest title, in characters.
const TITLE_CHARACTERS: usize = 200;
/// Longest of the other texts, in characters.
const TEXT_CHARACTERS: usize = 20_000;
/// Longest tag, in characters.
const TAG_CHARACTERS: usize = 40;
/// Most tags.
const TAGS: usize = 16;
/// Most pieces of evidence.
const EVIDENCE: usize = 32;
/// Longest name of a piece of evidence.
const NAME_CHARACTERS: usize = 80;

/// A report as its author writes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FeedbackParams {
    /// What it is about, in one line.
    pub title: String,
    /// What went wrong, or what is missing.
    pub summary: String,
    /// The calls or commands that show it, step by step.
    pub reproduction: String,
    /// What should have happened.
    pub expected: String,
    /// What happened.
    pub actual: String,
    /// What sort of report it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// How bad it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// Whom or what it keeps from working.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub impact: Option<String>,
    /// What helps meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workaround: Option<String>,
    /// Words to sort reports by; 16 at most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The request in question, as an object. Left out of confidential reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Map<String, Value>>,
    /// The answer in question, as an object. Left out of confidential reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Map<String, Value>>,
    /// Texts and files that show the problem; 32 at most. Left out of confidential reports.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
    /// Whether the report is also written to disk, and how.
    #[serde(default)]
    pub bundle: BundleMode,
    /// Write the home directory as `~` and leave out the values of variables that hold secrets.
    #[serde(default = "yes")]
    pub redact: bool,
    /// For projects that are not public: nothing about the project or the daemon is collected, and
    /// payloads, evidence, paths and code blocks are left out.
    #[serde(default)]
    pub confidential: bool,
    /// Also return everything that was collected, not only its summary.
    #[serde(default)]
    pub include_collected: bool,
}

/// What sort of report it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Kind {
    /// Something does not do what it says.
    Bug,
    /// Something is hard to use.
    Ux,
    /// Something is slow, or takes too much memory.
    Perf,
    /// Something is documented badly or not at all.
    Docs,
    /// Something is unclear.
    Question,
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Severity {
    /// A blemish.
    Low,
    /// A nuisance with a way around it.
    Medium,
    /// It keeps somebody from working.
    High,
    /// It loses work, or says something false.
    Critical,
}

/// Whether a report is also written to disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum BundleMode {
    /// Nothing is written.
    #[default]
    None,
    /// A directory.
    Dir,
    /// One zip file.
    Zip,
}

/// A text or a file that shows the problem. It has either `content` or `path`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Evidence {
    /// A file name for it: letters, digits, `.`, `-` and `_`.
    pub name: String,
    /// The text itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// A file of the project, relative to its root or absolute, or the daemon's log or a crash record. Links,
    /// hidden files and everything elsewhere are refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

fn yes() -> bool {
    true
}

impl FeedbackParams {
    /// Reads a report. `confidential` makes it confidential whatever it says itself.
    ///
    /// # Errors
    /// `invalidInput` naming the field that is undeclared, missing, of the wrong type or impossible.
    pub fn from_json(json: &str, confidential: bool) -> BeamResult<Self> {
        let mut deserializer = serde_json::Deserializer::from_str(json);
        let read = serde_path_to_error::deserialize(&mut deserializer);
        let mut params: Self = read.map_err(|error| {
            let keeps_quiet = confidential || asks_for_confidence(json);
            let at = error.path().to_string();
            let reason = error.inner().to_string();
            misfit(&at, (!keeps_quiet).then_some(reason.as_str()))
        })?;
        deserializer
            .end()
            .map_err(|error| misfit(".", (!confidential).then_some(&error.to_string())))?;
        params.confidential |= confidential;
        params.check()?;
        Ok(params)
    }

    /// Checks what the types leave open.
    ///
    /// # Errors
    /// `invalidInput` naming the field that is empty, too long, or at odds with another one.
    pub fn check(&self) -> BeamResult<()> {
        self.check_texts()?;
        self.check_tags()?;
        if self.confidential && !self.redact {
            return Err(invalid(
                "redact",
                "cannot be false in a confidential report",
            ));
        }
        if self.evidence.len() > EVIDENCE {
            return Err(invalid(
                "evidence",
                &format!("has more than {EVIDENCE} pieces"),
            ));
        }
        let mut names = BTreeSet::new();
        for (index, evidence) in self.evidence.iter().enumerate() {
            evidence.check(index)?;
            if !names.insert(evidence.name.to_lowercase()) {
                return Err(invalid(
                    &format!("evidence[{index}].name"),
                    "is the name of another piece, too",
                ));
            }
        }
        Ok(())
    }

    fn check_texts(&self) -> BeamResult<()> {
        check_text("title", &self.title, TITLE_CHARACTERS)?;
        if self.title.contains(['\n', '\r']) {
            return Err(invalid("title", "has more than one line"));
        }
        let optional = |text: &'_ Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
        for (field, text) in [
            ("summary", &self.summary),
            ("reproduction", &self.reproduction),
            ("expected", &self.expected),
            ("actual", &self.actual),
            ("impact", &optional(&self.impact)),
            ("workaround", &optional(&self.workaround)),
        ] {
            check_text(field, text, TEXT_CHARACTERS)?;
        }
        Ok(())
    }

    fn check_tags(&self) -> BeamResult<()> {
        if self.tags.len() > TAGS {
            return Err(invalid("tags", &format!("has more than {TAGS}")));
        }
        for (index, tag) in self.tags.iter().enumerate() {
            let field = format!("tags[{index}]");
            check_text(&field, tag, TAG_CHARACTERS)?;
            if tag.chars().any(char::is_control) {
                return Err(invalid(&field, "has control characters"));
            }
        }
        Ok(())
    }
}

impl Evidence {
    fn check(&self, index: usize) -> BeamResult<()> {
        let field = |name: &str| format!("evidence[{index}].{name}");
        let is_plain = |character: char| {
            character.is_ascii_alphanumeric() || ['.', '-', '_'].contains(&character)
        };
        if self.name.is_empty()
            || self.name.starts_with('.')
            || self.name.len() > NAME_CHARACTERS
            || !self.name.chars().all(is_plain)
        {
            let fault = format!(
                "is no simple file name: up to {NAME_CHARACTERS} letters, digits, `.`, `-` and `_`, none of them a leading `.`"
            );
            return Err(invalid(&field("name"), &fault));
        }
        match (&self.content, &self.path) {
            (Some(_), None) | (None, Some(_)) => Ok(()),
            (Some(_), Some(_)) => Err(invalid(&field("path"), "stands beside `content`; give one")),
            (None, None) => Err(invalid(&field("content"), "is missing, and so is `path`")),
        }
    }
}

fn check_text(field: &str, text: &str, most: usize) -> BeamResult<()> {
    if text.trim().is_empty() {
        return Err(invalid(field, "is empty"));
    }
    if text.chars().count() > most {
        return Err(invalid(field, &format!("has more than {most} characters")));
    }
    Ok(())
}

/// `invalidInput` about one field.
pub(super) fn invalid(field: &str, fault: &str) -> BeamError {
    BeamError::new(ErrorCode::InvalidInput, format!("`{field}` {fault}"))
        .with_data(serde_json::json!({ "field": field }))
}

/// `invalidInput` about a field whose value does not fit. Without a reason nothing of the value is repeated.
fn misfit(at: &str, reason: Option<&str>) -> BeamError {
    let Some(reason) = reason else {
        return match at {
            "." => BeamError::new(
                ErrorCode::InvalidInput,
                "the report has another shape than wanted",
            ),
            field => invalid(field, "does not fit"),
        };
    };
    match at {
        "." => BeamError::new(
            ErrorCode::InvalidInput,
            format!("the report does not fit: {reason}"),
        ),
        field => invalid(field, &format!("does not fit: {reason}")),
    }
}

/// True for a report that says of itself that it is confidential, whatever is wrong with the rest of it.
pub fn asks_for_confidence(json: &str) -> bool {
    let value: Option<Value> = serde_json::from_str(json).ok();
    value.is_some_and(|value| value["confidential"] == true)
}
