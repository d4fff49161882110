//! Child processes: started in one place, watched by one task each, ended with all their descendants.

pub(crate) mod guardian;
mod lines;
mod spawn;
mod stderr;
mod stop;
mod streams;
mod tree;

pub(crate) use lines::read_lines;
pub(crate) use spawn::{ChildSpec, Pipes, SESSION_VARIABLE, spawn};
pub(crate) use stderr::StderrRing;
pub(crate) use stop::ProcessHandle;
pub(crate) use streams::close_standard_streams;
pub(crate) use tree::{TreeProcess, kill_process, own_resident_bytes, tree_of, trees_of};
