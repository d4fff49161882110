//! Commands about requests, counters and whole workspaces.

use clap::{Args, Subcommand};

/// Commands about requests, counters and whole workspaces.
#[derive(Debug, Subcommand)]
pub(crate) enum ControlCommand {
    /// Stop the Lean processes of the project and forget its files
    Drop,
    /// Show how often and how long the daemon worked
    Stats,
    /// Set the counters of `stats` to zero
    ResetStats,
    /// Cancel a request in flight
    Cancel(CancelArgs),
    /// Send one raw request and print each line of the answer
    #[command(after_long_help = REQUEST_HELP)]
    Request(RequestArgs),
}

/// Which request.
#[derive(Debug, Clone, Args)]
pub(crate) struct CancelArgs {
    /// Its name, from `lean-beam status`
    pub(crate) request_id: String,
}

const REQUEST_HELP: &str = r#"Examples:
  lean-beam request ping
  lean-beam request sync '{"path": "Main.lean", "diagnostics_in_result": true}'
  echo '{"op": "update", "params": {"path": "Main.lean"}}' | lean-beam request
What is missing of the envelope is filled in: protocol, client, the project and --timeout. Events and the
final line are printed as the daemon writes them, one JSON object per line."#;

/// A raw request.
#[derive(Debug, Clone, Args)]
pub(crate) struct RequestArgs {
    /// Name of the operation, or the whole envelope as JSON [default: the envelope from standard input]
    pub(crate) request: Option<String>,
    /// Parameters of the operation as JSON
    #[arg(requires = "request")]
    pub(crate) params: Option<String>,
}
