//! Proof states as Lean has them, for every operation that shows one.

mod outline;
mod parser;
mod resolve;
mod state;
mod target;
mod tokens;

pub(crate) use resolve::{TacticState, range_of, tactic_state};
pub(crate) use state::{GoalState, goals_at, term_goal_at};
pub(crate) use target::{Target, target_at};
