//! Many candidates in one call.

use std::time::Duration;

use lean_beam_proto::op::{TryItem, TryStatus};
use lean_beam_tests::{
    must::Must,
    probing::{before, lane_workers, processor_time, until_quiet, world},
    wait::{HANG, eventually, within},
    world::Beam,
};
use nix::sys::signal::Signal;

use crate::STOPPED;

#[tokio::test]
async fn of_many_candidates_one_that_loops_and_one_whose_worker_dies_spoil_no_other() {
    let text = "theorem many (p q : Prop) (h : p ∧ q) : q ∧ p := by\n  skip\n";
    let (beam, _project, prober) = world(text).await;
    let place = before(text, "skip");
    drop(prober.goals(place).await);
    let mut candidates = vec!["repeat skip".to_owned(), "sleep 60000".to_owned()];
    for number in 0..30 {
        candidates.push(match number % 3 {
            0 => format!("exact nope{number}"),
            1 => format!("have h{number} : {number} = {number} := rfl"),
            _ => format!("exact ⟨h.right, h.left⟩ -- {number}"),
        });
    }
    let killing = kill_the_idle_lane(&beam);
    let limit = Duration::from_secs(8);
    let trying = prober.try_all(place, candidates, limit, false);
    let (result, ()) = tokio::join!(within(HANG, "32 candidates", trying), killing);
    let result = result.must("try candidates");
    assert_eq!(result.items.len(), 32);
    for (index, item) in result.items.iter().enumerate() {
        assert_eq!(item.index, index);
        assert_candidate(item);
    }
    assert_eq!(result.first_success, Some(4));
    until_quiet(&beam, STOPPED).await;
}

/// Of two lanes of which one computes, kills the other.
async fn kill_the_idle_lane(beam: &Beam) {
    let idle = eventually(
        HANG,
        "one lane that computes and one that does not",
        async || {
            let workers = lane_workers(beam).await;
            let busy: Vec<_> = workers
                .iter()
                .map(|one| processor_time(one) > 100)
                .collect();
            match busy[..] {
                [true, false] => Some(workers[1].clone()),
                [false, true] => Some(workers[0].clone()),
                _ => None,
            }
        },
    )
    .await;
    idle.signal(Signal::SIGKILL);
}

fn assert_candidate(item: &TryItem) {
    let wanted = match item.index {
        0 => TryStatus::Timeout,
        1 => TryStatus::Crashed,
        index => match (index - 2) % 3 {
            0 => TryStatus::Failed,
            1 => TryStatus::Ok,
            _ => TryStatus::Closed,
        },
    };
    assert_eq!(item.status, wanted, "{item:?}");
    let goals = item
        .proof_state
        .as_ref()
        .map(|state| state.rendered.as_str());
    match item.status {
        TryStatus::Timeout | TryStatus::Crashed => assert_eq!(goals, None),
        TryStatus::Failed => {
            assert_eq!(item.messages.len(), 1, "{item:?}");
            let name = format!("nope{}", item.index - 2);
            assert!(item.messages[0].text.contains(&name), "{item:?}");
        }
        TryStatus::Ok => {
            let hypothesis = format!("h{} :", item.index - 2);
            assert!(goals.must("have goals").contains(&hypothesis), "{item:?}");
        }
        _ => assert_eq!(goals, Some("no goals")),
    }
}

#[tokio::test]
async fn trying_can_stop_at_the_first_candidate_that_closes_the_goals() {
    let text = "theorem stop (p : Prop) (h : p) : p := by\n  skip\n";
    let (beam, _project, prober) = world(text).await;
    let place = before(text, "skip");
    let candidates = ["exact nope", "exact h", "repeat skip", "repeat skip"];
    let candidates = candidates.map(str::to_owned).to_vec();
    let limit = Duration::from_secs(30);
    let trying = prober.try_all(place, candidates, limit, true);
    let result = within(limit, "the first that closes", trying)
        .await
        .must("try");
    assert_eq!(result.first_success, Some(1));
    assert!(
        result
            .items
            .iter()
            .any(|item| item.status == TryStatus::Closed)
    );
    until_quiet(&beam, STOPPED).await;
    assert!(prober.goals(place).await.contains("⊢ p"));
}

#[tokio::test]
async fn what_rests_on_sorry_is_the_last_to_be_a_success() {
    let text = "theorem stop (p : Prop) (h : p) : p := by\n  skip\n";
    let (_beam, _project, prober) = world(text).await;
    let place = before(text, "skip");
    for (candidates, wanted) in [
        (["sorry", "exact h"], Some(1)),
        (["sorry", "have k := h"], Some(1)),
        (["sorry", "exact nope"], Some(0)),
        (["exact nope", "exact nada"], None),
    ] {
        let candidates = candidates.map(str::to_owned).to_vec();
        for stop_on_first in [false, true] {
            let trying = prober.try_all(place, candidates.clone(), HANG, stop_on_first);
            let result = trying.await.must("try");
            assert_eq!(result.first_success, wanted, "{result:?}");
        }
    }
}
