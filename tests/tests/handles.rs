//! Handles: going on from where a text has led, branching, and every way in which a handle ends.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::{
    fs,
    time::{Duration, Instant},
};

use lean_beam_proto::{BeamError, ErrorCode, op::RunAtHandle};
use lean_beam_tests::{
    must::{Must, MustFail},
    probing::{self, Place, Prober, before, lane_workers, rendered},
    wait::{HANG, eventually},
    world::{Beam, Project},
};
use nix::sys::signal::Signal;

const FILE: &str = "\
theorem above : True := by
  trivial

theorem here (p q : Prop) (h : p ∧ q) : q ∧ p := by
  have start := h
  exact ⟨h.right, h.left⟩

theorem below : True := by
  trivial
";

/// How many texts the long run runs, unless [`RUNS_VARIABLE`] says otherwise.
const RUNS: usize = 1_000;
/// For a longer run than every change needs.
const RUNS_VARIABLE: &str = "LEAN_BEAM_TEST_PROBES";

async fn world() -> (Beam, Project, Prober, Place) {
    let (beam, project, prober) = probing::world(FILE).await;
    let place = before(FILE, "exact ⟨h.right");
    (beam, project, prober, place)
}

fn step(number: usize) -> String {
    format!("have h{number} : {number} = {number} := rfl")
}

/// The reason in the data of an error that says that a handle has ended.
#[track_caller]
fn reason(error: &BeamError) -> String {
    assert_eq!(error.code, ErrorCode::HandleInvalidated, "{error:?}");
    let data = error.data.as_ref().must("say why");
    data["reason"].as_str().must("say why").to_owned()
}

#[tokio::test]
async fn a_chain_of_twenty_steps_is_what_all_its_texts_together_are() {
    let (_beam, _project, prober, place) = world().await;
    let mut handles = vec![prober.handle(place, &step(0)).await];
    for number in 1..20 {
        let next = prober.go_on(&handles[number - 1], &step(number)).await;
        handles.push(next);
    }
    let texts: Vec<_> = (0..20).map(step).collect();
    for depth in [20, 1, 13, 2, 19, 5, 20] {
        let whole = prober.run_at(place, &texts[..depth].join("\n")).await;
        let whole = whole.must("run all texts at once");
        let state = prober.run_with(&handles[depth - 1], "skip").await;
        let state = state.must("go on from a handle");
        assert_eq!(rendered(&state), rendered(&whole), "depth {depth}");
        assert_eq!(state.proof_state, whole.proof_state, "depth {depth}");
    }
    let closed = prober
        .run_with(&handles[19], "exact ⟨h.right, h.left⟩")
        .await;
    assert_eq!(rendered(&closed.must("close the goal")), "no goals");
}

#[tokio::test]
async fn branches_of_one_handle_do_not_know_of_each_other() {
    let (_beam, _project, prober, place) = world().await;
    let root = prober.handle(place, "have root := h").await;
    let left = prober.go_on(&root, "have left := root").await;
    let right = prober.go_on(&root, "constructor").await;
    let deeper = prober.go_on(&left, "constructor").await;
    for _ in 0..3 {
        for (handle, with, without, goals) in [
            (&left, "left : p ∧ q", "case", 1),
            (&right, "root : p ∧ q", "left : p", 2),
            (&deeper, "case right", "nothing", 2),
            (&root, "root : p ∧ q", "left : p", 1),
        ] {
            let result = prober.run_with(handle, "skip").await.must("go on");
            assert!(rendered(&result).contains(with), "{result:?}");
            assert!(!rendered(&result).contains(without), "{result:?}");
            let state = result.proof_state.must("be in a proof");
            assert_eq!(state.goals.len(), goals);
        }
    }
}

#[tokio::test]
async fn a_text_that_fails_gives_no_handle_and_harms_none() {
    let (_beam, _project, prober, place) = world().await;
    let handle = prober.handle(place, "have kept := h").await;
    for text in ["exact nope", "skip)", "#check Nat", "exact", "skip /-"] {
        let result = prober.run_with(&handle, text).await.must("go on");
        assert!(!result.success, "{result:?}");
        assert_eq!(result.next_handle, None);
        assert!(rendered(&result).contains("kept : p ∧ q"), "{result:?}");
    }
    let result = prober.run_with(&handle, "exact ⟨kept.2, kept.1⟩").await;
    assert!(result.must("go on").success);
}

#[tokio::test]
async fn what_was_admitted_is_told_of_every_later_step() {
    let (_beam, _project, prober, place) = world().await;
    let admitted = prober.handle(place, "have lie : p ∧ p := by sorry").await;
    let result = prober.run_with(&admitted, "have next := lie").await;
    let result = result.must("go on");
    assert!(result.uses_sorry, "{result:?}");
    let honest = prober.handle(place, "have sorryNot := h").await;
    let result = prober.run_with(&honest, "skip").await.must("go on");
    assert!(!result.uses_sorry, "{result:?}");
}

#[tokio::test]
async fn linear_use_ends_a_handle_whatever_comes_of_it() {
    let (_beam, _project, prober, place) = world().await;
    for (text, success) in [("have next := h", true), ("exact nope", false)] {
        let handle = prober.handle(place, "have start := h").await;
        let result = prober.run_with_linear(&handle, text).await.must("go on");
        assert_eq!(result.success, success);
        assert_eq!(result.next_handle.is_some(), success);
        let error = prober.run_with(&handle, "skip").await.must_fail();
        assert_eq!(reason(&error), "consumed");
        let error = prober.run_with_linear(&handle, "skip").await.must_fail();
        assert_eq!(reason(&error), "consumed");
        if let Some(next) = result.next_handle {
            assert!(prober.run_with(&next, "skip").await.must("go on").success);
        }
    }
}

#[tokio::test]
async fn a_released_handle_is_gone_and_no_other() {
    let (_beam, _project, prober, place) = world().await;
    let parent = prober.handle(place, "have parent := h").await;
    let child = prober.go_on(&parent, "have child := parent").await;
    assert!(prober.release(&parent).await.must("release"));
    assert!(!prober.release(&parent).await.must("release again"));
    let error = prober.run_with(&parent, "skip").await.must_fail();
    assert_eq!(reason(&error), "released");
    let result = prober.run_with(&child, "exact ⟨child.2, parent.1⟩").await;
    assert_eq!(rendered(&result.must("go on from the child")), "no goals");
}

#[tokio::test]
async fn an_edit_below_leaves_a_handle_and_one_above_ends_it() {
    let (_beam, _project, prober, place) = world().await;
    let handle = prober.handle(place, "have kept := h").await;
    let below = FILE.replace("theorem below : True", "theorem below2 : True ∧ True");
    prober.edited(&below).await;
    let result = prober.run_with(&handle, "have after := kept").await;
    assert!(rendered(&result.must("go on after an edit below")).contains("after : p ∧ q"));
    let same_line = below.replace("  exact ⟨h.right, h.left⟩", "  exact ⟨h.2, nope⟩");
    prober.edited(&same_line).await;
    let result = prober.run_with(&handle, "skip").await;
    assert!(result.must("go on after an edit of what follows").success);
    let above = same_line.replace("theorem above", "theorem above2");
    let edited = prober.edited(&above).await;
    let error = edited.run_with(&handle, "skip").await.must_fail();
    assert_eq!(reason(&error), "edited");
    prober.edited(FILE).await;
    let error = prober.run_with(&handle, "skip").await.must_fail();
    assert_eq!(reason(&error), "edited", "it stays dead");
}

#[tokio::test]
async fn an_edit_just_before_the_place_ends_a_handle() {
    let (_beam, _project, prober, place) = world().await;
    let handle = prober.handle(place, "have kept := start").await;
    let edited = FILE.replace("have start := h", "have start := h.left");
    let edited = prober.edited(&edited).await;
    let error = edited.run_with(&handle, "skip").await.must_fail();
    assert_eq!(reason(&error), "edited");
    let fresh = edited.handle(place, "have kept := start").await;
    let result = edited.run_with(&fresh, "skip").await.must("go on");
    assert!(rendered(&result).contains("start kept : p"), "{result:?}");
}

#[tokio::test]
async fn closing_and_refreshing_the_file_end_its_handles_and_say_so() {
    let (_beam, project, prober, place) = world().await;
    let other = Prober::open(&project, "B.lean", FILE).await;
    let elsewhere = other.handle(place, "have other := h").await;
    let handle = prober.handle(place, "have kept := h").await;
    project.close("A.lean").await.must("close");
    let error = prober.run_with(&handle, "skip").await.must_fail();
    assert_eq!(reason(&error), "closed");
    let prober = prober.edited(FILE).await;
    let error = prober.run_with(&handle, "skip").await.must_fail();
    assert_eq!(reason(&error), "closed", "opening does not bring it back");
    let handle = prober.handle(place, "have kept := h").await;
    project.refresh("A.lean").await.must("refresh");
    let error = prober.run_with(&handle, "skip").await.must_fail();
    assert_eq!(reason(&error), "restarted");
    let result = other.run_with(&elsewhere, "skip").await;
    assert!(result.must("go on in the other file").success);
}

#[tokio::test]
async fn dropping_the_workspace_ends_all_handles_and_counts_them() {
    let (_beam, project, prober, place) = world().await;
    let first = prober.handle(place, "have one := h").await;
    let second = prober.go_on(&first, "have two := h").await;
    let dropped = project.drop_workspace().await.must("drop");
    assert_eq!(dropped.invalidated_handles, 2);
    let prober = prober.edited(FILE).await;
    for handle in [first, second] {
        let error = prober.run_with(&handle, "skip").await.must_fail();
        assert_eq!(reason(&error), "dropped");
    }
    let fresh = prober.handle(place, "have one := h").await;
    assert!(prober.run_with(&fresh, "skip").await.must("go on").success);
}

#[tokio::test]
async fn a_handle_of_another_workspace_file_or_daemon_is_not_found() {
    let (beam, project, prober, place) = world().await;
    let handle = prober.handle(place, "have kept := h").await;
    let elsewhere = beam.project_named("elsewhere");
    let foreign = Prober::open(&elsewhere, "A.lean", FILE).await;
    let neighbour = Prober::open(&project, "B.lean", FILE).await;
    for stranger in [&foreign, &neighbour] {
        for error in [
            stranger.run_with(&handle, "skip").await.must_fail(),
            stranger.run_with_linear(&handle, "skip").await.must_fail(),
        ] {
            assert_eq!(error.code, ErrorCode::HandleNotFound, "{error:?}");
            assert!(error.hint.is_some(), "{error:?}");
        }
    }
    let error = foreign.release(&handle).await.must_fail();
    assert_eq!(error.code, ErrorCode::HandleNotFound, "{error:?}");
    for nonsense in ["", "h1", "nonsense", "h1-x"] {
        let error = prober.run_with(nonsense, "skip").await.must_fail();
        assert_eq!(error.code, ErrorCode::HandleNotFound, "{error:?}");
    }
    assert!(prober.run_with(&handle, "skip").await.must("go on").success);
    beam.stop().await;
    let prober = prober.edited(FILE).await;
    let error = prober.run_with(&handle, "skip").await.must_fail();
    assert_eq!(error.code, ErrorCode::HandleNotFound, "{error:?}");
}

#[tokio::test]
async fn a_dead_lane_does_not_end_a_handle() {
    let (beam, _project, prober, place) = world().await;
    let handle = prober.handle(place, "have kept := h").await;
    for _ in 0..3 {
        let workers = eventually(HANG, "a lane", async || {
            let workers = lane_workers(&beam).await;
            (!workers.is_empty()).then_some(workers)
        })
        .await;
        workers.iter().for_each(|one| one.signal(Signal::SIGKILL));
        eventually(HANG, "the end of the lanes", async || {
            workers.iter().all(|one| !one.is_alive()).then_some(())
        })
        .await;
        let result = eventually(HANG, "an answer of a new lane", async || {
            match prober.run_with(&handle, "skip").await {
                Ok(result) => Some(result),
                // The text may have been on its way to the lane that was just killed.
                Err(error) => {
                    assert_eq!(error.code, ErrorCode::WorkerCrashed, "{error:?}");
                    None
                }
            }
        })
        .await;
        assert!(rendered(&result).contains("kept : p ∧ q"), "{result:?}");
    }
}

#[tokio::test]
async fn commands_go_on_from_commands() {
    let (_beam, project, prober, _place) = world().await;
    let place = before(FILE, "theorem below");
    let defined = prober.handle(place, "def one : Nat := 1").await;
    let inside = prober
        .go_on(&defined, "namespace Inner\nvariable (n : Nat)")
        .await;
    let more = prober
        .go_on(&inside, "def two (m : Nat) : Nat := one + n + m")
        .await;
    for (handle, text, wanted) in [
        (&defined, "#eval one + 1", Ok("2")),
        (&more, "#check two", Ok("Inner.two (n m : Nat) : Nat")),
        (&defined, "#check Inner.two", Err(())),
        (&more, "end Inner\n#eval Inner.two 3 4", Ok("8")),
        (&inside, "#check n", Ok("n : Nat")),
        (&inside, "end Outer", Err(())),
    ] {
        let result = prober.run_with(handle, text).await.must("go on");
        assert_eq!(result.success, wanted.is_ok(), "{text}: {result:?}");
        assert_eq!(result.proof_state, None);
        if let Ok(message) = wanted {
            assert_eq!(result.messages.len(), 1, "{text}: {result:?}");
            assert_eq!(result.messages[0].text, message);
        }
    }
    let params = prober.params(place, "theorem wrong : 1 = 2 := rfl");
    let result = project.call::<RunAtHandle>(params).await.must("run");
    assert_eq!((result.success, result.next_handle), (false, None));
}

#[tokio::test]
async fn thousands_of_texts_cost_the_same_at_the_end_as_at_the_beginning() {
    let (beam, _project, prober, place) = world().await;
    let runs = std::env::var(RUNS_VARIABLE).ok();
    let runs = runs.map_or(RUNS, |number| number.parse().must("read a number of runs"));
    let root = prober.handle(place, "have root := h").await;
    // What is made once for all is made by now.
    for number in 0..50 {
        one_of_many(&prober, place, &root, number).await;
    }
    let before = Usage::of(&beam).await;
    let mut times = Vec::new();
    for number in 0..runs {
        let began = Instant::now();
        one_of_many(&prober, place, &root, number).await;
        times.push(began.elapsed());
    }
    let after = Usage::of(&beam).await;
    let tenth = runs / 10;
    let (first, last) = (median(&times[..tenth]), median(&times[runs - tenth..]));
    println!(
        "{runs} runs: median {first:?} at first, {last:?} at last; {before:?}, then {after:?}"
    );
    assert!(
        last < first * 3 + Duration::from_millis(50),
        "{first:?}, then {last:?}"
    );
    assert!(
        after.files <= before.files + 5,
        "{before:?}, then {after:?}"
    );
    let grown = |before: u64, after: u64| after.saturating_sub(before);
    assert!(
        grown(before.daemon, after.daemon) < 50_000_000,
        "{before:?}, then {after:?}"
    );
    assert!(
        grown(before.lean, after.lean) < 200_000_000,
        "{before:?}, then {after:?}"
    );
}

/// A text at the place, after a handle, good or bad, in turn; each a new one.
async fn one_of_many(prober: &Prober, place: Place, root: &str, number: usize) {
    let good = format!("have h{number} : {number} = {number} := rfl");
    let result = match number % 4 {
        0 => prober.run_at(place, &good).await,
        1 => prober.run_with(root, &good).await,
        2 => prober.run_at(place, &format!("exact nope{number}")).await,
        _ => {
            let handle = prober.go_on(root, &good).await;
            prober
                .run_with_linear(&handle, "exact ⟨root.2, root.1⟩")
                .await
        }
    };
    let result = result.must("run one of many texts");
    assert_eq!(result.success, number % 4 != 2, "{result:?}");
}

fn median(times: &[Duration]) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort();
    sorted[sorted.len() / 2]
}

/// What a world uses, in bytes and open files.
#[derive(Debug, Clone, Copy)]
struct Usage {
    daemon: u64,
    lean: u64,
    files: usize,
}

impl Usage {
    async fn of(beam: &Beam) -> Self {
        let status = beam.status().await;
        let lean = status
            .workspaces
            .iter()
            .flat_map(|workspace| &workspace.processes);
        let daemon = beam.daemon().must("find the daemon");
        let files = fs::read_dir(format!("/proc/{}/fd", daemon.pid)).must("list its open files");
        Self {
            daemon: status.resident_bytes.must("know the daemon's memory"),
            lean: lean.map(|process| process.resident_bytes).sum(),
            files: files.count(),
        }
    }
}
