//! Tools about whole files and projects: what is declared, and what is left to do.

use lean_beam_proto::op;

use crate::tools::{
    display::Display,
    tool::{Action, Forward, Hints, Tool, Wait},
};

/// `lean_document_symbols`.
pub(super) static DOCUMENT_SYMBOLS: Tool = Tool {
    name: "lean_document_symbols",
    title: "What a file declares",
    description: "The declarations of a file as a tree of namespaces and sections, with their kinds and ranges. Call \
        lean_update or lean_sync first and pass its version.",
    hints: Hints::ReadOnly,
    display: Display::INSPECTION,
    wait: Wait::Adjustable,
    when_cut: "Use lean_workspace_symbols to look for one name.",
    action: Action::Forward(Forward::to::<op::DocumentSymbols>()),
};

/// `lean_workspace_symbols`.
pub(super) static WORKSPACE_SYMBOLS: Tool = Tool {
    name: "lean_workspace_symbols",
    title: "Find a declaration by name",
    description: "Find declarations of the project and of what it imports by part of their name; letters may be left out, so \
        natadd finds Nat.add_comm. Names the file and range of each. index_complete: false says that some files are not \
        built or not elaborated, so that names in them may be missing. limit says how many to list; default 50.",
    hints: Hints::ReadOnly,
    display: Display::PREPARATION,
    wait: Wait::Adjustable,
    when_cut: "Give more of the name, or lower the limit.",
    action: Action::Forward(Forward::to::<op::WorkspaceSymbols>()),
};

/// `lean_todo`.
pub(super) static TODO: Tool = Tool {
    name: "lean_todo",
    title: "What is left to do",
    description: "What is left to do in a range of a file: sorry, holes, messages, unfinished proofs, and edits that Lean \
        offers. Each item says where to try something (run_at_position, for lean_run_at) and the proof state there. kinds \
        narrows it; suggest: \"basic\" adds texts worth a try. Call lean_update or lean_sync first and pass its version. \
        Positions are zero-based lines and UTF-16 columns. A code_action goes to lean_code_action_resolve as it is.",
    hints: Hints::ReadOnly,
    display: Display::INSPECTION,
    wait: Wait::Adjustable,
    when_cut: "Ask about a smaller range, or fewer kinds.",
    action: Action::Forward(Forward::to::<op::Todo>()),
};

/// `lean_code_action_resolve`.
pub(super) static CODE_ACTION_RESOLVE: Tool = Tool {
    name: "lean_code_action_resolve",
    title: "The edit of a code action",
    description: "The edit that a code action of lean_todo stands for. It is returned, never applied: make the changes with \
        your own tools, save, and call lean_sync. Pass the code_action as it came, with the version that lean_todo was \
        asked about.",
    hints: Hints::ReadOnly,
    display: Display::INSPECTION,
    wait: Wait::Adjustable,
    when_cut: "",
    action: Action::Forward(Forward::to::<op::CodeActionResolve>()),
};
