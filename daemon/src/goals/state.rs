//! Asking for the goals at a position.

use lean_beam_proto::op::{Goal, ProofState};

use crate::{
    lsp::{
        InteractiveGoal, InteractiveGoals, LspPosition, LspRange, PlainGoals, PlainTermGoal, Side,
        TextDocumentPosition, method, procedure, shown_side,
    },
    session::{SessionError, SessionHandle},
};

/// What Lean prints where nothing is left to prove.
const NO_GOALS: &str = "no goals";

/// The goals at a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GoalState {
    /// The goals, the main one first.
    pub(crate) goals: Vec<Goal>,
    /// The goals as Lean prints them, separated by an empty line; `no goals` when there are none.
    pub(crate) rendered: String,
    /// Each goal as Lean prints it.
    printed: Vec<String>,
    /// Which side of its tactic the state is on, where Lean's marks of what the tactic changes tell.
    pub(crate) side: Option<Side>,
}

impl GoalState {
    /// The same state without goal number `number`.
    pub(crate) fn without(mut self, number: usize) -> Self {
        if number < self.goals.len() {
            self.goals.remove(number);
            self.printed.remove(number);
        }
        self.rendered = rendered(&self.printed);
        self
    }
}

impl From<GoalState> for ProofState {
    fn from(state: GoalState) -> Self {
        Self::of_goals(state.goals, state.rendered)
    }
}

/// The goals that Lean shows at `position`, by Lean's count; `None` where there is no proof. Lean waits for
/// the part of the document that it needs.
///
/// Lean shows the state before a tactic at its first character and in the white space in front of it, and
/// the state after it from its second character on. A tactic that failed leaves no goals here, just as
/// one that closed them.
///
/// # Errors
/// As [`SessionHandle::request`]. An edit between the two requests behind this shows as
/// [`SessionError::Invalid`] at worst: whoever asks has to see whether the version is still the same.
pub(crate) async fn goals_at(
    session: &SessionHandle,
    uri: &str,
    position: LspPosition,
) -> Result<Option<GoalState>, SessionError> {
    let params = TextDocumentPosition::new(uri, position);
    let printed = session.request::<_, Option<PlainGoals>>(uri, method::PLAIN_GOAL, &params);
    let structured = session.call_rpc(uri, position, procedure::INTERACTIVE_GOALS, &params);
    let (printed, structured) = tokio::try_join!(printed, structured)?;
    let side = shown_side(&structured);
    let structured = serde_json::from_str::<Option<InteractiveGoals>>(structured.get())
        .map_err(|error| not_understood(&error))?;
    match (printed, structured) {
        (None, None) => Ok(None),
        (Some(printed), Some(structured)) if printed.goals.len() == structured.goals.len() => {
            Ok(Some(GoalState {
                goals: structured
                    .goals
                    .into_iter()
                    .map(|goal| goal.into_goal())
                    .collect(),
                rendered: rendered(&printed.goals),
                printed: printed.goals,
                side,
            }))
        }
        _ => Err(SessionError::Invalid(
            "Lean prints other goals than it describes".to_owned(),
        )),
    }
}

/// The goal of a term.
#[derive(Debug)]
pub(crate) struct TermGoal {
    pub(crate) goal: Goal,
    /// The goal as Lean prints it.
    pub(crate) rendered: String,
    /// The term, by Lean's count.
    pub(crate) range: LspRange,
}

/// What is expected of the smallest term at `position`, by Lean's count; `None` where there is no term. Lean
/// waits for the part of the document that it needs.
///
/// # Errors
/// As [`SessionHandle::request`].
pub(crate) async fn term_goal_at(
    session: &SessionHandle,
    uri: &str,
    position: LspPosition,
) -> Result<Option<TermGoal>, SessionError> {
    let params = TextDocumentPosition::new(uri, position);
    let printed =
        session.request::<_, Option<PlainTermGoal>>(uri, method::PLAIN_TERM_GOAL, &params);
    let structured = session.call_rpc(uri, position, procedure::INTERACTIVE_TERM_GOAL, &params);
    let (printed, structured) = tokio::try_join!(printed, structured)?;
    let structured = serde_json::from_str::<Option<InteractiveGoal>>(structured.get())
        .map_err(|error| not_understood(&error))?;
    Ok(printed
        .zip(structured)
        .map(|(printed, structured)| TermGoal {
            goal: structured.into_goal(),
            rendered: printed.goal,
            range: printed.range,
        }))
}

fn not_understood(error: &serde_json::Error) -> SessionError {
    SessionError::Invalid(format!("Lean's goals are not understood: {error}"))
}

fn rendered(goals: &[String]) -> String {
    if goals.is_empty() {
        NO_GOALS.to_owned()
    } else {
        goals.join("\n\n")
    }
}
