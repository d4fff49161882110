//! Tools that run text without keeping it.

use lean_beam_proto::op;

use crate::tools::{
    display::Display,
    tool::{Action, Forward, Hints, Tool, Wait},
};

/// How to see more of what a text made Lean say.
const REST_OF_RUN: &str = "Run a smaller text, or one that prints less.";

/// `lean_run_at`.
pub(super) static RUN_AT: Tool = Tool {
    name: "lean_run_at",
    title: "Try text at a position",
    description: "Run tactics or commands at a position of a checked file without changing anything: would this text work \
        here? Returns success, messages, traces and the proof state after the text (before it when it failed). In a proof \
        the text is tactics; elsewhere it is one or more commands such as #check or example. Nothing is kept: to keep a \
        text, write it into the file with your own tools, save, and call lean_sync. Call lean_update or lean_sync first \
        and pass its version. A text with sorry succeeds with uses_sorry: true. The text runs as Lean code, which can do \
        IO: this is no sandbox.",
    hints: Hints::ReadOnly,
    display: Display::EXECUTION,
    wait: Wait::Adjustable,
    when_cut: REST_OF_RUN,
    action: Action::Forward(Forward::to::<op::RunAt>()),
};

/// `lean_run_at_handle`.
pub(super) static RUN_AT_HANDLE: Tool = Tool {
    name: "lean_run_at_handle",
    title: "Try text and go on from it",
    description: "Like lean_run_at, and returns next_handle, from which lean_run_with goes on after the text. Use it to \
        explore a proof step by step without editing the file. Handles are opaque; they end with an edit before their \
        position, a close or a drop, and lean_release frees them. Nothing is kept in the file, and the text runs as Lean \
        code, which can do IO: this is no sandbox.",
    hints: Hints::Additive,
    display: Display::EXECUTION,
    wait: Wait::Adjustable,
    when_cut: REST_OF_RUN,
    action: Action::Forward(Forward::to::<op::RunAtHandle>()),
};

/// `lean_run_with`.
pub(super) static RUN_WITH: Tool = Tool {
    name: "lean_run_with",
    title: "Go on from a handle",
    description: "Run more text after that of a handle from lean_run_at_handle or lean_run_with. The handle stays, so that \
        several continuations can be tried from it; next_handle goes on from the new one. Same result as lean_run_at. \
        Nothing is kept in the file, and the text runs as Lean code, which can do IO: this is no sandbox.",
    hints: Hints::Additive,
    display: Display::INSPECTION,
    wait: Wait::Adjustable,
    when_cut: REST_OF_RUN,
    action: Action::Forward(Forward::to::<op::RunWith>()),
};

/// `lean_run_with_linear`.
pub(super) static RUN_WITH_LINEAR: Tool = Tool {
    name: "lean_run_with_linear",
    title: "Go on from a handle and end it",
    description: "Like lean_run_with, but the handle ends, on failure too: cheaper for a single line of attack. next_handle \
        goes on from the new text when it succeeded. Nothing is kept in the file, and the text runs as Lean code, which can \
        do IO: this is no sandbox.",
    hints: Hints::None,
    display: Display::INSPECTION,
    wait: Wait::Adjustable,
    when_cut: REST_OF_RUN,
    action: Action::Forward(Forward::to::<op::RunWithLinear>()),
};

/// `lean_release`.
pub(super) static RELEASE: Tool = Tool {
    name: "lean_release",
    title: "Free a handle",
    description: "Give up a handle that is needed no longer, and what Lean keeps for it. Answers released: false when it had \
        ended already.",
    hints: Hints::None,
    display: Display::INSPECTION,
    wait: Wait::Adjustable,
    when_cut: "",
    action: Action::Forward(Forward::to::<op::Release>()),
};

/// `lean_try`.
pub(super) static TRY: Tool = Tool {
    name: "lean_try",
    title: "Try several texts at a position",
    description: "Which of these tactics works here? Tries many texts at one position in one call, each on its own in the \
        same state. Each item says closed (no goal left), ok (goals remain, or a command), failed, escaped, timeout \
        or crashed, with messages, proof state and time; first_success is the best index. stop_on_first stops at the first \
        that closes the goal; per_candidate_ms limits each, so one looping candidate costs no others. Nothing is kept: \
        write the winner into the file yourself, save, and call lean_sync. Call lean_update or lean_sync first and pass its \
        version. The texts run as Lean code, which can do IO: this is no sandbox.",
    hints: Hints::ReadOnly,
    display: Display::EXECUTION,
    wait: Wait::Adjustable,
    when_cut: "Try fewer candidates at once.",
    action: Action::Forward(Forward::to::<op::Try>()),
};

/// `lean_check_axioms`.
pub(super) static CHECK_AXIOMS: Tool = Tool {
    name: "lean_check_axioms",
    title: "Axioms behind a declaration",
    description: "Which axioms a declaration rests on, directly or through others: is it really proved? uses_sorry is true \
        when something it uses is not; standard_only is true when there are none but propext, Classical.choice and \
        Quot.sound. name is the full name of a declaration visible at the end of the file. Call lean_update or lean_sync \
        first and pass its version.",
    hints: Hints::ReadOnly,
    display: Display::INSPECTION,
    wait: Wait::Adjustable,
    when_cut: "",
    action: Action::Forward(Forward::to::<op::CheckAxioms>()),
};
