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
    /// What Lean calls each goal; empty where it does not say.
    ids: Vec<String>,
    /// Which side of its tactic the state is on, where Lean's marks of what the tactic changes tell.
    pub(crate) side: Option<Side>,
}

impl GoalState {
    /// The same state without goal number `number`.
    pub(crate) fn without(self, number: usize) -> Self {
        self.kept(|at, _| at != number)
    }

    /// The same state without goals that are in `other` too.
    pub(crate) fn without_goals_of(self, other: &Self) -> Self {
        self.kept(|_, id| !other.ids.iter().any(|known| known == id))
    }

    /// True when all of its goals are in `other` too, in any order.
    pub(crate) fn is_part_of(&self, other: &Self) -> bool {
        let knows = |id: &String| !id.is_empty() && other.ids.contains(id);
        self.ids.iter().all(knows)
    }

    /// True when it has the goals of `other`, in that order.
    pub(crate) fn has_goals_of(&self, other: &Self) -> bool {
        self.ids.len() == other.ids.len() && self.is_part_of(other) && self.ids == other.ids
    }

    /// Each goal once. Where a tactic was run several times, Lean shows the goals of all runs.
    fn without_repeats(self) -> Self {
        let ids = self.ids.clone();
        self.kept(|at, id| id.is_empty() || !ids[..at].iter().any(|earlier| earlier == id))
    }

    fn kept(mut self, keep: impl Fn(usize, &str) -> bool) -> Self {
        let kept: Vec<_> = (0..self.goals.len())
            .map(|at| keep(at, self.ids.get(at).map_or("", String::as_str)))
            .collect();
        retain(&mut self.goals, &kept);
        retain(&mut self.printed, &kept);
        retain(&mut self.ids, &kept);
        self.rendered = rendered(&self.printed);
        self
    }
}

fn retain<T>(values: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    values.retain(|_| kept.next().copied().unwrap_or(true));
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
            let ids = structured.goals.iter().map(InteractiveGoal::id);
            let state = GoalState {
                ids: ids.map(|id| id.unwrap_or_default().to_owned()).collect(),
                goals: structured
                    .goals
                    .into_iter()
                    .map(InteractiveGoal::into_goal)
                    .collect(),
                rendered: rendered(&printed.goals),
                printed: printed.goals,
                side,
            };
            Ok(Some(state.without_repeats()))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn state(ids: &[&str]) -> GoalState {
        let texts = |prefix: &str| ids.iter().map(|id| format!("{prefix}{id}")).collect();
        let printed: Vec<String> = texts("⊢ ");
        GoalState {
            goals: vec![Goal::default(); ids.len()],
            rendered: rendered(&printed),
            printed,
            ids: texts(""),
            side: None,
        }
    }

    #[test]
    fn a_goal_of_several_runs_is_shown_once() {
        let once = state(&["a", "b", "a"]).without_repeats();
        assert_eq!(
            (once.goals.len(), once.rendered.as_str()),
            (2, "⊢ a\n\n⊢ b")
        );
        assert_eq!(state(&["", ""]).without_repeats().goals.len(), 2);
    }

    #[test]
    fn goals_are_told_apart_by_what_lean_calls_them() {
        let (all, one) = (state(&["a", "b"]), state(&["b"]));
        assert!(one.is_part_of(&all) && !all.is_part_of(&one));
        assert!(all.has_goals_of(&state(&["a", "b"])) && !all.has_goals_of(&state(&["b", "a"])));
        assert_eq!(all.clone().without_goals_of(&one).ids, ["a"]);
        assert_eq!(all.without(0).rendered, "⊢ b");
        assert!(!state(&[""]).is_part_of(&state(&[""])), "nothing is known");
    }
}
