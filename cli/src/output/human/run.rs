//! What came of a text that was run.

use std::time::Duration;

use lean_beam_proto::op::{ProofState, ProofStatus, RunResult};

use super::{
    diagnostics::{messages, traces},
    goals,
    style::{BAD, CARE, DIM, GOOD, STRONG, styled},
    words::{counted, duration},
};
use crate::source::Source;

/// What Lean says about the text, how the proof stands after it (or before it, when it failed), and the
/// handle. `text` is what it is called and the text itself, `place` where it ran.
pub(crate) fn run(
    result: &RunResult,
    text: (&str, &str),
    place: &str,
    elapsed: Duration,
) -> String {
    let (name, text) = text;
    let source = Source::new(text);
    let mut shown = messages(name, &source, &result.messages);
    shown.push_str(&traces(name, &source, &result.traces));
    shown.push_str(&summary(result, place, elapsed));
    shown.push_str(&open_goals(result));
    if let Some(handle) = &result.next_handle {
        shown.push_str(&format!("\n{} {handle}\n", styled(STRONG, "handle")));
    }
    shown
}

/// `✓ Main.lean:4:5: goals accomplished (12 ms)`
fn summary(result: &RunResult, place: &str, elapsed: Duration) -> String {
    format!(
        "{} {}: {} {}\n",
        mark(result.success, result.uses_sorry),
        styled(STRONG, place),
        outcome(result),
        styled(DIM, format!("({})", duration(elapsed))),
    )
}

/// A tick, a warning sign where nothing is proved really, or a cross.
pub(super) fn mark(success: bool, uses_sorry: bool) -> String {
    match (success, uses_sorry) {
        (true, false) => styled(GOOD, "✓"),
        (true, true) => styled(CARE, "⚠"),
        (false, _) => styled(BAD, "✗"),
    }
}

fn outcome(result: &RunResult) -> String {
    if result.success {
        success(result.proof_state.as_ref(), result.uses_sorry)
    } else {
        styled(BAD, "Lean refuses the text")
    }
}

/// What a text that Lean accepts leads to.
pub(super) fn success(state: Option<&ProofState>, uses_sorry: bool) -> String {
    let words = match state {
        Some(state) if state.status == ProofStatus::Open => {
            format!("{} left", counted(state.goals.len(), "goal"))
        }
        Some(state) if state.status == ProofStatus::Solved => "goals accomplished".to_owned(),
        _ => "no errors".to_owned(),
    };
    match (state, uses_sorry) {
        (_, true) => styled(CARE, format!("{words}, but with `sorry`")),
        (Some(state), false) if state.status == ProofStatus::Solved => styled(GOOD, words),
        _ => words,
    }
}

/// The goals, with a title where they are not what the text leads to.
fn open_goals(result: &RunResult) -> String {
    match &result.proof_state {
        Some(state) if state.status == ProofStatus::Open => {
            let title = if result.success {
                String::new()
            } else {
                format!("{}\n", styled(DIM, "the state before it:"))
            };
            format!("\n{title}{}", goals::goal_text(&state.rendered))
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use lean_beam_proto::{
        op::{Goal, RunMessage},
        text::{Position, Range, Severity},
    };

    use super::*;

    fn state(rendered: &[&str]) -> ProofState {
        let goals = vec![Goal::default(); rendered.len()];
        let rendered = match rendered {
            [] => "no goals".to_owned(),
            _ => rendered.join("\n\n"),
        };
        ProofState::of_goals(goals, rendered)
    }

    fn result(success: bool, proof_state: Option<ProofState>) -> RunResult {
        RunResult {
            success,
            messages: Vec::new(),
            traces: Vec::new(),
            proof_state,
            next_handle: None,
            uses_sorry: false,
        }
    }

    fn message(severity: Severity, at: (u32, u32, u32), text: &str) -> RunMessage {
        RunMessage {
            severity,
            text: text.to_owned(),
            range: Range::new(Position::new(at.0, at.1), Position::new(at.0, at.2)),
        }
    }

    fn shown(result: &RunResult, text: &str) -> String {
        let text = run(
            result,
            ("text", text),
            "A.lean:4:5",
            Duration::from_millis(12),
        );
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn a_text_that_closes_the_proof_is_one_line() {
        assert_eq!(
            shown(&result(true, Some(state(&[]))), "simp"),
            "✓ A.lean:4:5: goals accomplished (12 ms)\n"
        );
    }

    #[test]
    fn goals_follow_and_then_the_handle() {
        let mut result = result(true, Some(state(&["case a\n⊢ p", "case b\n⊢ q"])));
        result.next_handle = Some("h1-2".to_owned());
        assert_eq!(
            shown(&result, "constructor"),
            "✓ A.lean:4:5: 2 goals left (12 ms)\n\ncase a\n⊢ p\n\ncase b\n⊢ q\n\nhandle h1-2\n"
        );
    }

    #[test]
    fn a_refused_text_has_the_message_under_its_own_lines_and_the_state_before() {
        let mut result = result(false, Some(state(&["h : p\n⊢ q"])));
        let said = "Type mismatch\n  h\nhas type\n  p";
        result.messages = vec![message(Severity::Error, (1, 6, 7), said)];
        insta::assert_snapshot!(shown(&result, "intro x\nexact h"));
    }

    #[test]
    fn sorry_is_never_a_tick() {
        let mut closed = result(true, Some(state(&[])));
        closed.uses_sorry = true;
        let text = shown(&closed, "sorry");
        assert!(text.starts_with("⚠ "), "{text}");
        assert!(text.contains("with `sorry`"), "{text}");
        let mut command = result(true, None);
        command.uses_sorry = true;
        assert!(shown(&command, "example : 1 = 2 := sorry").starts_with("⚠ "));
    }

    #[test]
    fn commands_show_what_they_print_and_traces_stand_apart() {
        let mut result = result(true, None);
        result.messages = vec![message(Severity::Information, (0, 0, 6), "Nat : Type")];
        result.traces = vec![message(
            Severity::Information,
            (0, 7, 10),
            "[Meta] ✅️ Nat\n  [Meta] deeper",
        )];
        insta::assert_snapshot!(shown(&result, "#check Nat"));
    }
}
