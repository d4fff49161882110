//! Runs of a text that changes nothing: what the place itself says.

use std::{sync::Arc, time::Duration};

use lean_beam_proto::{
    BeamResult,
    text::{Diagnostic, Severity},
};

use super::{
    lane::{RunOutcome, RunReport},
    probes::{Probes, RunRequest, outcome_error},
    splice::Splice,
    verdict::is_unsolved_goals,
};
use crate::text::DocumentText;

/// A text that changes nothing.
pub(super) const NOTHING: &str = "skip";
/// How long the declaration up to a place may take before the place is refused.
pub(super) const BASELINE_LIMIT: Duration = Duration::from_secs(60);

/// What Lean says about a probe document; `None` when that takes longer than `limit`.
///
/// # Errors
/// What kept Lean from answering.
pub(super) async fn run_baseline(
    probes: &Probes,
    uri: &str,
    display: &str,
    splice: &Splice,
    limit: Duration,
) -> BeamResult<Option<RunReport>> {
    let request = RunRequest {
        text: Arc::new(DocumentText::new(splice.text.as_str())),
        sentinel: splice.sentinel(),
        limit: Some(limit),
        base: Arc::new(DocumentText::new(declarations_before(splice))),
        // The declaration may take long. Who asks again goes on waiting for it.
        lasting: true,
    };
    match probes.submit(uri, request).await {
        RunOutcome::Ran(report) => Ok(Some(report)),
        RunOutcome::Timeout => Ok(None),
        outcome => Err(outcome_error(display, outcome)),
    }
}

/// How a baseline compares with what Lean shows.
#[derive(Debug)]
pub(super) enum Fit {
    /// The last step ran without an error, and the state after it is the one.
    Yes,
    /// The state is the one, but Lean does not get there. The last error before it.
    Unreached(Option<Diagnostic>),
    No,
}

impl Fit {
    /// Compares with the state `wanted`, as Lean prints it.
    pub(super) fn of(report: &RunReport, splice: &Splice, wanted: &str) -> Self {
        let is_wanted = report
            .state
            .as_ref()
            .is_some_and(|state| comparable(&state.rendered) == comparable(wanted));
        let mut errors = report
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == Severity::Error);
        let is_own = |error: &&Diagnostic| splice.in_last_step(error.range.start);
        if !is_wanted || errors.clone().any(|error| is_own(&error)) {
            return Self::No;
        }
        if splice.sentinel_ran(&report.diagnostics) {
            return Self::Yes;
        }
        let is_before = |error: &&Diagnostic| {
            error.range.start < splice.last_step().start && !is_unsolved_goals(error)
        };
        Self::Unreached(errors.rfind(is_before).cloned())
    }

    pub(super) fn is_yes(&self) -> bool {
        matches!(self, Self::Yes)
    }
}

/// The probe document up to the command that it ends in: what comes before takes as long as it takes.
fn declarations_before(splice: &Splice) -> &str {
    let text = &splice.text;
    let mut starts = text.match_indices('\n').map(|(end, _)| end + 1);
    let is_command = |start: &usize| {
        text[*start..]
            .starts_with(|first: char| first.is_alphabetic() || matches!(first, '@' | '/' | '#'))
    };
    starts.rfind(is_command).map_or("", |start| &text[..start])
}

/// Numbers of metavariables differ from run to run.
fn comparable(rendered: &str) -> String {
    let mut result = String::with_capacity(rendered.len());
    let mut rest = rendered;
    while let Some(start) = rest.find("?m.").or_else(|| rest.find("?u.")) {
        let digits = rest[start + 3..]
            .chars()
            .take_while(|character| character.is_ascii_digit() || *character == '.')
            .count();
        result.push_str(&rest[..start + 3]);
        rest = &rest[start + 3 + digits..];
    }
    result.push_str(rest);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_compared_without_the_numbers_of_metavariables() {
        assert_eq!(
            comparable("⊢ ?m.123 = ?m.4.5"),
            comparable("⊢ ?m.9 = ?m.77")
        );
        assert_ne!(comparable("⊢ ?m.1 = a"), comparable("⊢ ?m.1 = b"));
        assert_eq!(comparable("no goals"), "no goals");
    }
}
