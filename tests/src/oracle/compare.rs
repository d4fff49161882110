//! Holding what the daemon says about a text against what `lean` says.

use lean_beam_proto::{
    op::{Goal, ProofState, RunMessage, RunResult},
    text::Severity,
};

use super::truth::{Outcome, Truth};

/// What Lean prints where nothing is left to prove.
const NO_GOALS: &str = "no goals";

/// What the daemon says otherwise than `lean`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference(pub String);

/// Compares the result of a run with the truth about its text; `before` is the state without it, which is what
/// the daemon has to show when the text fails.
///
/// Of what Lean says about wrong syntax, only that it says something: the rest depends on what comes behind.
///
/// # Errors
/// The first difference.
pub fn compare(result: &RunResult, truth: &Truth, before: Option<&str>) -> Result<(), Difference> {
    let wanted = truth.outcome.is_success();
    if result.success != wanted {
        return different("success", &result.success, &truth.outcome);
    }
    let goals = match &truth.outcome {
        Outcome::Success(goals) => goals.as_deref(),
        _ => before,
    };
    compare_state(result.proof_state.as_ref(), goals)?;
    if truth.outcome == Outcome::ParseError {
        return has_an_error(result);
    }
    compare_messages(result, truth)
}

fn has_an_error(result: &RunResult) -> Result<(), Difference> {
    let is_error = |message: &RunMessage| message.severity == Severity::Error;
    if result.messages.iter().any(is_error) {
        Ok(())
    } else {
        different("messages", &result.messages, &"an error")
    }
}

fn compare_state(state: Option<&ProofState>, goals: Option<&str>) -> Result<(), Difference> {
    let wanted = goals.map(|goals| {
        if goals.trim().is_empty() {
            NO_GOALS.to_owned()
        } else {
            without_empty_lines(&comparable(goals))
        }
    });
    let found = state.map(|state| without_empty_lines(&comparable(&state.rendered)));
    if found != wanted {
        return different("goals", &found, &wanted);
    }
    let Some(state) = state else { return Ok(()) };
    let described: Vec<_> = state.goals.iter().map(printed).collect();
    let described = if described.is_empty() {
        NO_GOALS.to_owned()
    } else {
        described.join("\n\n")
    };
    // Breaking and indenting long lines is up to whoever prints them.
    if words(&described) != words(&state.rendered) {
        return different("structured goals", &described, &state.rendered);
    }
    Ok(())
}

fn compare_messages(result: &RunResult, truth: &Truth) -> Result<(), Difference> {
    let mut found: Vec<_> = result.messages.iter().chain(&result.traces).collect();
    let mut wanted: Vec<_> = truth.messages.iter().collect();
    let key = |message: &&RunMessage| {
        (
            message.range.start,
            message.range.end,
            comparable(&message.text),
        )
    };
    found.sort_by_key(key);
    wanted.sort_by_key(key);
    let is_same = |(found, wanted): (&&RunMessage, &&RunMessage)| {
        (found.severity, key(found)) == (wanted.severity, key(wanted))
    };
    if found.len() != wanted.len() || !found.iter().zip(&wanted).all(is_same) {
        return different("messages", &found, &wanted);
    }
    Ok(())
}

fn different(
    what: &str,
    found: &impl std::fmt::Debug,
    wanted: &impl std::fmt::Debug,
) -> Result<(), Difference> {
    Err(Difference(format!(
        "{what}\n    lean-beam: {found:?}\n    lean:      {wanted:?}"
    )))
}

/// A goal as Lean prints it, from its parts.
fn printed(goal: &Goal) -> String {
    let mut lines = Vec::new();
    if let Some(name) = &goal.user_name {
        lines.push(format!("case {name}"));
    }
    for hypothesis in &goal.hyps {
        let names = hypothesis.names.join(" ");
        let value = hypothesis.value.as_ref();
        let value = value.map_or(String::new(), |value| format!(" := {value}"));
        lines.push(format!("{names} : {}{value}", hypothesis.type_));
    }
    lines.push(format!("{}{}", goal.goal_prefix, goal.target));
    lines.join("\n")
}

/// What a tactic prints that runs on several goals at once comes without empty lines in between.
fn without_empty_lines(text: &str) -> String {
    let lines: Vec<_> = text.lines().filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// The text without the numbers of metavariables, which differ from run to run.
fn comparable(text: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("?m.").or_else(|| rest.find("?u.")) {
        let (before, after) = rest.split_at(at + 3);
        result.push_str(before);
        rest = after
            .trim_start_matches(|character: char| character.is_ascii_digit() || character == '.');
    }
    result + rest
}

#[cfg(test)]
mod tests {
    use lean_beam_proto::{
        op::Hypothesis,
        text::{Position, Range},
    };

    use super::*;

    fn result(messages: Vec<RunMessage>) -> RunResult {
        let goal = Goal {
            goal_prefix: "⊢ ".to_owned(),
            target: "q ?m.12".to_owned(),
            hyps: vec![Hypothesis {
                names: vec!["a".to_owned(), "b".to_owned()],
                type_: "Nat".to_owned(),
                ..Hypothesis::default()
            }],
            ..Goal::default()
        };
        RunResult {
            success: true,
            messages,
            traces: Vec::new(),
            proof_state: Some(ProofState::of_goals(
                vec![goal],
                "a b : Nat\n⊢ q ?m.12".to_owned(),
            )),
            next_handle: None,
            uses_sorry: false,
        }
    }

    fn message(character: u32) -> RunMessage {
        let at = Position::new(0, character);
        RunMessage {
            severity: Severity::Warning,
            text: "careful".to_owned(),
            range: Range::new(at, at),
        }
    }

    #[test]
    fn every_kind_of_difference_is_noticed() {
        let truth = Truth {
            outcome: Outcome::Success(Some("a b : Nat\n⊢ q ?m.77".to_owned())),
            messages: vec![message(1)],
            excerpt: String::new(),
        };
        assert_eq!(compare(&result(vec![message(1)]), &truth, None), Ok(()));
        assert!(compare(&result(vec![message(2)]), &truth, None).is_err());
        assert!(compare(&result(vec![]), &truth, None).is_err());
        let mut other = truth.clone();
        other.outcome = Outcome::Success(Some(String::new()));
        assert!(compare(&result(vec![message(1)]), &other, None).is_err());
        other.outcome = Outcome::Failed;
        assert!(compare(&result(vec![message(1)]), &other, None).is_err());
        let mut crooked = result(vec![message(1)]);
        crooked.proof_state.as_mut().unwrap().goals[0].hyps.clear();
        assert!(compare(&crooked, &truth, None).is_err());
    }
}
