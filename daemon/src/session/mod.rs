//! One Lean server process as an actor: handshake, pending requests, documents, end.
//!
//! Invariants: the actor never awaits anything but its inbox; the reader never waits for the writer or
//! for a client; a reply that an edit overtook never leaves this folder as a result.

mod actor;
mod document;
mod error;
mod handle;
mod inbox;
mod io;
mod launch;
mod memory;
mod pending;
mod rpc;

pub(crate) use document::{DocumentSnapshot, DocumentWatch};
pub(crate) use error::{SessionEnd, SessionError, SessionPhase};
pub(crate) use handle::{SessionCounters, SessionHandle, SessionState};
pub(crate) use launch::{SessionSpec, command_line, start};
pub(crate) use memory::{MemoryKills, Spare};
