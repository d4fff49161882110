//! Commands about the daemon's life.

use clap::{Args, Subcommand};

/// Commands about the daemon's life.
#[derive(Debug, Subcommand)]
pub(crate) enum DaemonCommand {
    /// Start the daemon, if it is not running yet
    Serve(ServeArgs),
    /// Stop the daemon and every Lean process
    Stop,
    /// Stop the daemon and start a new one
    Restart,
    /// Show what the daemon is doing
    Status,
    /// Print the end of the daemon's log
    Logs(LogsArgs),
}

/// How to serve.
#[derive(Debug, Clone, Args)]
pub(crate) struct ServeArgs {
    /// Become the daemon, instead of starting it in the background
    #[arg(long)]
    pub(crate) foreground: bool,
}

/// How much of the log.
#[derive(Debug, Clone, Args)]
pub(crate) struct LogsArgs {
    /// How many lines
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50)]
    pub(crate) lines: usize,
    /// Go on printing what is added
    #[arg(short, long)]
    pub(crate) follow: bool,
}
