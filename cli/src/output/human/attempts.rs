//! What came of several texts that were tried.

use std::time::Duration;

use lean_beam_proto::{
    op::{ProofStatus, TryItem, TryResult, TryStatus},
    text::Severity,
};

use super::{
    diagnostics::first_line,
    goals, run, shortened,
    style::{BAD, CARE, DIM, GOOD, STRONG, styled},
    table,
    words::{counted, duration, millis},
};

/// How much of a candidate is shown.
const CANDIDATE_WIDTH: usize = 40;
/// How much of a message is shown.
const MESSAGE_WIDTH: usize = 80;

/// A line for each candidate, then the best one with the goals that it leaves. Candidates are counted from
/// one.
pub(crate) fn attempts(
    result: &TryResult,
    candidates: &[String],
    place: &str,
    elapsed: Duration,
) -> String {
    let row = |item: &TryItem| {
        let is_best = result.first_success == Some(item.index);
        let text = candidates.get(item.index).map_or("", String::as_str);
        row(item, text, is_best)
    };
    let rows: Vec<_> = result.items.iter().map(row).collect();
    let best = result
        .items
        .iter()
        .find(|item| result.first_success == Some(item.index));
    let tried = match (result.items.len(), candidates.len()) {
        (tried, all) if tried < all => format!("{tried} of {all} tried"),
        (tried, _) => format!("{tried} tried"),
    };
    format!(
        "{}\n{} {}: {} {}\n{}",
        table(&rows),
        best.map_or_else(|| styled(BAD, "✗"), |item| run::mark(true, item.uses_sorry)),
        styled(STRONG, place),
        best.map_or_else(|| styled(BAD, "no candidate works"), verdict),
        styled(DIM, format!("({tried}, {})", duration(elapsed))),
        best.map_or_else(String::new, goals_left),
    )
}

fn row(item: &TryItem, text: &str, is_best: bool) -> Vec<String> {
    let mark = if is_best {
        styled(GOOD, "▸")
    } else {
        " ".to_owned()
    };
    let text = shortened(text, CANDIDATE_WIDTH);
    vec![
        format!("{mark} {}", item.index + 1),
        status(item),
        millis(item.elapsed_ms),
        if is_best { styled(STRONG, text) } else { text },
        outcome(item),
    ]
}

fn status(item: &TryItem) -> String {
    let mark = run::mark(works(item), item.uses_sorry);
    format!("{mark} {}", item.status.name())
}

fn works(item: &TryItem) -> bool {
    matches!(item.status, TryStatus::Ok | TryStatus::Closed)
}

/// What a candidate leads to, or the first line of what is wrong with it.
fn outcome(item: &TryItem) -> String {
    if works(item) {
        return run::success(item.proof_state.as_ref(), item.uses_sorry);
    }
    let error = item
        .messages
        .iter()
        .find(|message| message.severity == Severity::Error)
        .map_or("", |message| first_line(&message.text).0);
    shortened(error, MESSAGE_WIDTH)
}

fn verdict(best: &TryItem) -> String {
    let number = best.index + 1;
    let left = best
        .proof_state
        .as_ref()
        .map_or(0, |state| state.goals.len());
    match (best.status, best.uses_sorry) {
        (TryStatus::Closed, false) => {
            styled(GOOD, format!("candidate {number} accomplishes the goals"))
        }
        (TryStatus::Closed, true) => styled(
            CARE,
            format!("candidate {number} accomplishes the goals, but with `sorry`"),
        ),
        _ if left > 0 => format!("candidate {number} works, {} left", counted(left, "goal")),
        _ => format!("candidate {number} works"),
    }
}

fn goals_left(best: &TryItem) -> String {
    match &best.proof_state {
        Some(state) if state.status == ProofStatus::Open => {
            format!("\n{}", goals::goal_text(&state.rendered))
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use lean_beam_proto::{
        op::{Goal, ProofState, RunMessage},
        text::{Position, Range},
    };

    use super::*;

    fn item(index: usize, status: TryStatus, goals: &[&str]) -> TryItem {
        let state = match status {
            TryStatus::Ok | TryStatus::Closed | TryStatus::Failed => Some(ProofState::of_goals(
                vec![Goal::default(); goals.len()],
                goals.join("\n\n"),
            )),
            _ => None,
        };
        let nowhere = Range::new(Position::new(0, 0), Position::new(0, 0));
        let messages = match status {
            TryStatus::Ok | TryStatus::Closed => Vec::new(),
            _ => vec![RunMessage {
                severity: Severity::Error,
                text: format!("{status:?} for a reason\nwith details"),
                range: nowhere,
            }],
        };
        TryItem {
            index,
            status,
            messages,
            proof_state: state,
            elapsed_ms: 7,
            uses_sorry: false,
        }
    }

    fn shown(items: Vec<TryItem>, first_success: Option<usize>, candidates: &[&str]) -> String {
        let result = TryResult {
            items,
            first_success,
        };
        let candidates: Vec<_> = candidates.iter().map(|text| (*text).to_owned()).collect();
        let text = attempts(
            &result,
            &candidates,
            "A.lean:4:5",
            Duration::from_millis(40),
        );
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn each_candidate_has_a_line_and_the_best_one_is_marked() {
        let mut sorry = item(2, TryStatus::Closed, &[]);
        sorry.uses_sorry = true;
        insta::assert_snapshot!(shown(
            vec![
                item(0, TryStatus::Failed, &["⊢ p"]),
                item(1, TryStatus::Ok, &["⊢ p", "⊢ q"]),
                sorry,
                item(3, TryStatus::Closed, &[]),
                item(4, TryStatus::Timeout, &[]),
                item(5, TryStatus::Crashed, &[]),
                item(6, TryStatus::Escaped, &[]),
            ],
            Some(3),
            &[
                "rfl",
                "constructor\n· skip",
                "sorry",
                "exact ⟨h.right, h.left⟩",
                "decide",
                "omega",
                "exact (h"
            ],
        ));
    }

    #[test]
    fn what_the_best_one_leaves_is_shown() {
        let text = shown(
            vec![item(0, TryStatus::Ok, &["case a\n⊢ p"])],
            Some(0),
            &["intro", "x"],
        );
        let end =
            "\n✓ A.lean:4:5: candidate 1 works, 1 goal left (1 of 2 tried, 40 ms)\n\ncase a\n⊢ p\n";
        assert!(text.ends_with(end), "{text}");
    }

    #[test]
    fn that_none_works_is_said() {
        let text = shown(vec![item(0, TryStatus::Failed, &["⊢ p"])], None, &["rfl"]);
        assert!(
            text.ends_with("\n✗ A.lean:4:5: no candidate works (1 tried, 40 ms)\n"),
            "{text}"
        );
    }
}
