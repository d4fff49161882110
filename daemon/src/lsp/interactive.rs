//! Goals as Lean sends them to an editor: structured, with tagged text.

use lean_beam_proto::op::{Goal, Hypothesis};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{rpc::plain_text, types::LspRange};

/// Answer to `$/lean/plainGoal`.
#[derive(Debug, Deserialize)]
pub(crate) struct PlainGoals {
    /// Each goal as Lean prints it.
    pub(crate) goals: Vec<String>,
}

/// Answer to `$/lean/plainTermGoal`.
#[derive(Debug, Deserialize)]
pub(crate) struct PlainTermGoal {
    /// The goal as Lean prints it.
    pub(crate) goal: String,
    pub(crate) range: LspRange,
}

/// Answer to `Lean.Widget.getInteractiveGoals`.
#[derive(Debug, Deserialize)]
pub(crate) struct InteractiveGoals {
    pub(crate) goals: Vec<InteractiveGoal>,
}

/// One goal of a tactic state, or the goal of a term.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InteractiveGoal {
    user_name: Option<String>,
    /// Absent for the goal of a term.
    goal_prefix: Option<String>,
    /// Absent for the goal of a term.
    mvar_id: Option<String>,
    #[serde(rename = "type")]
    target: Box<RawValue>,
    hyps: Vec<InteractiveHypothesis>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct InteractiveHypothesis {
    names: Vec<String>,
    #[serde(rename = "type")]
    type_: Box<RawValue>,
    val: Option<Box<RawValue>>,
    is_instance: Option<bool>,
}

impl InteractiveGoal {
    /// What Lean calls the goal itself, whatever is shown of it.
    pub(crate) fn id(&self) -> Option<&str> {
        self.mvar_id.as_deref()
    }

    /// Our form of it.
    pub(crate) fn into_goal(self) -> Goal {
        Goal {
            user_name: self.user_name,
            goal_prefix: self.goal_prefix.unwrap_or_else(|| "⊢ ".to_owned()),
            target: plain_text(&self.target),
            hyps: self
                .hyps
                .into_iter()
                .map(InteractiveHypothesis::into_hypothesis)
                .collect(),
        }
    }
}

impl InteractiveHypothesis {
    fn into_hypothesis(self) -> Hypothesis {
        Hypothesis {
            type_: plain_text(&self.type_),
            value: self.val.as_deref().map(plain_text),
            is_instance: self.is_instance == Some(true),
            names: self.names,
        }
    }
}

/// A side of a tactic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Before,
    After,
}

/// Which side of a tactic an answer of `Lean.Widget.getInteractiveGoals` is on.
///
/// Lean marks what the tactic will change in a state before it, and what it changed in a state after it. An
/// answer without marks, about a tactic that changes nothing, is on no known side. The marks are looked
/// for as text: quotes inside strings are escaped, so nothing else looks like them.
pub(crate) fn shown_side(answer: &RawValue) -> Option<Side> {
    let has = |marks: &[&str]| marks.iter().any(|mark| answer.get().contains(mark));
    let before = has(&["\"isRemoved\":true", "\"diffStatus\":\"will"]);
    let after = has(&["\"isInserted\":true", "\"diffStatus\":\"was"]);
    match (before, after) {
        (true, false) => Some(Side::Before),
        (false, true) => Some(Side::After),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_keeps_its_names_values_and_instances() {
        let json = r#"{"ctx":{"__rpcref":"9"},"goalPrefix":"⊢ ","mvarId":"_uniq.1","isInserted":false,"userName":"left",
            "hyps":[{"fvarIds":["_uniq.2","_uniq.3"],"isType":true,"names":["p","q"],"type":{"text":"Prop"}},
                    {"fvarIds":["_uniq.4"],"isInstance":true,"names":["inst✝"],"type":{"append":[{"text":"Decidable "},{"text":"p"}]}},
                    {"fvarIds":["_uniq.5"],"names":["x"],"type":{"text":"Nat"},"val":{"text":"5"}}],
            "type":{"tag":[{"info":{"__rpcref":"1"},"subexprPos":"/"},{"text":"q"}]}}"#;
        let goal = serde_json::from_str::<InteractiveGoal>(json)
            .unwrap()
            .into_goal();
        assert_eq!(goal.user_name.as_deref(), Some("left"));
        assert_eq!(
            (goal.goal_prefix.as_str(), goal.target.as_str()),
            ("⊢ ", "q")
        );
        assert_eq!(goal.hyps[0].names, ["p", "q"]);
        assert_eq!(
            (goal.hyps[1].type_.as_str(), goal.hyps[1].is_instance),
            ("Decidable p", true)
        );
        assert_eq!(
            (goal.hyps[2].value.as_deref(), goal.hyps[2].is_instance),
            (Some("5"), false)
        );
    }
}
