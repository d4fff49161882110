//! Goals as Lean prints them, colored as in an editor's view of the proof.
//!
//! Lean's own layout is kept to the letter; only colors are added, line by line: names of hypotheses, the
//! turnstile, names of cases.

use lean_beam_proto::op::{ProofState, ProofStatus};

use super::{
    style::{CARE, DIM, GOOD, NAME, STRONG, TURNSTILE, styled},
    words::counted,
};

/// What stands before a target: in proofs, and in conversion mode.
const PREFIXES: [&str; 2] = ["⊢", "|"];
/// What Lean adds to a name that cannot be written.
const DAGGER: char = '✝';

/// A proof state in full: how it stands, then its goals.
pub(crate) fn proof_state(state: &ProofState) -> String {
    match state.status {
        ProofStatus::Open => goals(state.goals.len(), &state.rendered),
        status => format!("{}\n", standing(status, 0)),
    }
}

/// `2 goals` above the goals themselves.
pub(crate) fn goals(number: usize, rendered: &str) -> String {
    format!(
        "{}\n{}",
        styled(STRONG, counted(number, "goal")),
        goal_text(rendered)
    )
}

/// How a proof stands, in a few words.
pub(crate) fn standing(status: ProofStatus, number: usize) -> String {
    match status {
        ProofStatus::Open => format!("{} left", counted(number, "goal")),
        ProofStatus::Solved => styled(GOOD, "✓ goals accomplished"),
        ProofStatus::None => styled(DIM, "no proof here"),
        ProofStatus::Failed => styled(CARE, "the tactic failed: there is no state after it"),
        ProofStatus::Unknown => styled(DIM, "a state that this client does not know"),
    }
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
    use super::*;

    const RENDERED: &str = "case left.inr\np q : Prop\nx✝ : Nat\nh : ∀ (n : Nat),\n  n = n\nk : Nat := 3\n⊢ p ∧\n    q : Prop\n\ncase right\n| a | b";

    fn state(status: ProofStatus, rendered: &str) -> ProofState {
        ProofState {
            status,
            goals: Vec::new(),
            rendered: rendered.to_owned(),
        }
    }

    #[test]
    fn colors_change_nothing_about_what_lean_prints() {
        let shown = anstream::adapter::strip_str(&goal_text(RENDERED)).to_string();
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
    fn every_way_to_stand_is_said() {
        for (status, said) in [
            (ProofStatus::Open, "0 goals\nx : Nat"),
            (ProofStatus::Solved, "✓ goals accomplished"),
            (ProofStatus::None, "no proof"),
            (ProofStatus::Failed, "failed"),
        ] {
            let text = proof_state(&state(status, "x : Nat\n⊢ x = x"));
            let text = anstream::adapter::strip_str(&text).to_string();
            assert!(text.starts_with(said) || text.contains(said), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn whatever_lean_prints_is_shown(lines: Vec<String>) {
            // Control characters would be stripped as colors are.
            let plain = |line: &String| line.replace(|c: char| c.is_control(), "");
            let rendered: Vec<_> = lines.iter().map(plain).collect();
            let rendered = rendered.join("\n");
            let shown = anstream::adapter::strip_str(&goal_text(&rendered)).to_string();
            proptest::prop_assert_eq!(shown.trim_end(), rendered.trim_end());
        }
    }
}
