//! What the daemon can do: one file per family of operations. Knows workspaces and sessions, not sockets.

mod axioms;
mod barrier;
mod context;
mod control;
mod documents;
mod error;
mod goals;
mod navigate;
mod position;
mod probe;
mod question;
mod run;
mod save;
mod sync;
mod verdict;

pub(crate) use context::{EventSink, Observed, OpContext};
pub(crate) use run::run;
