//! Commands that bring files to Lean.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use lean_beam_proto::op::DiagnosticScope;

/// Commands that bring files to Lean.
#[derive(Debug, Subcommand)]
pub(crate) enum DocumentCommand {
    /// Check a file: wait for Lean's verdict on exactly what is on disk
    Sync(SyncArgs),
    /// Check a file with a fresh Lean that loads all imports again
    Refresh(SyncArgs),
    /// Tell Lean about the file on disk and print its version, without waiting for a verdict
    Update(FileArgs),
    /// Close a file in Lean and free its memory
    Close(FileArgs),
    /// List the files of the project that are open
    OpenFiles,
}

/// A file.
#[derive(Debug, Clone, Args)]
pub(crate) struct FileArgs {
    /// The Lean file
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
}

/// What to check and how much to show.
#[derive(Debug, Clone, Args)]
pub(crate) struct SyncArgs {
    /// The Lean file
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// Which diagnostics to show [default: all for people, errors in JSON]
    #[arg(long, value_name = "SCOPE")]
    pub(crate) scope: Option<Scope>,
    /// List the diagnostics in JSON too; counts are always there
    #[arg(long)]
    pub(crate) items: bool,
}

/// Which diagnostics to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scope {
    /// Errors only
    Errors,
    /// Errors, warnings and the output of commands
    All,
}

impl From<Scope> for DiagnosticScope {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Errors => Self::Errors,
            Scope::All => Self::All,
        }
    }
}
