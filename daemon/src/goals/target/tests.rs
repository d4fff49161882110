//! Positions and the tactics that they mean. The cursor is `‸`.

use proptest::prelude::*;

use super::*;

/// The text without the cursor, and where it was.
fn at_cursor(marked: &str) -> (String, usize) {
    let offset = marked.find('‸').unwrap();
    (marked.replace('‸', ""), offset)
}

fn basis(marked: &str) -> Option<String> {
    let (text, offset) = at_cursor(marked);
    target_at(&text, offset).map(|target| text[target.basis].to_owned())
}

/// The text after the spots where Lean is asked for the state after the target, to the end of the line.
fn after(marked: &str) -> (Vec<String>, Option<Closed>) {
    let (text, offset) = at_cursor(marked);
    let after = target_at(&text, offset).unwrap().after;
    let shown = |spot: &Spot| text[spot.offset..].lines().next().unwrap_or("").to_owned();
    (after.at.iter().map(shown).collect(), after.closes)
}

#[track_caller]
fn means(expected: &str, places: &[&str]) {
    for marked in places {
        assert_eq!(basis(marked).as_deref(), Some(expected), "{marked}");
    }
}

#[test]
fn inside_behind_and_in_front_of_a_tactic_is_that_tactic() {
    means(
        "intro h",
        &[
            "example : p := by\n  ‸intro h\n  exact h",
            "example : p := by\n  int‸ro h\n  exact h",
            "example : p := by\n  intro h‸\n  exact h",
            "example : p := by\n‸  intro h\n  exact h",
            "example : p := by\n  intro h -- why‸\n  exact h",
            "example : p := by\n  intro h\n‸\n  exact h",
            "example : p := by\n  intro h\n  -- exact‸\n  exact h",
        ],
    );
}

#[test]
fn one_line_blocks_are_cut_at_semicolons() {
    means(
        "left",
        &[
            "example : p := by ‸left; exact h",
            "example : p := by left‸; exact h",
            "example : p := by left;‸ exact h",
        ],
    );
    means(
        "exact h",
        &[
            "example : p := by left; ‸exact h",
            "example : p := by left; exact h‸",
        ],
    );
    means(
        "by left; exact h",
        &[
            "example : p := ‸by left; exact h",
            "example : p := by‸ left; exact h",
        ],
    );
}

#[test]
fn bullets_hold_their_tactics() {
    let lines = "example : p := by\n  constructor\n  · exact a\n    skip\n  · exact b\n";
    let with = |from: &str, to: &str| lines.replacen(from, to, 1);
    means(
        "· exact a\n    skip",
        &[
            &with("· exact a", "‸· exact a"),
            &with("· exact a", "·‸ exact a"),
            &with("  · exact a", "‸  · exact a"),
        ],
    );
    means(
        "exact a",
        &[&with("exact a", "‸exact a"), &with("exact a", "exact a‸")],
    );
    means(
        "skip",
        &[&with("    skip", "‸    skip"), &with("skip", "skip‸")],
    );
    assert_eq!(
        after(&with("· exact a", "‸· exact a")),
        (vec!["· exact b".to_owned()], Some(Closed::First))
    );
}

#[test]
fn the_column_on_an_empty_line_chooses_how_far_out() {
    let lines = "example : p := by\n  constructor\n  · exact a\nLINE\nexample : q := r\n";
    let with = |line: &str| lines.replacen("LINE", line, 1);
    means("· exact a", &[&with("‸"), &with("  ‸"), &with("   ‸")]);
    means("exact a", &[&with("    ‸"), &with("      ‸")]);
    assert_eq!(
        basis(&with("").replacen("example : q", "exa‸mple : q", 1)),
        None
    );
}

#[test]
fn alternatives_are_blocks_of_their_own() {
    let lines = "example : p := by\n  cases h with\n  | inl a => exact a\n  | inr b =>\n    skip\n    exact b\n  exact c\n";
    let with = |from: &str, to: &str| lines.replacen(from, to, 1);
    means(
        "| inl a => exact a",
        &[
            &with("| inl", "‸| inl"),
            &with("inl a", "inl‸ a"),
            &with("  | inl", "‸  | inl"),
        ],
    );
    means(
        "| inr b =>\n    skip\n    exact b",
        &[&with("| inr", "‸| inr"), &with("inr b =>", "inr b =>‸")],
    );
    means("exact a", &[&with("exact a", "exa‸ct a")]);
    let cases = "cases h with\n  | inl a => exact a\n  | inr b =>\n    skip\n    exact b";
    means(cases, &[&with("cases", "ca‸ses"), &with("with", "with‸")]);
    assert_eq!(after(&with("cases", "‸cases")).0, ["exact c"]);
}

#[test]
fn inner_alternatives_go_to_the_inner_match() {
    let lines = "example : p := by\n  cases h with\n  | inl a =>\n    cases a with\n    | x => skip\n    | y => done\n  | inr b => exact b\n";
    let with = |from: &str, to: &str| lines.replacen(from, to, 1);
    means(
        "cases a with\n    | x => skip\n    | y => done",
        &[&with("cases a", "‸cases a")],
    );
    means("| inr b => exact b", &[&with("| inr", "‸| inr")]);
}

#[test]
fn proofs_in_terms_are_blocks_and_the_tactic_goes_on_behind_them() {
    let line = "example : p := by\n  exact ⟨by simp, f (by rfl) x⟩\n";
    let with = |from: &str, to: &str| line.replacen(from, to, 1);
    means("by simp", &[&with("by simp", "‸by simp")]);
    means("simp", &[&with("simp", "si‸mp"), &with("simp", "simp‸")]);
    means("rfl", &[&with("rfl", "‸rfl")]);
    means(
        "exact ⟨by simp, f (by rfl) x⟩",
        &[
            &with("f (", "‸f ("),
            &with(" x⟩", " x‸⟩"),
            &with("⟨by simp", "‸⟨by simp"),
            &with("x⟩", "x⟩‸"),
        ],
    );
}

#[test]
fn a_nested_proof_at_the_end_leaves_the_state_after_the_tactic_to_its_head() {
    let lines = "example : p := by\n  have h : q := by\n    exact a\n  exact h\n";
    let (at, closes) = after(&lines.replacen("have", "ha‸ve", 1));
    assert_eq!(
        (at[0].as_str(), at[1].as_str(), closes),
        (" h : q := by", "exact h", None)
    );
}

#[test]
fn combinators_have_parts() {
    let line = "example : p := by\n  constructor <;> simp [a, b] <;> rfl\n";
    let with = |from: &str, to: &str| line.replacen(from, to, 1);
    means(
        "constructor",
        &[
            &with("constructor", "‸constructor"),
            &with("constructor", "constructor‸"),
        ],
    );
    means("simp [a, b]", &[&with("a, b", "a,‸ b")]);
    means("rfl", &[&with("rfl", "rfl‸")]);
    means(
        "constructor <;> simp [a, b] <;> rfl",
        &[&with("<;>", "<‸;>")],
    );
}

#[test]
fn rewrite_rules_are_steps() {
    let line = "example : p := by\n  rw (config := x) [h, ← f a [b], c] at g\n";
    let with = |from: &str, to: &str| line.replacen(from, to, 1);
    means("h", &[&with("[h", "[‸h"), &with("[h", "[h‸")]);
    means("← f a [b]", &[&with("f a", "f‸ a"), &with("[b]", "[b]‸")]);
    means(
        "rw (config := x) [h, ← f a [b], c] at g",
        &[&with("rw", "r‸w"), &with("at g", "at‸ g")],
    );
}

#[test]
fn wrapping_tactics_run_what_comes_after_them() {
    means(
        "skip",
        &[
            "example : p := by\n  all_goals\n    ‸skip\n",
            "example : p := by\n  try ‸skip\n",
            "example : p := by\n  (‸skip; simp)\n",
            "example : p := by\n  first | done | ‸skip\n",
            "example : p := by\n  case a b => ‸skip\n",
            "example : p := by\n  set_option x true in\n  ‸skip\n",
            "example : p := by\n  iterate 3 ‸skip\n",
            "example : p := by\n  if h : a then simp else ‸skip\n",
            "example : p := by\n  conv => ‸skip\n",
        ],
    );
    means(
        "first | done | skip",
        &[
            "example : p := by\n  ‸first | done | skip\n",
            "example : p := by\n  first ‸| done | skip\n",
        ],
    );
}

#[test]
fn lines_that_go_on_are_no_new_tactics() {
    means(
        "exact foo\n    a b",
        &["example : p := by\n  exact foo\n    a‸ b\n  simp\n"],
    );
    means(
        "exact f (\n  x\n  )",
        &["example : p := by\n  exact f (\n  x‸\n  )\n  simp\n"],
    );
    means(
        "exact foo <|\n  bar",
        &["example : p := by\n  exact foo <|\n  bar‸\n  simp\n"],
    );
    means(
        "constructor\n  <;> simp",
        &["example : p := by\n  constructor\n  <;>‸ simp\n  rfl\n"],
    );
    means(
        "calc a = b := h\n  _ = c := g",
        &["example : p := by\n  calc a = b := h\n  _ = c‸ := g\n"],
    );
}

#[test]
fn a_block_without_tactics_is_itself() {
    means(
        "by",
        &[
            "example : p := ‸by",
            "example : p := by‸\n",
            "example : p := by\n  ‸\nexample : q := r",
            "example : p := by\n  -- soon‸\n\ntheorem x : q := r",
        ],
    );
    let (text, offset) = at_cursor("example : p := by‸\n");
    assert_eq!(target_at(&text, offset).unwrap().run_at, offset);
}

#[test]
fn outside_of_proofs_there_is_no_tactic() {
    for marked in [
        "‸example : p := by simp",
        "example : p ‸:= by simp",
        "example : p := f (by simp) ‸x",
        "def s := \"by ‸x\"",
        "-- by ‸simp",
        "def a :‸= 1\n",
        "‸",
        "example : p := ⟨by simp,‸ a⟩",
    ] {
        assert_eq!(basis(marked), None, "{marked}");
    }
}

#[test]
fn a_block_starts_further_right_than_what_it_stands_in() {
    means(
        "by",
        &[
            "theorem a : p := b‸y\nsimp\n",
            "  theorem a : p := b‸y\n  simp\n",
            "example : p := by\n  have h : q := b‸y\n  simp\n",
        ],
    );
    means("by\nsimp", &["example : p := (b‸y\nsimp)\n"]);
    means("·", &["example : p := by\n  constructor\n  ‸·\n  simp\n"]);
}

#[test]
fn a_command_ends_a_proof_wherever_its_line_starts() {
    assert_eq!(
        basis("theorem a : p := by\n  exact?\n\n/- c -/ def x : Nat := so‸rry"),
        None
    );
    means(
        "simp",
        &[
            "/-- by -/\n@[x] private theorem a : p := by\n  si‸mp\ndecreasing_by rfl",
            "theorem a : p := by\n  simp\n‸\nnamespace X",
        ],
    );
    means("rfl", &["theorem a : p := by\n  simp\ndecreasing_by ‸rfl"]);
}

#[test]
fn case_shows_its_goal_too_early() {
    let (text, offset) = at_cursor("example : p := by\n  constructor\n  ‸case left => simp\n");
    let target = target_at(&text, offset).unwrap();
    assert_eq!(
        target.before[0],
        Spot {
            offset: offset - 1,
            not: None
        }
    );
    assert_eq!(target.run_at, offset - 1);
    assert_eq!(target.after.closes, Some(Closed::Tagged("left".to_owned())));
}

#[test]
fn parts_and_rules_are_run_before_the_whole() {
    for marked in [
        "example : p := by\n  @simp <;> rf‸l\n",
        "example : p := by\n  @rw [a, ‸b]\n",
        "example : p := by\n  @rw [a] <;> rw [‸b]\n",
    ] {
        let wanted = marked.find('@').unwrap();
        let (text, offset) = at_cursor(&marked.replace('@', ""));
        assert_eq!(target_at(&text, offset).unwrap().run_at, wanted, "{marked}");
    }
}

#[test]
fn the_end_of_a_block_is_behind_its_last_tactic() {
    let ends = |marked: &str| {
        let (text, offset) = at_cursor(marked);
        let spots = block_end(&text, offset);
        spots
            .first()
            .map(|spot| text[spot.offset..].lines().next().unwrap_or("").to_owned())
    };
    assert_eq!(
        ends("example : p := ‸by\n  a\n  b c -- d\n").as_deref(),
        Some(" -- d")
    );
    assert_eq!(
        ends("example : p := by\n  ‸· a\n  b\n").as_deref(),
        Some("")
    );
    assert_eq!(
        ends("example : p := by\n  case x ‸=> a; f -- d\n  b\n").as_deref(),
        Some(" -- d")
    );
    assert_eq!(
        ends("example : p := by\n  cases h with\n  | inl ‸=> a -- d\n").as_deref(),
        Some(" -- d")
    );
    assert_eq!(ends("example : p := by\n  ‸exact a\n"), None);
    assert_eq!(
        ends("example : p := by\n  constructor <;> (try · x) <;> (exact ‸by a)\n").as_deref(),
        Some(")")
    );
}

#[test]
fn deep_nesting_does_no_harm() {
    for opening in [
        "by (",
        "by · ",
        "(",
        "by cases h with | x => ",
        "by first | ",
    ] {
        let text = format!("example : p := {}", opening.repeat(20_000));
        drop(target_at(&text, text.len()));
        let middle = (text.len() / 2..).find(|at| text.is_char_boundary(*at));
        drop(block_end(&text, middle.unwrap()));
    }
}

proptest! {
    #[test]
    fn no_text_does_harm(text in "(by|simp|·|\\||=>|<;>|;|\\(|\\)|⟨|⟩|cases h with|case a|rw \\[|\\]|,|at|if|then|else|first|\\n|\\n  |\\n    | |--|/-|-/|\"|theorem|have x := |\\{|fun){0,60}") {
        for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
            if let Some(target) = target_at(&text, offset) {
                prop_assert!(text.get(target.basis.clone()).is_some());
                prop_assert!(text.is_char_boundary(target.run_at));
                let spots = target.before.iter().chain(&target.after.at);
                for spot in spots {
                    prop_assert!(text.is_char_boundary(spot.offset), "{spot:?}");
                }
                prop_assert!(!target.before.is_empty());
            }
            prop_assert!(block_end(&text, offset).iter().all(|spot| text.is_char_boundary(spot.offset)));
        }
    }
}
