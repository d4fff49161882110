//! Proofs that something stands behind: the rest of a term, names that are declared later, an error before them.

use std::time::Duration;

use lean_beam_proto::{ErrorCode, op::TryStatus};
use lean_beam_tests::{
    must::{Must, MustFail},
    probing::{Place, Prober, before, has_error, rendered},
    world::Beam,
};

const TERMS: &str = "\
theorem turned (a b : Nat) (f : a = a → a = b) : b = a := by
  exact (f (by skip; rfl)).symm

theorem helped (p q : Prop) (h : p ∧ q) : q ∧ p := by
  exact And.intro (by exact flipped.left) helper
where
  helper : p := h.left
  flipped : q ∧ p := ⟨h.right, h.left⟩

mutual
theorem earlier (p : Prop) (h : p) : p := by
  exact later p h
theorem later (p : Prop) (h : p) : p := by
  exact h
end
";

async fn succeeds(prober: &Prober, place: Place, text: &str) {
    let result = prober.run_at(place, text).await.must("run a text");
    assert!(result.success, "{text}: {result:?}");
    assert_eq!(rendered(&result), "no goals", "{text}");
}

async fn fails(prober: &Prober, place: Place, text: &str) {
    let result = prober.run_at(place, text).await.must("run a text");
    assert!(!result.success && has_error(&result), "{text}: {result:?}");
}

#[tokio::test]
async fn a_text_that_closes_the_proof_of_an_argument_is_not_blamed_for_the_rest_of_the_term() {
    let beam = Beam::real();
    let prober = Prober::open(&beam.project(), "A.lean", TERMS).await;
    let place = before(TERMS, "skip; rfl");
    assert_eq!(
        prober.goals(place).await,
        "a b : Nat\nf : a = a → a = b\n⊢ a = a"
    );
    for text in ["rfl", "constructor", "exact rfl"] {
        succeeds(&prober, place, text).await;
    }
    fails(&prober, place, "exact f").await;
    let handle = prober.handle(place, "have same : b = b := rfl").await;
    let closed = prober.run_with(&handle, "rfl").await.must("go on");
    assert!(
        closed.success && rendered(&closed) == "no goals",
        "{closed:?}"
    );
}

#[tokio::test]
async fn names_that_are_declared_behind_a_proof_are_known_in_it() {
    let beam = Beam::real();
    let prober = Prober::open(&beam.project(), "A.lean", TERMS).await;
    let inside = before(TERMS, "exact flipped.left");
    succeeds(&prober, inside, "exact flipped.left").await;
    fails(&prober, inside, "exact helper").await;
    fails(&prober, inside, "exact flippd.left").await;
    let whole = before(TERMS, "exact And.intro");
    succeeds(&prober, whole, "exact flipped").await;
    let mutual = before(TERMS, "exact later p h");
    succeeds(&prober, mutual, "exact later p h").await;
    fails(&prober, mutual, "exact latr p h").await;
}

#[tokio::test]
async fn behind_an_error_that_ends_a_proof_no_text_is_run_and_the_error_is_named() {
    let text = "theorem a (p q : Prop) (hp : p) (hq : q) : p ∧ q := by\n  constructor\n  exact hq\n  exact hp\n";
    let beam = Beam::real();
    let prober = Prober::open(&beam.project(), "A.lean", text).await;
    let error = prober
        .run_at(before(text, "exact hp"), "skip")
        .await
        .must_fail();
    assert_eq!(error.code, ErrorCode::InvalidParams, "{error:?}");
    assert!(
        error.message.contains("error at line 2, column 2: "),
        "{error:?}"
    );
    succeeds(&prober, before(text, "exact hq"), "exact hp\nexact hq").await;
}

/// A tactic with a block and a word behind it, one with a block alone, and a term with a block in it.
const CUSTOM: &str = "\
syntax \"start\" tacticSeq \"finish\" : tactic
macro_rules
  | `(tactic| start $t finish) => `(tactic| · $t)
macro \"alone\" t:tacticSeq : tactic => `(tactic| focus ($t))
macro \"within\" t:tacticSeq \"over\" : term => `(by $t)
theorem a (p q : Prop) (hp : p) (hq : q) : p ∧ q := by
  constructor
  start
    have inStart := hp
    exact hp
  finish
  alone
    have inAlone := hq
    exact hq
theorem b (p q : Prop) (hp : p) (hq : q) : p ∧ q := by
  constructor
  exact within
    have inTerm := hp
    exact hp
  over
  exact hq
";

#[tokio::test]
async fn texts_run_in_the_blocks_of_tactics_that_are_not_known() {
    let beam = Beam::real();
    let prober = Prober::open(&beam.project(), "A.lean", CUSTOM).await;
    for (what, target, text) in [
        ("have inStart", "⊢ p", "exact hp"),
        ("have inAlone", "⊢ q", "exact hq"),
        ("have inTerm", "⊢ p", "exact hp"),
    ] {
        let place = before(CUSTOM, what);
        assert!(prober.goals(place).await.ends_with(target), "{what}");
        succeeds(&prober, place, text).await;
        fails(&prober, place, "exact trivial").await;
        let behind = (place.0, place.1 + 6);
        let name = what.trim_start_matches("have ");
        assert!(prober.goals(behind).await.contains(name), "{what}");
        succeeds(&prober, behind, text).await;
    }
}

#[tokio::test]
async fn a_text_is_not_failed_while_what_it_may_need_is_not_known() {
    let text = "theorem a (p : Prop) (h : p) : p := by\n  exact helper\nwhere\n  helper : p := by\n    sleep 6000\n    exact h\n";
    let beam = Beam::real();
    let prober = Prober::open(&beam.project(), "A.lean", text).await;
    let candidates = ["exact helper", "exact h"].map(str::to_owned).to_vec();
    let place = before(text, "exact helper");
    let limit = Duration::from_secs(2);
    let tried = prober.try_all(place, candidates, limit, false).await;
    let statuses: Vec<_> = tried
        .must("try")
        .items
        .iter()
        .map(|item| item.status)
        .collect();
    assert_eq!(statuses, [TryStatus::Timeout, TryStatus::Closed]);
}
