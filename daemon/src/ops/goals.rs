//! `goals` and `term_goal`: what is to be proved at a place.

use futures_util::FutureExt as _;
use lean_beam_proto::{
    BeamResult,
    op::{GoalsParams, GoalsResult, PositionParams, ProofStatus, TermGoalResult},
};

use super::tactic_state::tactic_state;
use super::{
    OpContext,
    header::refuse_failed_header,
    navigate::range_from_lean,
    position::locate,
    question::{AboutVersion, Unanswered, ask, position_in},
};
use crate::{goals::term_goal_at, workspace::DocumentAt};

pub(super) async fn goals(context: &OpContext<'_>, params: GoalsParams) -> BeamResult<GoalsResult> {
    let question = GoalsQuestion {
        params,
        collected: context.services.config.lean.report_delay_ms > 0,
    };
    ask(context, &question, |document, question| {
        goals_of(document, question).boxed()
    })
    .await
}

struct GoalsQuestion {
    params: GoalsParams,
    /// Lean collects its messages before it reports them.
    collected: bool,
}

impl AboutVersion for GoalsQuestion {
    fn document(&self) -> (&str, u64) {
        (&self.params.path, self.params.version)
    }
}

async fn goals_of(
    document: &DocumentAt,
    question: &GoalsQuestion,
) -> Result<GoalsResult, Unanswered> {
    let params = &question.params;
    let anchor = params.anchor.as_deref();
    let position = locate(&document.text, params.line, params.character, anchor)?;
    let found = tactic_state(document, position, params.mode, question.collected).await?;
    if found.status == ProofStatus::None {
        refuse_failed_header(document).await?;
    }
    let (goals, rendered) = found
        .state
        .map(|state| (state.goals, state.rendered))
        .unwrap_or_default();
    Ok(GoalsResult {
        version: params.version,
        status: found.status,
        goals,
        rendered,
        basis: found.basis,
    })
}

pub(super) async fn term_goal(
    context: &OpContext<'_>,
    params: PositionParams,
) -> BeamResult<TermGoalResult> {
    ask(context, &params, |document, params| {
        term_goal_of(document, params).boxed()
    })
    .await
}

async fn term_goal_of(
    document: &DocumentAt,
    params: &PositionParams,
) -> Result<TermGoalResult, Unanswered> {
    let position = document.text.to_lean(position_in(document, params)?);
    let found = term_goal_at(&document.session, &document.path.uri, position).await?;
    let Some(found) = found else {
        refuse_failed_header(document).await?;
        return Ok(TermGoalResult {
            version: params.version,
            goal: None,
            rendered: String::new(),
            range: None,
        });
    };
    Ok(TermGoalResult {
        version: params.version,
        goal: Some(found.goal),
        rendered: found.rendered,
        range: Some(range_from_lean(&document.text, found.range)),
    })
}
