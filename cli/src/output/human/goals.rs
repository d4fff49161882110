//! Goals as Lean prints them, colored as in an editor's view of the proof.
//!
//! Lean's own layout is kept to the letter; only colors are added, line by line: names of hypotheses, the
//! turnstile, names of cases.

use lean_beam_proto::op::{GoalMode, GoalsResult, ProofStatus, TermGoalResult};

use super::{
    Subject,
    style::{CARE, CODE, DIM, GOOD, NAME, STRONG, TURNSTILE, styled},
    words::counted,
};

/// What stands before a target: in proofs, and in conversion mode.
const PREFIXES: [&str; 2] = ["⊢", "|"];
/// What Lean adds to a name that cannot be written.
const DAGGER: char = '✝';

/// `Main.lean:3:5 before exact h`, then the goals there.
pub(crate) fn goals(result: &GoalsResult, mode: GoalMode, subject: Subject<'_>) -> String {
    let side = match mode {
        GoalMode::Before => "before",
        GoalMode::After => "after",
    };
    let place = match result.basis {
        Some(basis) => {
            let place = styled(STRONG, subject.place(basis.start));
            let tactic = subject
                .excerpt(basis)
                .unwrap_or_else(|| "the tactic".to_owned());
            format!("{place} {side} {}\n", styled(CODE, tactic))
        }
        None => format!("{}\n", styled(STRONG, subject.asked)),
    };
    place + &standing(result)
}

/// `Main.lean:3:9 f x`, then what is known there and what type is expected.
pub(crate) fn term_goal(result: &TermGoalResult, subject: Subject<'_>) -> String {
    let (Some(_), Some(range)) = (&result.goal, result.range) else {
        return format!("no term stands at {}\n", subject.asked);
    };
    let term = subject.excerpt(range).unwrap_or_default();
    format!(
        "{} {}\n{}",
        styled(STRONG, subject.place(range.start)),
        styled(CODE, term),
        goal_text(&result.rendered)
    )
}

/// How the proof stands: the goals, or why there are none.
fn standing(result: &GoalsResult) -> String {
    let words = match result.status {
        ProofStatus::Open => {
            let number = styled(STRONG, counted(result.goals.len(), "goal"));
            return format!("{number}\n{}", goal_text(&result.rendered));
        }
        ProofStatus::Solved => styled(GOOD, "✓ goals accomplished"),
        ProofStatus::None => styled(DIM, "no proof here"),
        ProofStatus::Failed => return failed(result),
        ProofStatus::Unknown => styled(DIM, "a state that this client does not know"),
    };
    words + "\n"
}

/// There is no state after a tactic that failed; Lean goes on all the same, as if it had closed its goal.
fn failed(result: &GoalsResult) -> String {
    let words = styled(CARE, "the tactic failed, so there is no state after it");
    if result.goals.is_empty() {
        return words + "\n";
    }
    let title = styled(DIM, "Lean goes on with:");
    format!("{words}\n{title}\n{}", goal_text(&result.rendered))
}

/// Goals that Lean has printed, with their colors.
pub(crate) fn goal_text(rendered: &str) -> String {
    let mut in_target = false;
    let mut text = String::new();
    for line in rendered.trim_end().lines() {
        in_target = !line.is_empty() && (in_target || has_turnstile(line));
        text.push_str(&match line {
            _ if in_target => highlighted(line),
            _ if line.starts_with("case ") => styled(STRONG, line),
            _ => hypothesis(line),
        });
        text.push('\n');
    }
    text
}

/// A line of Lean's with its turnstile colored, where it begins with one.
pub(super) fn highlighted(line: &str) -> String {
    let rest = line.trim_start();
    let margin = &line[..line.len() - rest.len()];
    for prefix in PREFIXES {
        if let Some(target) = rest.strip_prefix(prefix)
            && target.starts_with(' ')
        {
            return format!("{margin}{}{target}", styled(TURNSTILE, prefix));
        }
    }
    line.to_owned()
}

fn has_turnstile(line: &str) -> bool {
    PREFIXES
        .iter()
        .filter_map(|prefix| line.strip_prefix(prefix))
        .any(|target| target.starts_with(' '))
}

/// `x y : T` with its names colored. A line that is indented goes on with a type.
fn hypothesis(line: &str) -> String {
    match line.split_once(" :") {
        Some((names, rest)) if !line.starts_with(' ') => {
            let names: Vec<_> = names.split(' ').map(name).collect();
            format!("{} :{rest}", names.join(" "))
        }
        _ => line.to_owned(),
    }
}

fn name(name: &str) -> String {
    let style = if name.contains(DAGGER) { DIM } else { NAME };
    styled(style, name)
}

#[cfg(test)]
mod tests {
    use lean_beam_proto::{
        op::Goal,
        text::{Position, Range},
    };

    use super::*;
    use crate::source::Source;

    const RENDERED: &str = "case left.inr\np q : Prop\nx✝ : Nat\nh : ∀ (n : Nat),\n  n = n\nk : Nat := 3\n⊢ p ∧\n    q : Prop\n\ncase right\n| a | b";

    fn shown(status: ProofStatus, mode: GoalMode, basis: Option<Range>) -> String {
        let result = GoalsResult {
            version: 1,
            status,
            goals: vec![Goal::default()],
            rendered: "p : Prop\n⊢ p".to_owned(),
            basis,
        };
        plain(&goals(&result, mode, subject(&source())))
    }

    fn source() -> Source {
        Source::new("example : p := by\n  exact foo\n    bar\n  rfl")
    }

    fn subject(source: &Source) -> Subject<'_> {
        Subject {
            path: "A.lean",
            asked: "A.lean:2:9",
            source: Some(source),
        }
    }

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    fn range(from: (u32, u32), to: (u32, u32)) -> Range {
        Range::new(Position::new(from.0, from.1), Position::new(to.0, to.1))
    }

    #[test]
    fn colors_change_nothing_about_what_lean_prints() {
        let shown = plain(&goal_text(RENDERED));
        assert_eq!(shown, format!("{RENDERED}\n"));
    }

    #[test]
    fn names_turnstiles_and_cases_are_colored_and_types_are_not() {
        let shown = goal_text(RENDERED);
        let lines: Vec<_> = shown.lines().collect();
        assert_eq!(lines[0], styled(STRONG, "case left.inr"));
        assert_eq!(
            lines[1],
            format!("{} {} : Prop", styled(NAME, "p"), styled(NAME, "q"))
        );
        assert_eq!(lines[2], format!("{} : Nat", styled(DIM, "x✝")));
        assert_eq!(lines[4], "  n = n");
        assert_eq!(lines[5], format!("{} : Nat := 3", styled(NAME, "k")));
        assert_eq!(lines[6], format!("{} p ∧", styled(TURNSTILE, "⊢")));
        assert_eq!(lines[7], "    q : Prop", "the target goes on");
        assert_eq!(lines[9], styled(STRONG, "case right"));
        assert_eq!(lines[10], format!("{} a | b", styled(TURNSTILE, "|")));
    }

    #[test]
    fn goals_stand_below_the_tactic_that_they_are_about() {
        let basis = range((1, 2), (2, 7));
        assert_eq!(
            shown(ProofStatus::Open, GoalMode::Before, Some(basis)),
            "A.lean:2:3 before exact foo …\n1 goal\np : Prop\n⊢ p\n"
        );
        let basis = range((3, 2), (3, 5));
        assert_eq!(
            shown(ProofStatus::Solved, GoalMode::After, Some(basis)),
            "A.lean:4:3 after rfl\n✓ goals accomplished\n"
        );
        assert_eq!(
            shown(ProofStatus::Failed, GoalMode::After, Some(basis)),
            "A.lean:4:3 after rfl\nthe tactic failed, so there is no state after it\nLean goes on with:\np : Prop\n⊢ p\n"
        );
    }

    #[test]
    fn where_there_is_no_proof_it_is_said() {
        assert_eq!(
            shown(ProofStatus::None, GoalMode::Before, None),
            "A.lean:2:9\nno proof here\n"
        );
    }

    #[test]
    fn the_goal_of_a_term_stands_below_the_term() {
        let mut result = TermGoalResult {
            version: 1,
            goal: Some(Goal::default()),
            rendered: "p : Prop\n⊢ p".to_owned(),
            range: Some(range((1, 8), (1, 11))),
        };
        let source = source();
        assert_eq!(
            plain(&term_goal(&result, subject(&source))),
            "A.lean:2:9 foo\np : Prop\n⊢ p\n"
        );
        result.goal = None;
        let said = plain(&term_goal(&result, subject(&source)));
        assert_eq!(said, "no term stands at A.lean:2:9\n");
    }

    proptest::proptest! {
        #[test]
        fn whatever_lean_prints_is_shown(lines: Vec<String>) {
            // Control characters would be stripped as colors are.
            let clean = |line: &String| line.replace(|c: char| c.is_control(), "");
            let rendered: Vec<_> = lines.iter().map(clean).collect();
            let rendered = rendered.join("\n");
            let shown = plain(&goal_text(&rendered));
            proptest::prop_assert_eq!(shown.trim_end(), rendered.trim_end());
        }
    }
}
