//! Tools that make the artifacts of a module.

use lean_beam_proto::op;

use crate::tools::{
    display::Display,
    tool::{Action, Forward, Hints, Tool, Wait},
};

/// `lean_save`.
pub(super) static SAVE: Tool = Tool {
    name: "lean_save",
    title: "Build a module's artifacts",
    description: "Build the artifacts of a saved Lean file, so that files which import it see it. Checks the file first, like \
        lean_sync, and refuses with the errors when there are any; then Lake, or lean in a project without Lake, builds \
        exactly this module. Source is never written; a save that fails or is cancelled leaves the artifacts from before. \
        Returns module, source hash and the path of every artifact. Save changed imports bottom up, then lean_sync the \
        importer. A save is a checkpoint of the development loop and no replacement for a clean lake build in CI.",
    hints: Hints::None,
    display: Display::VERDICT,
    wait: Wait::Adjustable,
    when_cut: "",
    action: Action::Forward(Forward::to::<op::Save>()),
};

/// `lean_close_save`.
pub(super) static CLOSE_SAVE: Tool = Tool {
    name: "lean_close_save",
    title: "Build a module's artifacts and close it",
    description: "Like lean_save, then closes the file in Lean, as lean_close does: for a file that is finished. When the save \
        is refused or fails the file stays open. Handles into the file end with the close.",
    hints: Hints::None,
    display: Display::VERDICT,
    wait: Wait::Adjustable,
    when_cut: "",
    action: Action::Forward(Forward::to::<op::CloseSave>()),
};
