//! Speculation: would this text work here? Texts run in documents of their own, in probe servers of their own, so
//! that neither the file nor the user's document notices.

mod baseline;
mod basis;
mod completion;
mod desk;
mod handles;
mod lane;
mod probes;
mod refusal;
mod splice;
mod verdict;

pub(crate) use basis::Basis;
pub(crate) use desk::DeskLimits;
pub(crate) use handles::{EndReason, HandleState};
pub(crate) use probes::{Probes, Run, Target, TextRun};
pub(crate) use splice::{Beginning, mentions_sorry};
pub(crate) use verdict::Verdict;
