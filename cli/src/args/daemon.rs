//! Commands about the daemon's life.

use std::time::Duration;

use clap::{Args, Subcommand};

use super::seconds;

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
    Status(StatusArgs),
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

/// Once, or again and again.
#[derive(Debug, Clone, Args)]
pub(crate) struct StatusArgs {
    /// Go on showing it, until Ctrl-C or until nobody reads the output; JSON is one object a line
    #[arg(short, long)]
    pub(crate) watch: bool,
    /// Seconds from one look to the next, at least 0.1
    #[arg(long, value_name = "SECONDS", requires = "watch", default_value = "1", value_parser = pause)]
    pub(crate) interval: Duration,
    /// End after this many looks
    #[arg(long, value_name = "N", requires = "watch", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) times: Option<u64>,
}

/// So many looks a second are enough for anybody.
fn pause(text: &str) -> Result<Duration, String> {
    match seconds(text)? {
        pause if pause < Duration::from_millis(100) => {
            Err("must be at least 0.1 seconds".to_owned())
        }
        pause => Ok(pause),
    }
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
