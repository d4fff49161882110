//! Commands about a position.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

/// Commands about a position.
#[derive(Debug, Subcommand)]
pub(crate) enum NavigateCommand {
    /// Show the type and the documentation of what stands at a position
    #[command(after_long_help = POSITION_HELP)]
    Hover(PositionArgs),
}

/// How positions are written, for `--help`.
const POSITION_HELP: &str = "\
Positions:
  lean-beam hover Main.lean:3:7            line and column from 1, as editors and `sync` show them
  lean-beam hover Main.lean 2 6            line and character from 0, as in the protocol
  lean-beam hover Main.lean:3 --anchor foo the first character of `foo` on that line
Columns count UTF-16 units. Without --version the file is read from disk first.";

/// A position in a file.
#[derive(Debug, Clone, Args)]
pub(crate) struct PositionArgs {
    /// The Lean file, or FILE:LINE:COLUMN counted from 1
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// Line, counted from 0
    pub(crate) line: Option<u32>,
    /// UTF-16 column, counted from 0
    #[arg(requires = "line")]
    pub(crate) character: Option<u32>,
    /// Text that stands once on the line; the position is its first character
    #[arg(long, value_name = "TEXT", conflicts_with = "character")]
    pub(crate) anchor: Option<String>,
    /// Ask about this version of the file and no other
    #[arg(long, value_name = "N")]
    pub(crate) version: Option<u64>,
}
