//! A private world for a test: its own directories, environment, daemon and Lean.

mod beam;
mod builder;
mod cli;
mod project;
mod terminal;

pub use beam::{Beam, FakeRecord};
pub use builder::{Builder, Lean};
pub use cli::{Cli, Output, Running};
pub use project::Project;
