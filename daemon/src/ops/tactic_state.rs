//! The state before and after a tactic, and whether the tactic failed.

use lean_beam_proto::{
    op::{Goal, GoalMode, ProofStatus},
    text::{Diagnostic, DiagnosticTag, Position, Range, Severity},
};

use super::{
    caught::{come_through, reached},
    header::settle_header,
};
use crate::{
    goals::{Closed, GoalState, Spot, Target, goals_at, target_at},
    session::SessionError,
    workspace::DocumentAt,
};

/// The state on one side of the tactic at a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TacticState {
    pub(crate) status: ProofStatus,
    pub(crate) state: Option<GoalState>,
    /// The tactic, where it is known.
    pub(crate) basis: Option<Range>,
}

impl TacticState {
    fn of(state: GoalState, failed: bool, basis: Range) -> Self {
        let status = match () {
            () if failed => ProofStatus::Failed,
            () if state.goals.is_empty() => ProofStatus::Solved,
            () => ProofStatus::Open,
        };
        Self {
            status,
            state: Some(state),
            basis: Some(basis),
        }
    }

    const NONE: Self = Self {
        status: ProofStatus::None,
        state: None,
        basis: None,
    };
}

/// The state before or after the tactic that `position` means. Waits for the part of the document that it needs.
///
/// `collected` says that Lean collects its messages for a while, so that only a complete verdict tells
/// whether a tactic failed.
///
/// # Errors
/// As [`goals_at`].
pub(crate) async fn tactic_state(
    document: &DocumentAt,
    position: Position,
    mode: GoalMode,
    collected: bool,
) -> Result<TacticState, SessionError> {
    let offset = document.text.offset(position).ok();
    let target = offset.and_then(|offset| target_at(document.text.as_str(), offset));
    let Some(target) = target else {
        return without_outline(document, position).await;
    };
    let target = reached(document, target).await?;
    state_of(document, &target, position, mode, collected).await
}

async fn state_of(
    document: &DocumentAt,
    target: &Target,
    position: Position,
    mode: GoalMode,
    collected: bool,
) -> Result<TacticState, SessionError> {
    let state = match mode {
        GoalMode::Before => before(document, target).await?,
        GoalMode::After => after(document, target).await?,
    };
    let Some(state) = state else {
        return without_outline(document, position).await;
    };
    let basis = range_of(document, &target.basis);
    if mode == GoalMode::Before {
        return Ok(TacticState::of(state, false, basis));
    }
    wait_for_messages(document, basis, collected).await?;
    if has_failed(document, target, &state) {
        return Ok(TacticState::of(state, true, basis));
    }
    Ok(
        match come_through(document, target, state, collected).await? {
            Ok(state) => TacticState::of(state, false, basis),
            Err(state) => TacticState::of(state, true, basis),
        },
    )
}

/// What Lean itself shows at the position: for syntax that the outline does not know.
async fn without_outline(
    document: &DocumentAt,
    position: Position,
) -> Result<TacticState, SessionError> {
    let shown = goals_at(
        &document.session,
        &document.path.uri,
        document.text.to_lean(position),
    )
    .await?;
    Ok(match shown {
        None => TacticState::NONE,
        Some(state) => TacticState {
            status: if state.goals.is_empty() {
                ProofStatus::Solved
            } else {
                ProofStatus::Open
            },
            state: Some(state),
            basis: None,
        },
    })
}

pub(super) async fn before(
    document: &DocumentAt,
    target: &Target,
) -> Result<Option<GoalState>, SessionError> {
    let shown = first_shown(document, &target.before).await?;
    Ok(shown.map(|(_, state)| state))
}

async fn after(document: &DocumentAt, target: &Target) -> Result<Option<GoalState>, SessionError> {
    let shown = first_shown(document, &target.after.at).await?;
    match (shown, &target.after.closes) {
        (Some((_, state)), _) => Ok(Some(state)),
        (None, None) => Ok(None),
        (None, Some(closed)) => Ok(before(document, target)
            .await?
            .map(|state| without(state, closed))),
    }
}

/// The state at the first spot where Lean does not say that it is on the wrong side of a tactic; where it
/// always does, at the first of them.
///
/// # Errors
/// As [`goals_at`].
pub(crate) async fn first_shown(
    document: &DocumentAt,
    spots: &[Spot],
) -> Result<Option<(usize, GoalState)>, SessionError> {
    let mut first = None;
    for spot in spots {
        let position = document.text.to_lean(document.text.position(spot.offset));
        let shown = goals_at(&document.session, &document.path.uri, position).await?;
        let shown = shown.map(|state| (spot.offset, state));
        match shown {
            Some((offset, state)) if spot.not.is_none() || state.side != spot.not => {
                return Ok(Some((offset, state)));
            }
            shown => first = first.or(shown),
        }
    }
    Ok(first)
}

/// The state that is left when one goal is closed.
fn without(state: GoalState, closed: &Closed) -> GoalState {
    let number = match closed {
        Closed::First => 0,
        Closed::Tagged(tag) => state
            .goals
            .iter()
            .position(|goal| has_tag(goal, tag))
            .unwrap_or(0),
    };
    state.without(number)
}

/// `case b` finds the goal `a.b` too.
fn has_tag(goal: &Goal, tag: &str) -> bool {
    goal.user_name.as_deref().is_some_and(|name| {
        name == tag
            || name
                .strip_suffix(tag)
                .is_some_and(|rest| rest.ends_with('.'))
    })
}

/// Waits until Lean has reported every message about `range`. `collected` is as for [`tactic_state`].
///
/// # Errors
/// As [`goals_at`].
pub(crate) async fn wait_for_messages(
    document: &DocumentAt,
    range: Range,
    collected: bool,
) -> Result<(), SessionError> {
    if collected {
        return document
            .session
            .wait_for_diagnostics(&document.path.uri, document.version)
            .await;
    }
    let mut watch = document.watch.clone();
    watch
        .wait_for(|snapshot| {
            snapshot.version != document.version || snapshot.crashed || snapshot.is_settled(range)
        })
        .await
        .map_err(|_| SessionError::Overtaken)?;
    settle_header(document).await
}

fn has_failed(document: &DocumentAt, target: &Target, state: &GoalState) -> bool {
    let snapshot = document.watch.borrow();
    let errors = snapshot
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error);
    let mut starts = errors.filter_map(|error| {
        let offset = document.text.offset(error.range.start).ok()?;
        target.basis.contains(&offset).then_some((offset, error))
    });
    starts.any(|(offset, error)| {
        let is_own = !target.nested.iter().any(|inner| inner.contains(&offset));
        let is_remainder = target.is_block && is_unsolved(error);
        if state.goals.is_empty() {
            true
        } else {
            is_own && !is_remainder
        }
    })
}

/// True for a message that lists goals that are left.
pub(crate) fn is_unsolved(error: &Diagnostic) -> bool {
    // Older versions do not mark it.
    error.tags.contains(&DiagnosticTag::UnsolvedGoals)
        || error.message.starts_with("unsolved goals")
}

/// The range of a stretch of bytes.
pub(crate) fn range_of(document: &DocumentAt, bytes: &std::ops::Range<usize>) -> Range {
    Range::new(
        document.text.position(bytes.start),
        document.text.position(bytes.end),
    )
}
