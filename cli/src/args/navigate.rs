//! Commands about a position.

use clap::{Args, Subcommand};

use super::position::{POSITION_HELP, PositionArgs};

/// Commands about a position.
#[derive(Debug, Subcommand)]
pub(crate) enum NavigateCommand {
    /// Show the type and the documentation of what stands at a position
    #[command(after_long_help = POSITION_HELP)]
    Hover(PositionArgs),
    /// Show what the function at a position still takes
    #[command(after_long_help = POSITION_HELP)]
    SignatureHelp(PositionArgs),
    /// Show where the name at a position is defined
    #[command(after_long_help = POSITION_HELP)]
    Definition(PositionArgs),
    /// Show where the name at a position is used
    #[command(after_long_help = POSITION_HELP)]
    References(ReferencesArgs),
    /// Show how the text before a position can go on
    #[command(after_long_help = POSITION_HELP)]
    Completions(CompletionsArgs),
}

/// Which name.
#[derive(Debug, Clone, Args)]
pub(crate) struct ReferencesArgs {
    #[command(flatten)]
    pub(crate) at: PositionArgs,
    /// Leave out the definition itself
    #[arg(long)]
    pub(crate) without_declaration: bool,
}

/// What to complete, and how much to show.
#[derive(Debug, Clone, Args)]
pub(crate) struct CompletionsArgs {
    #[command(flatten)]
    pub(crate) at: PositionArgs,
    /// How many to show at most [default: 50]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u32>,
}
