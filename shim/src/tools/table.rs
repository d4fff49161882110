//! The tools, in the order in which they are listed.
//!
//! A new operation of the daemon becomes a tool by one entry here.

use std::time::Duration;

use lean_beam_proto::op;

use super::{
    display::Display,
    tool::{Action, Forward, Hints, Tool, Wait},
};

/// How long the daemon may take over something that needs no Lean.
const SHORT_WAIT: Wait = Wait::Fixed(Duration::from_secs(10));
/// Ending a workspace takes as long as its Lean processes take to stop, which is seconds.
const DROP_WAIT: Wait = Wait::Fixed(Duration::from_secs(50));

/// All tools.
pub static TOOLS: &[Tool] = &[
    Tool {
        name: "lean_sync",
        title: "Check a Lean file",
        description: "Check a saved Lean file: Beam reads it from disk and waits for Lean's complete verdict. \
            Returns version, diagnostic counts, readiness; diagnostics_in_result: true adds the messages. \
            Edit and save the file with your own tools first; Beam never writes source. Errors in the file are a normal \
            result, not a failed call. Pass the returned version to position tools such as lean_hover. \
            diagnostic_scope: \"all\" shows warnings, information and hints too. When the deadline passes, call again: \
            Lean went on meanwhile. Live diagnostics arrive as logs of logger lean.diagnostic where the log level allows.",
        hints: Hints::None,
        display: Display::VERDICT,
        wait: Wait::Adjustable,
        when_cut: "Fix what is shown and sync again, or leave diagnostic_scope at \"errors\".",
        action: Action::Forward(Forward::to::<op::Sync>()),
    },
    Tool {
        name: "lean_update",
        title: "Read a Lean file",
        description: "Read a saved Lean file from disk without waiting for Lean's verdict. Returns the version that \
            position tools such as lean_hover want, and whether the text changed. Use lean_sync instead when you need \
            diagnostics.",
        hints: Hints::None,
        display: Display::PREPARATION,
        wait: Wait::Adjustable,
        when_cut: "",
        action: Action::Forward(Forward::to::<op::Update>()),
    },
    Tool {
        name: "lean_refresh",
        title: "Check a Lean file with fresh imports",
        description: "Like lean_sync, but with a fresh Lean worker that loads every import again. Use it when an imported \
            module was rebuilt or saved; it is slower than lean_sync. Same arguments and same result as lean_sync.",
        hints: Hints::None,
        display: Display::VERDICT,
        wait: Wait::Adjustable,
        when_cut: "Fix what is shown and sync again, or leave diagnostic_scope at \"errors\".",
        action: Action::Forward(Forward::to::<op::Refresh>()),
    },
    Tool {
        name: "lean_close",
        title: "Close a Lean file",
        description: "Close a file in Lean and free its worker's memory. Handles into the file end. The file on disk is not \
            touched; the next lean_sync opens it again. Succeeds when it was not open.",
        hints: Hints::Idempotent,
        display: Display::PREPARATION,
        wait: Wait::Adjustable,
        when_cut: "",
        action: Action::Forward(Forward::to::<op::Close>()),
    },
    Tool {
        name: "lean_hover",
        title: "Type and documentation at a position",
        description: "Type, signature and documentation of what stands at a position, as Markdown; null when there is \
            nothing. Call lean_update or lean_sync first and pass its version. line and character are zero-based, \
            character counts UTF-16 units. Instead of character you may pass anchor: a text that occurs once on that line.",
        hints: Hints::ReadOnly,
        display: Display::INSPECTION,
        wait: Wait::Adjustable,
        when_cut: "Hover over a smaller part of the expression.",
        action: Action::Forward(Forward::to::<op::Hover>()),
    },
    Tool {
        name: "lean_drop_workspace",
        title: "Drop a warm workspace",
        description: "Stop a project's Lean processes and forget its cached state. Do this after editing a lakefile, the \
            manifest, lean-toolchain, Lean options or plugins; the next call starts afresh. Sources are not touched. \
            Handles of the workspace end; their number is returned. Earlier calls finish first and later ones wait. It \
            cannot be cancelled. Answers dropped: false when nothing was cached.",
        hints: Hints::Idempotent,
        display: Display::PREPARATION,
        wait: DROP_WAIT,
        when_cut: "",
        action: Action::Forward(Forward::to::<op::DropWorkspace>().as_fence()),
    },
    Tool {
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
    },
    Tool {
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
    },
];

/// The tool of this name.
pub fn find(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}
