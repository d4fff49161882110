//! Commands: where a text is one, and what it does to the command before it and to those after it.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::time::Duration;

use lean_beam_proto::op::TryStatus;
use lean_beam_tests::{
    must::Must,
    probing::{Place, before, has_error, rendered, world},
};

/// A finished proof, empty lines behind it, and a proof with goals left.
const PROOFS: &str = "\
theorem done (p : Prop) (h : p) : p := by
  exact h


theorem open (p q : Prop) (h : p) (k : q) : p ∧ q := by
  constructor

def last := 1
";

/// Commands that are wrong, open or in the wrong place.
const HOSTILE_COMMANDS: [&str; 14] = [
    "def x : Nat := (",
    "def x : Nat :=",
    "theorem x : True := by",
    "nonsense",
    "skip",
    ")",
    "end",
    "end Nowhere",
    "#check Nat)",
    "def x := \"open",
    "def x := 1 /- open",
    "/-",
    "/-- doc of nothing -/",
    "#exit\n#check Nat",
];

#[tokio::test]
async fn a_hostile_command_fails_and_the_next_answer_is_right() {
    let text = "def first := 1\n\ntheorem broken : True := by\nexact (\n\ndef second := 2\n";
    let (_beam, _project, prober) = world(text).await;
    let mut wrong = Vec::new();
    for what in ["first", "second", "exact"] {
        let place = before(text, what);
        for text in HOSTILE_COMMANDS {
            let result = prober.run_at(place, text).await;
            let result = result.must("run a hostile command");
            if result.success || !has_error(&result) || result.proof_state.is_some() {
                wrong.push(format!("{what}, {text:?}: {result:?}"));
            }
            let next = prober.run_at(place, "#eval first + 1").await;
            let next = next.must("run a command after a hostile one");
            if !next.success || next.messages.len() != 1 || next.messages[0].text != "2" {
                wrong.push(format!("{what}, after {text:?}: {next:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The end of the finished proof, and each line behind it.
const BEHIND: [Place; 3] = [(1, 9), (2, 0), (3, 0)];

#[tokio::test]
async fn a_command_behind_a_proof_is_one_and_a_tactic_there_goes_on_with_the_proof() {
    let (_beam, _project, prober) = world(PROOFS).await;
    for place in BEHIND {
        for (text, said) in [
            ("#check done", Some("done (p : Prop) (h : p) : p")),
            ("-- so\nopen Nat in\n#eval 1 + 1", Some("2")),
            ("/-- Doc. -/\ntheorem next : 1 = 1 := rfl", None),
        ] {
            let result = prober.run_at(place, text).await.must("run a command");
            assert!(result.success, "{place:?} {text:?}: {result:?}");
            assert_eq!(result.proof_state, None, "{place:?} {text:?}");
            let messages = result.messages.iter().map(|message| message.text.as_str());
            assert_eq!(messages.collect::<Vec<_>>(), Vec::from_iter(said));
        }
        let result = prober.run_at(place, "skip").await.must("run a tactic");
        assert!(result.success, "{place:?}: {result:?}");
        assert_eq!(rendered(&result), "no goals", "{place:?}");
    }
    let inside = prober.run_at((1, 2), "#check done").await;
    let inside = inside.must("run a command inside a proof");
    assert!(!inside.success && has_error(&inside), "{inside:?}");
    assert!(rendered(&inside).contains("⊢ p"), "{inside:?}");
    let last = inside.messages.last().must("get messages");
    assert!(last.text.ends_with("between declarations"), "{inside:?}");
}

#[tokio::test]
async fn a_declaration_behind_an_unfinished_proof_is_one() {
    let (_beam, _project, prober) = world(PROOFS).await;
    for place in [(5, 13), (6, 0)] {
        let text = "theorem helper : 1 = 1 := rfl\n#check helper";
        let result = prober.run_at(place, text).await.must("run a declaration");
        assert!(result.success, "{place:?}: {result:?}");
        assert_eq!(result.proof_state, None, "{place:?}");
        let tactics = prober.run_at(place, "exact h\nexact k").await;
        let tactics = tactics.must("run tactics");
        assert!(tactics.success, "{place:?}: {tactics:?}");
        assert_eq!(rendered(&tactics), "no goals", "{place:?}");
    }
}

#[tokio::test]
async fn commands_are_tried_behind_a_proof_where_all_candidates_are_commands() {
    let (_beam, _project, prober) = world(PROOFS).await;
    let limit = Duration::from_secs(20);
    let tried = async |candidates: [&str; 2]| {
        let candidates = candidates.map(str::to_owned).to_vec();
        let tried = prober.try_all((2, 0), candidates, limit, false).await;
        tried.must("try").items.into_iter().map(|item| item.status)
    };
    let commands = tried(["#check nope", "example : 1 = 1 := rfl"]).await;
    assert_eq!(
        commands.collect::<Vec<_>>(),
        [TryStatus::Failed, TryStatus::Ok]
    );
    let mixed = tried(["skip", "example : 1 = 1 := rfl"]).await;
    let mixed: Vec<_> = mixed.collect();
    assert_eq!(mixed[0], TryStatus::Closed);
    assert!(matches!(mixed[1], TryStatus::Failed | TryStatus::Escaped));
}

#[tokio::test]
async fn a_text_may_go_on_with_the_command_before_it_as_if_it_were_written_there() {
    let file = "inductive Colour where\n  | red\n\ndef last := 1\n";
    let (_beam, _project, prober) = world(file).await;
    let place = before(file, "  | red");
    let two = prober.handle(place, "| green").await;
    let three = prober.go_on(&two, "| blue (n : Nat)").await;
    for (handle, text, wanted) in [
        (
            &three,
            "#check Colour.blue",
            Some("Colour.blue (n : Nat) : Colour"),
        ),
        (&three, "#check Colour.green", Some("Colour.green : Colour")),
        (&two, "#check Colour.blue", None),
        (&two, "| red", None),
        (&two, "nonsense", None),
    ] {
        let result = prober.run_with(handle, text).await.must("go on");
        assert_eq!(result.success, wanted.is_some(), "{text}: {result:?}");
        match wanted {
            Some(wanted) => assert_eq!(result.messages[0].text, wanted),
            None => assert!(has_error(&result), "{text}: {result:?}"),
        }
    }
    let binder = prober.run_at(place, "(n : Nat)").await.must("run a binder");
    assert!(binder.success, "{binder:?}");
}
