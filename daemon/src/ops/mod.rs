//! What the daemon can do: one file per family of operations. Knows workspaces and sessions, not sockets.

mod axioms;
mod barrier;
mod caught;
mod completions;
mod context;
mod control;
mod documents;
mod error;
mod goals;
mod header;
mod index;
mod navigate;
mod places;
mod position;
mod probe;
mod question;
mod rank;
mod references;
mod run;
mod save;
mod symbols;
mod sync;
mod tactic_state;
mod todo;
mod verdict;

pub(crate) use context::{EventSink, Observed, OpContext};
pub(crate) use probe::runs_texts;
pub(crate) use run::run;
