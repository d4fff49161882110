//! Proof states as Lean has them, for every operation that shows one.

mod declaration;
mod outline;
mod parser;
mod resolve;
mod state;
mod target;
mod tokens;
mod words;

pub(crate) use declaration::declaring_keyword;
pub(crate) use outline::commands_around;
pub(crate) use resolve::{first_shown, is_unsolved, range_of, tactic_state, wait_for_messages};
pub(crate) use state::{GoalState, goals_at, term_goal_at};
pub(crate) use target::{Spot, block_end, target_at};
pub(crate) use tokens::words;
