//! The file of the demo and what is asked about it. All of it needs nothing but Lean's core.

/// The file.
pub(super) const FILE: &str = "Demo.lean";
/// It swaps the two sides, but proves the same one twice.
pub(super) const MISTAKEN: &str = "\
theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p := by
  constructor
  · exact h.right
  · exact h.right
";
/// The same with the other side last.
pub(super) const MENDED: &str = "\
theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p := by
  constructor
  · exact h.right
  · exact h.left
";
/// A file that imports the other one.
pub(super) const USER: &str = "Use.lean";
/// Without artifacts of the other file it cannot be judged.
pub(super) const USE: &str = "\
import Demo

example (a b : Prop) (h : a ∧ b) : b ∧ a := swap a b h
";
/// Zero-based line of the mistake.
pub(super) const LINE: u32 = 3;
/// What is asked about on that line.
pub(super) const ANCHOR: &str = "h.right";
/// Where other tactics are tried on that line.
pub(super) const TACTIC: &str = "exact";
/// What is tried instead of the mistake. One of them is right, one leaves work, one cheats.
pub(super) const CANDIDATES: [&str; 5] =
    ["assumption", "exact h", "cases h", "exact h.left", "sorry"];
/// Index of the right one.
pub(super) const RIGHT_CANDIDATE: usize = 3;
/// Zero-based line at which the proof begins, and the anchor of its first tactic.
pub(super) const FIRST_TACTIC: (u32, &str) = (1, "constructor");
/// A proof, each step of which goes on where the last one ended.
pub(super) const STEPS: [&str; 3] = ["constructor", "exact h.right", "exact h.left"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_anchor_stands_once_on_its_line() {
        let line = |number: u32| MISTAKEN.lines().nth(number as usize).unwrap();
        for (number, anchor) in [(LINE, ANCHOR), (LINE, TACTIC), FIRST_TACTIC] {
            assert_eq!(line(number).matches(anchor).count(), 1, "{anchor}");
        }
    }

    #[test]
    fn the_right_candidate_is_what_mends_the_proof() {
        let mended = MENDED.lines().nth(LINE as usize).unwrap();
        assert!(mended.ends_with(CANDIDATES[RIGHT_CANDIDATE]));
    }
}
