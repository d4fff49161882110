//! The tools, in the order in which they are listed.
//!
//! A new operation of the daemon becomes a tool by one entry: a static in the file of its family, and its
//! place here.

mod documents;
mod navigate;
mod probe;
mod save;
mod symbols;
mod utilities;

use super::tool::Tool;

/// All tools.
pub static TOOLS: &[&Tool] = &[
    &documents::SYNC,
    &documents::UPDATE,
    &documents::REFRESH,
    &save::SAVE,
    &save::CLOSE_SAVE,
    &documents::CLOSE,
    &navigate::GOALS,
    &navigate::TERM_GOAL,
    &navigate::HOVER,
    &navigate::SIGNATURE_HELP,
    &navigate::DEFINITION,
    &navigate::REFERENCES,
    &navigate::COMPLETIONS,
    &symbols::DOCUMENT_SYMBOLS,
    &symbols::WORKSPACE_SYMBOLS,
    &symbols::TODO,
    &symbols::CODE_ACTION_RESOLVE,
    &probe::TRY,
    &probe::RUN_AT,
    &probe::RUN_AT_HANDLE,
    &probe::RUN_WITH,
    &probe::RUN_WITH_LINEAR,
    &probe::RELEASE,
    &probe::CHECK_AXIOMS,
    &documents::DROP_WORKSPACE,
    &utilities::STATS,
    &utilities::VERSION,
    &utilities::FEEDBACK_REPORT,
];

/// The tool of this name.
pub fn find(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().copied().find(|tool| tool.name == name)
}
