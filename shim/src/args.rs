//! The command line of the server.

use std::path::PathBuf;

use clap::Parser;

/// MCP server of Lean Beam: answers an MCP client on standard input and output.
///
/// An MCP client starts it without options. It needs no configuration: every tool call names its
/// project, and the daemon that owns Lean is started when the first call needs it.
#[derive(Debug, Parser)]
#[command(
    name = "lean-beam-mcp",
    version,
    after_help = "Exit codes of --self-check: 0 the file is fine; 1 Lean reports errors in it; 2 the file or its project \
                  cannot be used; 3 the check failed; 4 the daemon cannot be reached."
)]
pub struct Args {
    /// Start this server as a client would, check FILE through it, and say what works and what does not.
    #[arg(long, value_name = "FILE")]
    pub self_check: Option<PathBuf>,
}
