//! Proof states: what is left to prove at a place.

use serde::{Deserialize, Serialize};

use crate::text::Range;

/// One goal of a proof state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Goal {
    /// The case name, such as `inl` or `h.left`; null for a goal without one.
    pub user_name: Option<String>,
    /// What stands before the target: `⊢ ` for an ordinary goal, `| ` in conversion mode.
    pub goal_prefix: String,
    /// What is to be proved, as Lean prints it; several lines perhaps.
    pub target: String,
    /// The hypotheses in order. Neighbours of the same type share one entry, as in Lean's own display.
    pub hyps: Vec<Hypothesis>,
}

/// Hypotheses of one goal that share a type.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Hypothesis {
    /// Their names. A name with a dagger (`x✝`) cannot be written in the source.
    pub names: Vec<String>,
    /// Their type, as Lean prints it; several lines perhaps.
    #[serde(rename = "type")]
    pub type_: String,
    /// The value of a `let` variable, else null.
    pub value: Option<String>,
    /// True for an instance that type class resolution finds.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_instance: bool,
}

/// How a proof stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ProofStatus {
    /// There are goals to prove.
    Open,
    /// No goal is left.
    Solved,
    /// There is no proof at this place.
    None,
    /// The tactic failed; Lean goes on as if it had closed its goal, so there is no state after it.
    Failed,
    /// A status of a later version.
    #[serde(other)]
    Unknown,
}

/// What is left to prove.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProofState {
    /// How the proof stands.
    pub status: ProofStatus,
    /// The goals, the main one first. Empty unless `status` is `open`.
    pub goals: Vec<Goal>,
    /// The goals as Lean prints them, separated by an empty line; `no goals` when none is left.
    pub rendered: String,
}

impl ProofState {
    /// The state with these goals, which Lean prints as `rendered`.
    pub fn of_goals(goals: Vec<Goal>, rendered: String) -> Self {
        let status = if goals.is_empty() {
            ProofStatus::Solved
        } else {
            ProofStatus::Open
        };
        Self {
            status,
            goals,
            rendered,
        }
    }
}

/// Which side of a tactic is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum GoalMode {
    /// The state in which the tactic at the position starts.
    Before,
    /// The state that the tactic at the position leaves.
    After,
}

position_params! {
    /// Parameters of `goals`.
    GoalsParams {
        /// `before`: the state in which the tactic at the position starts; `after`: the state that it leaves.
        pub mode: GoalMode,
    }
}

/// Result of `goals`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GoalsResult {
    /// The version that was asked.
    pub version: u64,
    /// `open`, `solved`, `failed` (the tactic has an error, so there is no state after it), or `none`: there
    /// is no proof at this place.
    pub status: ProofStatus,
    /// The goals, the main one first. Where `status` is `failed`, those with which Lean goes on. Where a tactic is run
    /// several times, as in `all_goals` and `repeat`, the goals of all runs that did not fail, each once.
    pub goals: Vec<Goal>,
    /// The goals as Lean prints them, separated by an empty line; `no goals` when none is left, empty when `status`
    /// is `none`.
    pub rendered: String,
    /// The tactic that the answer is about; null when `status` is `none`, or when Lean shows a state at the
    /// position and no tactic is to be seen there.
    pub basis: Option<Range>,
}

/// Result of `term_goal`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TermGoalResult {
    /// The version that was asked.
    pub version: u64,
    /// The local context and the expected type of the smallest term at the position, or null when there is none.
    pub goal: Option<Goal>,
    /// The goal as Lean prints it; empty when there is none.
    pub rendered: String,
    /// The term that the answer is about.
    pub range: Option<Range>,
}
