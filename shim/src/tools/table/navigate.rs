//! Tools that look at a position and run nothing.

use lean_beam_proto::op;

use crate::tools::{
    display::Display,
    tool::{Action, Forward, Hints, Tool, Wait},
};

/// `lean_hover`.
pub(super) static HOVER: Tool = Tool {
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
};

/// `lean_goals`.
pub(super) static GOALS: Tool = Tool {
    name: "lean_goals",
    title: "Proof state at a tactic",
    description: "The proof state before or after the tactic at a position: goals with hypotheses, structured and as Lean \
        prints them. mode: \"before\" shows where the tactic starts, \"after\" what it leaves. status is open, solved, \
        failed (the tactic has an error) or none (no proof there); basis is the range of the tactic that the answer is \
        about. Call lean_update or lean_sync first and pass its version. Positions are zero-based lines and UTF-16 \
        columns; anchor, a text that occurs once on the line, can stand in for character.",
    hints: Hints::ReadOnly,
    display: Display::INSPECTION,
    wait: Wait::Adjustable,
    when_cut: "Focus one goal in the source and ask there.",
    action: Action::Forward(Forward::to::<op::Goals>()),
};

/// `lean_term_goal`.
pub(super) static TERM_GOAL: Tool = Tool {
    name: "lean_term_goal",
    title: "Expected type of a term",
    description: "What Lean expects of the term at a position: its type and the local context, also outside of tactic \
        proofs, such as for a _ or an argument. goal is null when there is none. Call lean_update or lean_sync first and \
        pass its version. Positions are zero-based lines and UTF-16 columns; anchor can stand in for character.",
    hints: Hints::ReadOnly,
    display: Display::INSPECTION,
    wait: Wait::Adjustable,
    when_cut: "Ask at a smaller term.",
    action: Action::Forward(Forward::to::<op::TermGoal>()),
};

/// `lean_signature_help`.
pub(super) static SIGNATURE_HELP: Tool = Tool {
    name: "lean_signature_help",
    title: "Signature of what is applied",
    description: "What the function applied at a position still takes, and what it gives: its signatures with documentation, \
        empty where nothing is applied. Call lean_update or lean_sync first and pass its version. Positions are \
        zero-based lines and UTF-16 columns; anchor can stand in for character.",
    hints: Hints::ReadOnly,
    display: Display::INSPECTION,
    wait: Wait::Adjustable,
    when_cut: "",
    action: Action::Forward(Forward::to::<op::SignatureHelp>()),
};

/// `lean_definition`.
pub(super) static DEFINITION: Tool = Tool {
    name: "lean_definition",
    title: "Where a name is defined",
    description: "Where the name at a position is defined: file and ranges, also in dependencies and in Lean's own library. \
        Empty where there is no name or its source is not known. Call lean_update or lean_sync first and pass its version. \
        Positions are zero-based lines and UTF-16 columns; anchor, a text that occurs once on the line, can stand in for \
        character.",
    hints: Hints::ReadOnly,
    display: Display::INSPECTION,
    wait: Wait::Adjustable,
    when_cut: "",
    action: Action::Forward(Forward::to::<op::Definition>()),
};

/// `lean_references`.
pub(super) static REFERENCES: Tool = Tool {
    name: "lean_references",
    title: "Where a name is used",
    description: "Every place that uses the name at a position, in the open files and in all modules that were built; the \
        definition too unless include_declaration is false. complete: false says that an open file is still being \
        elaborated. Call lean_update or lean_sync first and pass its version. Positions are zero-based lines and UTF-16 \
        columns; anchor can stand in for character.",
    hints: Hints::ReadOnly,
    display: Display::INSPECTION,
    wait: Wait::Adjustable,
    when_cut: "Ask about a name that is used less, or search the files for the rest.",
    action: Action::Forward(Forward::to::<op::References>()),
};

/// `lean_completions`.
pub(super) static COMPLETIONS: Tool = Tool {
    name: "lean_completions",
    title: "How a name can go on",
    description: "How the text before a position can go on: names, fields and tactics, the best first, with the types of the \
        first ones. The position is right after what is to be completed. Call lean_update or lean_sync first and pass its \
        version. Positions are zero-based lines and UTF-16 columns. limit says how many to list; default 50.",
    hints: Hints::ReadOnly,
    display: Display::INSPECTION,
    wait: Wait::Adjustable,
    when_cut: "Write more of the name, or lower the limit.",
    action: Action::Forward(Forward::to::<op::Completions>()),
};
