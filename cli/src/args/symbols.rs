//! Commands about what a file and a project declare.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

/// Commands about what a file and a project declare.
#[derive(Debug, Subcommand)]
pub(crate) enum SymbolCommand {
    /// Show what a file declares, as a tree
    DocumentSymbols(DocumentSymbolsArgs),
    /// Find declarations of the project and of what it imports by their names
    WorkspaceSymbols(WorkspaceSymbolsArgs),
}

/// Which file.
#[derive(Debug, Clone, Args)]
pub(crate) struct DocumentSymbolsArgs {
    /// The Lean file
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// Ask about this version of the file and no other
    #[arg(long, value_name = "N")]
    pub(crate) version: Option<u64>,
}

/// Which names.
#[derive(Debug, Clone, Args)]
pub(crate) struct WorkspaceSymbolsArgs {
    /// Part of a name; letters may be left out
    pub(crate) query: String,
    /// How many to show at most [default: 50]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u32>,
}
