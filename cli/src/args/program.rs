//! Commands about this program itself.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};
use clap_complete::Shell;

/// Commands about this program itself.
#[derive(Debug, Subcommand)]
pub(crate) enum ProgramCommand {
    /// Print the version of this program and of the running daemon
    Version,
    /// Print a completion script for a shell
    CompletionsFor(CompletionsForArgs),
    /// Print the manual page, or write one page per command into a directory
    Man(ManArgs),
}

/// Which shell.
#[derive(Debug, Clone, Args)]
pub(crate) struct CompletionsForArgs {
    /// The shell
    pub(crate) shell: Shell,
}

/// Where to.
#[derive(Debug, Clone, Args)]
pub(crate) struct ManArgs {
    /// Directory to write the pages into; it is made when missing
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) directory: Option<PathBuf>,
}
