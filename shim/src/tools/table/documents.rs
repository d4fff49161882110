//! Tools that bring a file from disk to Lean, and the end of a workspace.

use std::time::Duration;

use lean_beam_proto::op;

use crate::tools::{
    display::Display,
    tool::{Action, Forward, Hints, Tool, Wait},
};

/// Ending a workspace takes as long as its Lean processes take to stop, which is seconds.
const DROP_WAIT: Wait = Wait::Fixed(Duration::from_secs(50));

/// How to see more of a verdict.
const REST_OF_VERDICT: &str =
    "Fix what is shown and sync again, or leave diagnostic_scope at \"errors\".";

/// `lean_sync`.
pub(super) static SYNC: Tool = Tool {
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
    when_cut: REST_OF_VERDICT,
    action: Action::Forward(Forward::to::<op::Sync>()),
};

/// `lean_update`.
pub(super) static UPDATE: Tool = Tool {
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
};

/// `lean_refresh`.
pub(super) static REFRESH: Tool = Tool {
    name: "lean_refresh",
    title: "Check a Lean file with fresh imports",
    description: "Like lean_sync, but with a fresh Lean worker that loads every import again. Use it when an imported \
        module was rebuilt or saved; it is slower than lean_sync. Same arguments and same result as lean_sync.",
    hints: Hints::None,
    display: Display::VERDICT,
    wait: Wait::Adjustable,
    when_cut: REST_OF_VERDICT,
    action: Action::Forward(Forward::to::<op::Refresh>()),
};

/// `lean_close`.
pub(super) static CLOSE: Tool = Tool {
    name: "lean_close",
    title: "Close a Lean file",
    description: "Close a file in Lean and free its worker's memory. Handles into the file end. The file on disk is not \
        touched; the next lean_sync opens it again. Succeeds when it was not open.",
    hints: Hints::Idempotent,
    display: Display::PREPARATION,
    wait: Wait::Adjustable,
    when_cut: "",
    action: Action::Forward(Forward::to::<op::Close>()),
};

/// `lean_drop_workspace`.
pub(super) static DROP_WORKSPACE: Tool = Tool {
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
};
