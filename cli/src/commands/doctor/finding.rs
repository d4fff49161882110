//! What a check says.

use serde::Serialize;
use serde_json::Value;

/// How a check went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum State {
    /// As it should be.
    Ok,
    /// Worth knowing; nothing to do.
    Note,
    /// It works, but not as well as it could.
    Warning,
    /// It does not work.
    Problem,
}

/// What one check found, and what to do about it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Finding {
    /// Which check.
    pub(crate) check: &'static str,
    /// How it went.
    pub(crate) state: State,
    /// What was found, one sentence.
    pub(crate) message: String,
    /// What to do, where there is something to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) remedy: Option<String>,
    /// The remedy as one line for a shell, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) run: Option<String>,
    /// Facts for programs; the fields depend on the check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<Value>,
}

impl Finding {
    /// All is well.
    pub(crate) fn ok(check: &'static str, message: impl Into<String>) -> Self {
        Self::new(check, State::Ok, message.into())
    }

    /// Worth knowing.
    pub(crate) fn note(check: &'static str, message: impl Into<String>) -> Self {
        Self::new(check, State::Note, message.into())
    }

    /// It works, but not well.
    pub(crate) fn warning(check: &'static str, message: impl Into<String>) -> Self {
        Self::new(check, State::Warning, message.into())
    }

    /// It does not work.
    pub(crate) fn problem(check: &'static str, message: impl Into<String>) -> Self {
        Self::new(check, State::Problem, message.into())
    }

    /// The same with advice.
    #[must_use]
    pub(crate) fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }

    /// The same with a line for a shell that follows the advice.
    #[must_use]
    pub(crate) fn run(mut self, line: impl Into<String>) -> Self {
        self.run = Some(line.into());
        self
    }

    /// The same with facts for programs.
    #[must_use]
    pub(crate) fn data(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }

    fn new(check: &'static str, state: State, message: String) -> Self {
        Self {
            check,
            state,
            message,
            remedy: None,
            run: None,
            data: None,
        }
    }
}

/// All findings, for programs.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// False when there is a problem.
    pub(crate) healthy: bool,
    /// How many problems there are.
    pub(crate) problems: usize,
    /// How many warnings there are.
    pub(crate) warnings: usize,
    /// In the order in which they were looked for.
    pub(crate) findings: Vec<Finding>,
}

impl Report {
    /// Counts what was found.
    pub(crate) fn of(findings: Vec<Finding>) -> Self {
        let count = |state| {
            let of_state = findings.iter().filter(|finding| finding.state == state);
            of_state.count()
        };
        let (problems, warnings) = (count(State::Problem), count(State::Warning));
        Self {
            healthy: problems == 0,
            problems,
            warnings,
            findings,
        }
    }
}
