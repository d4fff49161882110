//! Commands about a position.

use clap::Subcommand;

use super::position::{POSITION_HELP, PositionArgs};

/// Commands about a position.
#[derive(Debug, Subcommand)]
pub(crate) enum NavigateCommand {
    /// Show the type and the documentation of what stands at a position
    #[command(after_long_help = POSITION_HELP)]
    Hover(PositionArgs),
}
