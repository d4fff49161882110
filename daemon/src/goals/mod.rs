//! Proof states as Lean has them, for every operation that shows one.

mod state;

pub(crate) use state::{GoalState, goals_at};
