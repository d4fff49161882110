//! Where texts go, by example and for whatever looks like Lean.

use proptest::prelude::*;

use super::*;
use crate::probe::splice::{command_candidates, place_of, splice_command, splice_tactic};

/// What is kept of a text that has `‸` at the position, and what follows that for the likeliest candidate.
fn likeliest(marked: &str) -> (String, String) {
    let offset = marked.find('‸').unwrap();
    let text = DocumentText::new(marked.replace('‸', ""));
    let candidates = tactic_candidates(&text, text.position(offset)).insertions;
    let first = candidates.first().expect(marked);
    let splice = splice_tactic(&text, first, &["P"]);
    let (kept, rest) = splice.text.split_at(first.offset);
    (kept.to_owned(), rest.to_owned())
}

/// Asserts what is kept of a text, and the column and form in which the probe follows.
fn follows(marked: &str, kept_end: &str, column: usize, form: Form) {
    let (kept, rest) = likeliest(marked);
    assert!(
        kept.ends_with(kept_end),
        "{marked}\nkept {kept:?}, not {kept_end:?}"
    );
    let (deep, own) = (" ".repeat(column + 1), " ".repeat(column));
    let probe = format!("(\n{deep}P\n{own})");
    let expected = match form {
        Form::OwnLine => format!("\n{own}{probe}\n{own}trace "),
        Form::Here => format!("{probe}; trace "),
        Form::HereBlank => format!("{probe}\n{own}trace "),
    };
    assert!(
        rest.starts_with(&expected),
        "{marked}\nfollowed by {rest:?}"
    );
}

const SWAP: &str = "theorem swap (h : p ∧ q) : q ∧ p := by\n  have hp := h.left\n  constructor\n\n  · exact h.right\n  · exact hp\n\nend";

fn swap(before: &str) -> String {
    SWAP.replacen(before, &format!("{before}‸"), 1)
}

#[test]
fn at_its_first_character_or_before_it_a_tactic_has_not_run() {
    for before in [":= ", ":= by", ":= by\n", ":= by\n  "] {
        follows(&swap(before), ":= by\n  ", 2, Form::HereBlank);
    }
}

#[test]
fn inside_and_behind_it_a_tactic_has_run() {
    for before in ["  h", "  have hp := h.left", "h.left\n "] {
        follows(&swap(before), "h.left", 2, Form::OwnLine);
    }
    for before in [
        "  const",
        "constructor",
        "constructor\n",
        "constructor\n\n ",
    ] {
        follows(&swap(before), "constructor", 2, Form::OwnLine);
    }
}

#[test]
fn a_bullet_focuses_behind_its_first_character() {
    follows(
        &swap("constructor\n\n  "),
        "constructor\n\n  ",
        2,
        Form::HereBlank,
    );
    follows(&swap("  ·"), "  · ", 4, Form::Here);
    follows(&swap("  · "), "  · ", 4, Form::Here);
    follows(&swap("  · exact"), "exact h.right", 4, Form::OwnLine);
}

#[test]
fn on_blank_lines_the_column_says_how_far_out_one_is() {
    let text = "example : p := by\n  constructor\n  · skip\n    exact a\n@\n  exact b\n";
    let at = |column: usize| text.replace('@', &format!("{}‸", " ".repeat(column)));
    follows(&at(4), "exact a", 4, Form::OwnLine);
    follows(&at(3), "exact a", 2, Form::OwnLine);
    follows(&at(0), "exact a", 2, Form::OwnLine);
}

#[test]
fn a_proof_reaches_to_the_next_command() {
    follows(&swap("exact hp\n"), "exact hp", 2, Form::OwnLine);
    follows(
        &swap("exact hp\n\n").replace("‸end", "‸"),
        "exact hp",
        2,
        Form::OwnLine,
    );
    let behind = DocumentText::new(SWAP);
    assert_eq!(
        tactic_candidates(&behind, behind.position(SWAP.len())).insertions,
        []
    );
}

#[test]
fn alternatives_show_their_goal_from_the_bar_on() {
    let text =
        "example : p := by\n  cases h with\n  | inl a =>\n    exact a\n  | inr b => exact b\n";
    let at = |before: &str| text.replacen(before, &format!("{before}‸"), 1);
    follows(&at("with\n  "), "=>\n    ", 4, Form::HereBlank);
    follows(&at("inl a"), "=>\n    ", 4, Form::HereBlank);
    follows(&at("| inr"), "inr b => ", 13, Form::Here);
    follows(&at("exact b"), "exact b", 13, Form::OwnLine);
    follows(&at("  cas"), "by\n  ", 2, Form::HereBlank);
}

#[test]
fn steps_in_a_line_are_apart() {
    let text = "example : p := by constructor; exact a; exact b";
    let at = |before: &str| text.replacen(before, &format!("{before}‸"), 1);
    follows(&at("constr"), "constructor", 18, Form::OwnLine);
    follows(&at("constructor;"), "constructor", 18, Form::OwnLine);
    follows(&at("constructor; "), "constructor; ", 31, Form::Here);
    follows(&at("exact b"), "exact b", 18, Form::OwnLine);
}

#[test]
fn proofs_in_terms_end_at_commas_brackets_and_colons() {
    let text = "example : p := by\n  exact ⟨by skip, f (by\n    left) (by right : r)⟩\n";
    let at = |before: &str| text.replacen(before, &format!("{before}‸"), 1);
    follows(&at("sk"), "by skip", 12, Form::OwnLine);
    follows(&at("lef"), "left", 4, Form::OwnLine);
    let (kept, rest) = likeliest(&at("righ"));
    assert!(kept.ends_with("by right"));
    assert!(rest.ends_with("\" : r)\n"), "{rest:?}");
}

#[test]
fn projections_of_a_bracket_belong_to_it() {
    for (projections, rest) in [
        (".left.right", ""),
        (".1.2", " .3"),
        ("", " .left"),
        ("", "."),
    ] {
        let text = format!("example : q := (by‸ exact h : r){projections}{rest}\n");
        let (_, splice) = likeliest(&text);
        let tail = format!(" : r){projections}\n");
        assert!(splice.ends_with(&tail), "{text}{splice}");
    }
}

/// What is put back behind a text at the position, if anything is.
fn put_back(marked: &str) -> Option<String> {
    let text = DocumentText::new(marked.replace('‸', ""));
    let position = text.position(marked.find('‸').unwrap());
    let plain = Insertion {
        tail: String::new(),
        ..tactic_candidates(&text, position).insertions.swap_remove(0)
    };
    completed(&text, &plain).map(|complete| complete.insertion.tail)
}

#[test]
fn what_stands_behind_a_proof_is_put_back_up_to_the_end_of_its_tactic_or_command() {
    for (marked, tail) in [
        (
            "theorem a : p := f (by ‸exact b) c\n\ntheorem d : q := e",
            Some(") c"),
        ),
        (
            "theorem a : p := by\n  exact (f (by\n    skip\n    ‸skip)).symm\n  exact b",
            Some(")).symm"),
        ),
        (
            "theorem a : p := ⟨by\n    · ‸skip\n    · skip, b⟩",
            Some(", b⟩"),
        ),
        (
            "theorem a : p := by\n  exact (by ‸exact b)\nwhere\n  b := c\n\ndef d := 1",
            Some(")\nwhere\n  b := c"),
        ),
        (
            "mutual\ntheorem a : p := by\n  ‸exact b\ntheorem b : p := c\nend\n",
            Some("\ntheorem b : p := c\nend"),
        ),
        ("theorem a : p := f fun x => by‸\n  skip", None),
        ("theorem a : p := by\n  exact f by skip\n  ‸skip", None),
    ] {
        assert_eq!(put_back(marked).as_deref(), tail, "{marked}");
    }
}

#[test]
fn the_nearest_tactics_come_first() {
    let text = DocumentText::new(SWAP);
    let near = |offset: usize, most| {
        let near = tactics_near(&text, text.position(offset), most);
        let lines = near.into_iter().map(|position| position.line);
        lines.collect::<Vec<_>>()
    };
    let constructor = SWAP.find("constructor").unwrap();
    assert_eq!(near(constructor + 1, 3), [2, 4, 4]);
    assert_eq!(near(constructor, 1), [4]);
    assert_eq!(near(SWAP.find("exact hp").unwrap() + 8, 2), [5, 5]);
}

#[test]
fn each_side_of_a_chain_has_a_state() {
    let text = "example : p := by\n  constructor <;> exact a\n";
    let at = |before: &str| text.replacen(before, &format!("{before}‸"), 1);
    follows(&at("const"), "constructor", 2, Form::OwnLine);
    follows(&at("constructor <"), "constructor", 2, Form::OwnLine);
    follows(&at("<;> "), "<;> ", 18, Form::Here);
    follows(&at("<;> ex"), "exact a", 2, Form::OwnLine);
}

#[test]
fn a_rewrite_is_done_again_up_to_the_rule() {
    let text = "example : p := by\n  rw [a, ← b] at h\n  rfl\n";
    let at = |before: &str| text.replacen(before, &format!("{before}‸"), 1);
    follows(&at("rw ["), "by\n  ", 2, Form::HereBlank);
    for (before, lead) in [
        ("rw [a", "rewrite [a] at h"),
        ("← ", "rewrite [a, ← b] at h"),
    ] {
        let (kept, rest) = likeliest(&at(before));
        assert!(kept.ends_with("by\n  "), "{kept:?}");
        assert!(
            rest.starts_with(&format!("{lead}\n  (\n   P\n")),
            "{rest:?}"
        );
    }
    follows(&at("] at"), "] at h", 2, Form::OwnLine);
}

#[test]
fn an_empty_block_can_be_filled() {
    follows("example : p := by‸", "by", 2, Form::OwnLine);
    follows(
        "example : p := by\n  constructor\n  · ‸\n  · rfl",
        "·",
        4,
        Form::OwnLine,
    );
}

#[test]
fn nothing_is_put_at_the_start_of_a_loop() {
    let text = "example : p := by\n  repeat constructor\n";
    let document = DocumentText::new(text);
    let at = document.position(text.find("constructor").unwrap());
    let Candidates {
        insertions: all,
        in_loop,
    } = tactic_candidates(&document, at);
    assert!(in_loop && !all.is_empty());
    assert!(
        all.iter()
            .all(|candidate| candidate.offset != document.offset(at).unwrap())
    );
}

#[test]
fn windows_line_ends_change_nothing() {
    let text = swap("constructor\n").replace('\n', "\r\n");
    follows(&text, "constructor", 2, Form::OwnLine);
}

/// Texts that look like Lean, well formed or not.
fn leanish() -> impl Strategy<Value = String> {
    let words = vec![
        "theorem x : p := ",
        "by",
        "by\n  ",
        "\n",
        "\n  ",
        "\n    ",
        "\r\n  ",
        " ",
        "· ",
        "(",
        ")",
        "⟨",
        "⟩",
        "[",
        "]",
        "{",
        "}",
        "; ",
        ", ",
        " <;> ",
        "| ",
        "=> ",
        ":= ",
        " : ",
        "cases h with",
        "case a =>",
        "first",
        "exact h",
        "rw [",
        "intro a b",
        "fun x => ",
        "match h with",
        "if h : p then ",
        "else ",
        "repeat ",
        "calc ",
        "conv => ",
        "simpa using h",
        "-- c\n",
        "/- c -/",
        "\"s\"",
        "«a»",
        "h'",
        "𝓅",
        "end",
        "mutual",
        "open Nat in",
        "@[simp]",
        "where",
        "∃ x, ",
        "stop",
    ];
    prop::collection::vec(prop::sample::select(words), 0..30).prop_map(|words| words.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn candidates_are_few_distinct_and_between_characters(text in prop_oneof![leanish(), any::<String>()]) {
        let document = DocumentText::new(text.as_str());
        for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
            let position = document.position(offset);
            let candidates = tactic_candidates(&document, position).insertions;
            prop_assert!(candidates.len() <= LIMIT);
            for (index, candidate) in candidates.iter().enumerate() {
                prop_assert!(text.is_char_boundary(candidate.offset));
                prop_assert!(!candidates[..index].contains(candidate));
                let splice = splice_tactic(&document, candidate, &["P"]);
                prop_assert!(splice.text.starts_with(&text[..candidate.offset]));
            }
            let ends = command_candidates(&document, position);
            prop_assert!(ends.len() <= 6 && ends.is_sorted_by(|one, other| one < other));
            for end in ends {
                prop_assert!(splice_command(&document, end, &["P"]).text.starts_with(&text[..end]));
            }
        }
    }

    #[test]
    fn no_position_panics(text in leanish(), line in 0u32..9, character in 0u32..50) {
        let document = DocumentText::new(text);
        let position = Position::new(line, character);
        drop((tactic_candidates(&document, position), command_candidates(&document, position), place_of(&document, position)));
    }
}
