//! Which modules of the project a file imports, and whether what Lean would load of them is what their
//! sources say.

mod artifact;
mod chain;
mod header;
mod sources;

pub(crate) use artifact::{ArtifactPaths, SaveTrace, is_settled, stamp_of};
pub(crate) use chain::{Chain, ChainModule, ImportGraph, Layout};
pub(crate) use sources::SourceRoots;
