//! Commands that make the artifacts of a module.

use clap::Subcommand;

use super::FileArgs;

/// Commands that make the artifacts of a module.
#[derive(Debug, Subcommand)]
pub(crate) enum SaveCommand {
    /// Check a file, then build its module, so that files which import it see it
    ///
    /// Lake builds where there is a lakefile, else lean itself. A file with errors is not saved. A save that fails or
    /// is interrupted leaves the artifacts from before.
    Save(FileArgs),
    /// Save a file, then close it in Lean and free its memory
    CloseSave(FileArgs),
}
