//! Hostile texts, texts that only look so, and texts of nothing, in blocks of all forms.

use lean_beam_proto::ErrorCode;
use lean_beam_tests::{
    must::{Must, MustFail},
    probing::{before, has_error, rendered, until_quiet, world},
};

use crate::STOPPED;

/// Blocks of all forms, each with its place.
const PLACES: &str = "\
theorem lines (p q : Prop) (h : p ∧ q) : q ∧ p := by
  constructor
  · exact h.right
  · have lines := h; exact h.left

theorem parens (p q : Prop) (h : p ∧ q) : q ∧ p := by
  (have parens := h
   exact ⟨parens.right, parens.left⟩)

theorem oneLine (p q : Prop) (h : p ∧ q) : q ∧ p := by have oneLine := h; exact ⟨h.right, h.left⟩

theorem term (p q : Prop) (h : p ∧ q) : q ∧ p := ⟨by have term := h; exact h.right, (by exact h.left)⟩

theorem bracketed (p q : Prop) (h : p ∧ q) : (q ∧ p) ∧ True := by
  exact ⟨⟨h.right, (by
    have bracketed := h
    exact h.left)⟩, trivial⟩

theorem last (p q : Prop) (h : p ∧ q) : q ∧ p := by
  have last := h
";

const IN_PLACES: [&str; 6] = [
    "have lines",
    "have parens",
    "have oneLine",
    "have term",
    "have bracketed",
    "have last",
];

/// Texts that try to leave the block that they are put into, or to swallow what comes behind.
const HOSTILE: [&str; 34] = [
    "skip)",
    "skip))",
    "skip)\n(skip",
    "skip);(skip",
    ")",
    "(",
    "skip⟩",
    "skip, by skip",
    "exact h.left)⟩\n(skip",
    "skip }",
    "skip ]",
    "exact (h.left",
    "exact ⟨h.left,",
    "{ skip",
    "trivial\ntheorem evil : True := trivial",
    "skip\n\ntheorem evil : True := by\n  (skip",
    "skip\n\nexample : True := by\n  skip",
    "#check Nat",
    "skip\n#eval 1",
    "#exit",
    "skip\n#exit",
    "end",
    "skip\nend",
    "namespace Evil",
    "skip /- open",
    "/-",
    "skip /- /- -/",
    "trace \"open",
    "exact \"",
    "have s := r#\"open\"",
    "have «open := h",
    "skip <;>",
    "case left =>",
    "have x : True := by",
];

#[tokio::test]
async fn a_hostile_text_never_leaves_its_block_and_the_next_answer_is_right() {
    let (_beam, _project, prober) = world(PLACES).await;
    let mut wrong = Vec::new();
    for what in IN_PLACES {
        let place = before(PLACES, what);
        let state = prober.goals(place).await;
        for text in HOSTILE {
            let result = prober.run_at(place, text).await.must("run a hostile text");
            if result.success || !has_error(&result) || rendered(&result) != state {
                wrong.push(format!("{what}, {text:?}: {result:?}"));
            }
            let next = prober.run_at(place, "have zz : True := trivial").await;
            let next = next.must("run a text after a hostile one");
            if !next.success || !rendered(&next).contains("zz : True") {
                wrong.push(format!("{what}, after {text:?}: {next:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn texts_that_only_look_dangerous_work() {
    let (_beam, _project, prober) = world(PLACES).await;
    let harmless = [
        "skip -- a ) bracket",
        "skip /- ( -/",
        "have s : \")\" = \")\" := rfl",
        "have c : ')' = ')' := rfl",
        "have s : r#\"(\"# = r#\"(\"# := rfl",
        "skip\r\nskip",
        "\nskip\n",
        "  skip",
        "  skip\n  skip",
        "skip\n\n\n  -- far right\nskip",
        "-- first\nskip",
        "have «a ) b» := h",
    ];
    for what in IN_PLACES {
        let place = before(PLACES, what);
        for text in harmless {
            let result = prober.run_at(place, text).await.must("run a text");
            assert!(result.success, "{what}, {text:?}: {result:?}");
        }
    }
}

#[tokio::test]
async fn a_text_of_nothing_leaves_the_state_as_it_is() {
    let (_beam, _project, prober) = world(PLACES).await;
    for what in IN_PLACES {
        let place = before(PLACES, what);
        let state = prober.goals(place).await;
        for text in [
            "",
            "   ",
            "\n\n",
            "-- only a comment",
            "/- only\n a comment -/",
            "\r\n",
        ] {
            let result = prober.run_at(place, text).await.must("run nothing");
            assert_eq!(rendered(&result), state, "{what}, {text:?}");
            assert!(result.success, "{what}, {text:?}: {result:?}");
        }
    }
}

#[tokio::test]
async fn tabs_and_lone_carriage_returns_are_refused_as_lean_refuses_them() {
    let (_beam, _project, prober) = world(PLACES).await;
    let place = before(PLACES, "have lines");
    for text in ["\tskip", "skip\t", "have x :=\th", "skip\rskip"] {
        let result = prober.run_at(place, text).await.must("run a text");
        assert!(
            !result.success && has_error(&result),
            "{text:?}: {result:?}"
        );
    }
    assert!(prober.goals(place).await.contains("⊢ p"));
}

#[tokio::test]
async fn a_text_of_half_a_million_characters_is_run_and_a_longer_one_refused() {
    let (_beam, _project, prober) = world(PLACES).await;
    let place = before(PLACES, "have lines");
    let state = prober.goals(place).await;
    let long = "x".repeat(500_000);
    for text in [
        format!("skip -- {long}"),
        format!("/- {long} -/\nskip"),
        format!("have s := \"{long}\"\nclear s"),
        "skip\n\n".to_owned() + &" \n".repeat(250_000) + "skip",
    ] {
        let result = prober.run_at(place, &text).await.must("run a long text");
        assert!(result.success, "{:?}", result.messages);
        assert_eq!(rendered(&result), state);
    }
    let result = prober.run_at(place, &format!("exact {long}")).await;
    assert!(!result.must("run a long name").success);
    let result = prober.run_at(place, &format!("skip -- {long}\n)")).await;
    assert!(!result.must("run a long hostile text").success);
    let too_long = "-".repeat(2 * 1024 * 1024);
    let error = prober.run_at(place, &too_long).await.must_fail();
    assert_eq!(error.code, ErrorCode::InvalidInput, "{error:?}");
    assert_eq!(prober.goals(place).await, state);
}

#[tokio::test]
async fn a_text_that_lean_gives_up_without_a_word_is_no_success() {
    // An error further up makes Lean keep quiet about what it takes for its consequences.
    let text = "\
theorem quiet (p q : Prop) (hp : p) (hq : q) : p ∧ q := by
  have both : p ∧ q := by
    exact nope
  exact both
";
    let (_beam, _project, prober) = world(text).await;
    let place = before(text, "exact both");
    let state = prober.goals(place).await;
    for text in [
        "exact _",
        "exact ⟨_, _⟩",
        "have zz : p := _",
        "exact ⟨hp, _⟩\nskip",
    ] {
        let result = prober.run_at(place, text).await.must("run a text");
        assert!(
            !result.success && has_error(&result),
            "{text:?}: {result:?}"
        );
        assert_eq!(rendered(&result), state);
    }
    let result = prober.run_at(place, "exact ⟨hp, hq⟩").await;
    assert_eq!(rendered(&result.must("run a text")), "no goals");
}

#[tokio::test]
async fn a_place_that_runs_again_and_again_holds_nobody_up() {
    let text = "\
theorem oneLine (p : Prop) (h : p) : p ∧ p := by
  repeat constructor
  all_goals exact h
theorem lines (p : Prop) (h : p) : p ∧ p := by
  repeat
    skip
    (constructor)
  all_goals exact h
";
    let (beam, _project, prober) = world(text).await;
    for what in ["constructor\n", "skip", "(constructor)"] {
        let place = before(text, what);
        // Lean itself would never come to an end with such a text in the file.
        let result = prober.run_at(place, "skip").await;
        let error = result.must_fail();
        assert_eq!(error.code, ErrorCode::InvalidParams, "{what}: {error:?}");
        until_quiet(&beam, STOPPED).await;
    }
    let place = before(text, "theorem lines");
    let result = prober.run_at(place, "#eval 1 + 1").await;
    assert!(result.must("run a command").success);
}
