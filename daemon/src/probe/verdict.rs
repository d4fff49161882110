//! From what Lean said about a probe document to what is to be said about the text in it. Pure.

use std::collections::HashMap;

use lean_beam_proto::{
    op::{RunMessage, TryStatus},
    text::{Diagnostic, DiagnosticTag, Position, Range, Severity},
};

use super::{lane::RunReport, splice::Splice};
use crate::goals::GoalState;

/// Errors that a probe document has without the text: the file is cut off after it, so goals are left, cases
/// are missing, brackets stay open.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Noise {
    counts: HashMap<String, usize>,
    /// Nothing outside of the text matters.
    everything: bool,
}

/// What is to be said about a text.
#[derive(Debug, Clone)]
pub(crate) struct Verdict {
    pub(crate) status: TryStatus,
    pub(crate) messages: Vec<RunMessage>,
    pub(crate) traces: Vec<RunMessage>,
    /// The state after the text, when it succeeded in a proof.
    pub(crate) state: Option<GoalState>,
    /// It failed without an error of its own: what is cut off behind it may be the reason.
    pub(crate) is_unexplained: bool,
}

impl Verdict {
    /// No error belongs to the text.
    pub(crate) fn is_success(&self) -> bool {
        matches!(self.status, TryStatus::Ok | TryStatus::Closed)
    }
}

impl Noise {
    /// For a text that does not depend on what is wrong elsewhere in the file.
    pub(crate) fn everything() -> Self {
        Self {
            everything: true,
            ..Self::default()
        }
    }

    /// The noise of a baseline: its errors outside the last step.
    pub(crate) fn of_baseline(report: &RunReport, splice: &Splice) -> Self {
        let mut noise = Self::default();
        for error in errors_outside(report, splice) {
            *noise.counts.entry(key(error)).or_default() += 1;
        }
        noise
    }

    /// The errors outside the last step that the baseline does not have.
    fn new_errors<'a>(&self, report: &'a RunReport, splice: &Splice) -> Vec<&'a Diagnostic> {
        if self.everything {
            return Vec::new();
        }
        let mut left = self.counts.clone();
        let is_new = |error: &&Diagnostic| match left.get_mut(&key(error)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        };
        errors_outside(report, splice).filter(is_new).collect()
    }
}

fn errors_outside<'a>(
    report: &'a RunReport,
    splice: &Splice,
) -> impl Iterator<Item = &'a Diagnostic> {
    let is_outside = |error: &&Diagnostic| {
        error.severity == Severity::Error
            && !splice.in_last_step(error.range.start)
            && !is_unsolved_goals(error)
    };
    report.diagnostics.iter().filter(is_outside)
}

/// Goals that are left at the end of the cut-off file are what the text is for.
pub(super) fn is_unsolved_goals(error: &Diagnostic) -> bool {
    error.tags.contains(&DiagnosticTag::UnsolvedGoals)
}

/// What makes two errors of different runs the same: their first line. Later lines show goals, which the text
/// changes, and places move with its length.
fn key(error: &Diagnostic) -> String {
    error.message.lines().next().unwrap_or_default().to_owned()
}

/// The verdict on the last step of `splice` in a proof.
pub(crate) fn judge_tactics(report: RunReport, splice: &Splice, noise: &Noise) -> Verdict {
    let (mut messages, traces) = belonging(&report, splice);
    let failed = messages
        .iter()
        .any(|message| message.severity == Severity::Error);
    let new_errors = outside_messages(&noise.new_errors(&report, splice), splice);
    // Where a declaration has an error already, Lean may give a text up without a word, and shows the state
    // of something around the sentinel.
    let silent = !splice.sentinel_ran(&report.diagnostics);
    let status = match &report.state {
        _ if failed => TryStatus::Failed,
        None => TryStatus::Escaped,
        Some(_) if !new_errors.is_empty() => TryStatus::Failed,
        Some(_) if silent => {
            messages.push(given_up(splice));
            TryStatus::Failed
        }
        Some(state) if state.goals.is_empty() => TryStatus::Closed,
        Some(_) => TryStatus::Ok,
    };
    let mut verdict = finish(status, messages, new_errors, traces, report.state);
    verdict.is_unexplained = verdict.status == TryStatus::Failed && !failed;
    verdict
}

/// The verdict on the last step of `splice` among commands.
pub(crate) fn judge_commands(report: &RunReport, splice: &Splice, noise: &Noise) -> Verdict {
    let (messages, traces) = belonging(report, splice);
    let failed = messages
        .iter()
        .any(|message| message.severity == Severity::Error);
    let new_errors = outside_messages(&noise.new_errors(report, splice), splice);
    let status = if failed || !new_errors.is_empty() {
        TryStatus::Failed
    } else {
        TryStatus::Ok
    };
    finish(status, messages, new_errors, traces, None)
}

fn finish(
    status: TryStatus,
    mut messages: Vec<RunMessage>,
    new_errors: Vec<RunMessage>,
    traces: Vec<RunMessage>,
    state: Option<GoalState>,
) -> Verdict {
    // What is wrong with the text itself explains the rest: the rest is told only where nothing is.
    if messages
        .iter()
        .all(|message| message.severity != Severity::Error)
        && !matches!(status, TryStatus::Ok | TryStatus::Closed)
    {
        messages.extend(new_errors);
    }
    let state = matches!(status, TryStatus::Ok | TryStatus::Closed)
        .then_some(state)
        .flatten();
    Verdict {
        status,
        messages,
        traces,
        state,
        is_unexplained: false,
    }
}

/// The messages that start in the last step, and the trace output among them, in document order.
fn belonging(report: &RunReport, splice: &Splice) -> (Vec<RunMessage>, Vec<RunMessage>) {
    let mut inside: Vec<&Diagnostic> = report
        .diagnostics
        .iter()
        .filter(|diagnostic| splice.in_last_step(diagnostic.range.start))
        .collect();
    inside.sort_by_key(|diagnostic| (diagnostic.range.start, diagnostic.range.end));
    let (traces, messages): (Vec<_>, Vec<_>) = inside
        .into_iter()
        .partition(|diagnostic| is_trace(diagnostic));
    let relative = |diagnostics: Vec<&Diagnostic>| {
        diagnostics
            .into_iter()
            .map(|diagnostic| message(diagnostic, splice))
            .collect()
    };
    (relative(messages), relative(traces))
}

fn given_up(splice: &Splice) -> RunMessage {
    RunMessage {
        severity: Severity::Error,
        text: "Lean gave this text up without saying why; an earlier error in the same declaration keeps it from telling".to_owned(),
        range: splice.relative(splice.last_step()),
    }
}

fn outside_messages(errors: &[&Diagnostic], splice: &Splice) -> Vec<RunMessage> {
    errors.iter().map(|error| message(error, splice)).collect()
}

fn message(diagnostic: &Diagnostic, splice: &Splice) -> RunMessage {
    RunMessage {
        severity: diagnostic.severity,
        text: in_terms_of_the_text(diagnostic, splice),
        range: splice.relative(diagnostic.full_range.unwrap_or(diagnostic.range)),
    }
}

/// Where Lean stumbles over the bracket that closes our block, the text has ended too early: nobody wrote
/// that bracket. It takes it for the start of a command only after it has read one.
fn in_terms_of_the_text(diagnostic: &Diagnostic, splice: &Splice) -> String {
    let end = splice.last_step().end;
    let bracket = Position::new(end.line, end.character.saturating_sub(1));
    match diagnostic.message.strip_prefix("unexpected token ')'") {
        Some("; expected command") if diagnostic.range.start == bracket => {
            "this text has commands, and they cannot stand in a proof: run them at a position between declarations".to_owned()
        }
        Some(rest) if diagnostic.range.start == bracket => format!("unexpected end of text{rest}"),
        _ => diagnostic.message.clone(),
    }
}

/// Lean puts the class in front of what a trace class prints: `[Meta.synthInstance] …`.
fn is_trace(diagnostic: &Diagnostic) -> bool {
    let class = diagnostic
        .message
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("] "));
    diagnostic.severity == Severity::Information
        && class.is_some_and(|(class, _)| {
            class
                .chars()
                .all(|character| character.is_alphanumeric() || matches!(character, '.' | '_'))
                && class.starts_with(char::is_alphabetic)
        })
}

/// The verdict on a text that would close the block that it is put into. Lean need not be asked.
pub(crate) fn escapes_at(range: Range) -> Verdict {
    let message = RunMessage {
        severity: Severity::Error,
        text: "this parenthesis closes something outside of the text".to_owned(),
        range,
    };
    Verdict {
        status: TryStatus::Escaped,
        messages: vec![message],
        traces: Vec::new(),
        state: None,
        is_unexplained: false,
    }
}

/// True when Lean's commands end before the end of the text (`#exit`).
pub(crate) fn stops_reading(verdict: &Verdict) -> Option<Position> {
    let exit = verdict
        .messages
        .iter()
        .find(|message| message.text.starts_with("using 'exit' to interrupt Lean"))?;
    Some(exit.range.start)
}
