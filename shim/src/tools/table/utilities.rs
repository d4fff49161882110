//! Tools about the process and the daemon.

use std::time::Duration;

use crate::tools::{
    display::Display,
    tool::{Action, Hints, Tool, Wait},
};

/// How long the daemon may take over something that needs no Lean.
const SHORT_WAIT: Wait = Wait::Fixed(Duration::from_secs(10));

/// `beam_stats`.
pub(super) static STATS: Tool = Tool {
    name: "beam_stats",
    title: "Counters of the daemon",
    description: "Counters of the Beam daemon since its start: requests by operation with times and errors, and the \
        workspaces that are loaded. For debugging; it selects nothing for later calls. Starts no daemon: running is \
        false when there is none.",
    hints: Hints::ReadOnly,
    display: Display::QUIET,
    wait: SHORT_WAIT,
    when_cut: "`lean-beam stats` shows all of them.",
    action: Action::Stats,
};

/// `beam_version`.
pub(super) static VERSION: Tool = Tool {
    name: "beam_version",
    title: "Identity of this server",
    description: "Version, build and process of this MCP server and of the Beam daemon, if one runs. Starts nothing. \
        runtime_current: false means that a newer program is installed than the one running: restart the MCP client, \
        and the daemon with `lean-beam restart`.",
    hints: Hints::ReadOnly,
    display: Display::QUIET,
    wait: SHORT_WAIT,
    when_cut: "",
    action: Action::Version,
};
