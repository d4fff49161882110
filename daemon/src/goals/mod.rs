//! Proof states as Lean has them, for every operation that shows one.

mod declaration;
mod outline;
mod parser;
mod state;
mod target;
mod tokens;
mod words;

pub(crate) use declaration::declaring_keyword;
pub(crate) use outline::commands_around;
pub(crate) use state::{GoalState, goals_at, term_goal_at};
pub(crate) use target::{Caught, Closed, Failure, Runs, Spot, Target, block_end, target_at};
pub(crate) use tokens::words;
pub(crate) use words::may_do_nothing;
