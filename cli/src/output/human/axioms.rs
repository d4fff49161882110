//! The axioms of a declaration.

use lean_beam_proto::op::CheckAxiomsResult;

use super::style::{BAD, CARE, GOOD, STRONG, styled};

/// The axioms that ordinary mathematics in Lean rests on.
const STANDARD: [&str; 3] = ["propext", "Classical.choice", "Quot.sound"];
/// The axiom behind `sorry`.
const SORRY: &str = "sorryAx";

/// A verdict, then the axioms, those to look at in color.
pub(crate) fn axioms(result: &CheckAxiomsResult) -> String {
    let (mark, words) = match result {
        _ if result.uses_sorry => (
            styled(BAD, "✗"),
            "rests on `sorry`: something is not proved",
        ),
        _ if result.axioms.is_empty() => (styled(GOOD, "✓"), "rests on no axioms"),
        _ if result.standard_only => (styled(GOOD, "✓"), "rests on standard axioms only"),
        _ => (
            styled(CARE, "⚠"),
            "rests on other axioms than the standard ones",
        ),
    };
    let mut text = format!("{mark} {} {words}\n", styled(STRONG, &result.name));
    for axiom in &result.axioms {
        text.push_str(&format!("  {}\n", colored(axiom)));
    }
    text
}

fn colored(axiom: &str) -> String {
    match axiom {
        SORRY => styled(BAD, axiom),
        _ if STANDARD.contains(&axiom) => axiom.to_owned(),
        _ => styled(CARE, axiom),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(axioms: &[&str]) -> String {
        let result = CheckAxiomsResult {
            name: "foo".to_owned(),
            axioms: axioms.iter().map(|name| (*name).to_owned()).collect(),
            uses_sorry: axioms.contains(&SORRY),
            standard_only: axioms.iter().all(|name| STANDARD.contains(name)),
        };
        anstream::adapter::strip_str(&self::axioms(&result)).to_string()
    }

    #[test]
    fn only_what_is_proved_from_known_axioms_has_a_tick() {
        assert_eq!(shown(&[]), "✓ foo rests on no axioms\n");
        assert_eq!(
            shown(&["propext", "Quot.sound"]),
            "✓ foo rests on standard axioms only\n  propext\n  Quot.sound\n"
        );
        assert!(shown(&["propext", "mine"]).starts_with("⚠ foo rests on other axioms"));
        assert!(shown(&["mine", "sorryAx"]).starts_with("✗ foo rests on `sorry`"));
    }
}
