//! Tactics inside others that go on when these fail, such as `try` and `first`: Lean shows nothing of such failures, nor
//! which alternatives it passed over.

use lean_beam_proto::op::{GoalMode, ProofStatus};

use super::tactic_state::{before, first_shown, tactic_state};
use crate::{
    goals::{Caught, Failure, GoalState, Runs, Target, may_do_nothing},
    session::SessionError,
    workspace::DocumentAt,
};

/// A tactic that fails where goals are left, and otherwise does nothing.
const DONE: &str = "done";

/// The target, or the outermost tactic around it that did not come to it.
pub(super) async fn reached(document: &DocumentAt, target: Target) -> Result<Target, SessionError> {
    let mut around = Vec::new();
    let mut next = target.caught.as_deref();
    while let Some(caught) = next {
        around.push(caught);
        next = caught.by.caught.as_deref();
    }
    for caught in around.iter().rev() {
        if !was_entered(document, caught).await? {
            return Ok(caught.by.clone());
        }
    }
    Ok(target)
}

/// True unless an alternative was passed over. One that was tried started where the tactic itself did.
async fn was_entered(document: &DocumentAt, caught: &Caught) -> Result<bool, SessionError> {
    let Some(entry) = caught.entry else {
        return Ok(true);
    };
    let entry = first_shown(document, &[entry]).await?;
    let (Some((_, entry)), Some(before)) = (entry, before(document, &caught.by).await?) else {
        return Ok(true);
    };
    Ok(match caught.by.runs {
        Runs::Once => entry.has_goals_of(&before),
        Runs::Again | Runs::EachGoal => !entry.goals.is_empty() && entry.is_part_of(&before),
    })
}

/// What the runs of a tactic left that did not fail, where the tactics around it go on after a failure; `Err` holds the
/// state as it is where all of them failed.
pub(super) async fn come_through(
    document: &DocumentAt,
    target: &Target,
    after: GoalState,
    collected: bool,
) -> Result<Result<GoalState, GoalState>, SessionError> {
    if target.caught.is_none() || target.is_block {
        return Ok(Ok(after));
    }
    let failed = match target.fails {
        Failure::Own => return own_work(document, target, after).await,
        Failure::AnyPart => {
            let blocks = target.inner.iter().flatten();
            any_fails(document, blocks, collected).await?
        }
        Failure::AllBlocks => {
            let mut failed = !target.inner.is_empty();
            for block in &target.inner {
                failed = failed && any_fails(document, block, collected).await?;
            }
            failed
        }
        Failure::Unknown => false,
    };
    Ok(if failed { Err(after) } else { Ok(after) })
}

/// True when one of the tactics that start at these bytes failed. Those behind it were not come to.
async fn any_fails(
    document: &DocumentAt,
    starts: impl IntoIterator<Item = &usize>,
    collected: bool,
) -> Result<bool, SessionError> {
    for start in starts {
        let position = document.text.position(*start);
        let state = Box::pin(tactic_state(document, position, GoalMode::After, collected));
        if state.await?.status == ProofStatus::Failed {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The same for a tactic that runs no others: it is there to do something, or, as `done`, for nothing to be left.
async fn own_work(
    document: &DocumentAt,
    target: &Target,
    after: GoalState,
) -> Result<Result<GoalState, GoalState>, SessionError> {
    let tactic = &document.text.as_str()[target.basis.clone()];
    if tactic != DONE && may_do_nothing(tactic) {
        return Ok(Ok(after));
    }
    let Some(before) = before(document, target).await? else {
        return Ok(Ok(after));
    };
    let failed = match target.runs {
        _ if tactic == DONE => !before.goals.is_empty(),
        Runs::Once | Runs::Again => !after.goals.is_empty() && after.has_goals_of(&before),
        Runs::EachGoal => !before.goals.is_empty() && before.is_part_of(&after),
    };
    Ok(match target.runs {
        _ if failed => Err(after),
        Runs::EachGoal => Ok(after.without_goals_of(&before)),
        Runs::Once | Runs::Again => Ok(after),
    })
}
