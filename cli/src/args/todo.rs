//! Commands about what is left to do, and the edits that Lean offers for it.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use lean_beam_proto::op::TodoKind;

use super::TextSourceArgs;

/// Commands about what is left to do.
#[derive(Debug, Subcommand)]
pub(crate) enum TodoCommand {
    /// List what is left to do in a file or a part of it, with its goals and where to try something
    #[command(after_long_help = TODO_HELP, override_usage = TODO_USAGE)]
    Todo(TodoArgs),
    /// Work with the edits that Lean offers
    #[command(subcommand)]
    CodeAction(CodeActionCommand),
}

/// Commands about code actions.
#[derive(Debug, Subcommand)]
pub(crate) enum CodeActionCommand {
    /// Show the edit of a code action that `todo` has listed; nothing is changed
    #[command(after_long_help = RESOLVE_HELP)]
    Resolve(ResolveArgs),
}

const TODO_USAGE: &str = "\
lean-beam todo [OPTIONS] <FILE>[:<PART>]
       lean-beam todo [OPTIONS] <FILE> <LINE> <CHARACTER> <END_LINE> <END_CHARACTER>";

const TODO_HELP: &str = "\
Stretches of a file, lines and columns from 1:
  Main.lean            all of it
  Main.lean:12         one line
  Main.lean:12-20      lines 12 to 20
  Main.lean:12:5       what contains this place
  Main.lean:12:5-20:1  from one place up to another
  Main.lean 11 4 19 0  the same as in the protocol, from 0
Without --version the file is read from disk first.";

const RESOLVE_HELP: &str = "\
Examples:
  lean-beam todo Main.lean --kind code-action --json | jq '.items[0]' > item.json
  lean-beam code-action resolve Main.lean --text-file item.json
The JSON is an item of `todo` that has a code action, or the code action alone.";

/// Which part of which file, and what to list.
#[derive(Debug, Clone, Args)]
pub(crate) struct TodoArgs {
    /// The Lean file, or a part of it
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// Line and column of the first place and of the one behind the last, counted from 0
    #[arg(num_args = 4, value_names = ["LINE", "CHARACTER", "END_LINE", "END_CHARACTER"])]
    pub(crate) numbers: Vec<u32>,
    /// What to list; may be given more than once [default: everything]
    #[arg(long = "kind", value_name = "KIND", value_delimiter = ',')]
    pub(crate) kinds: Vec<Kind>,
    /// Propose texts that are worth a try
    #[arg(long)]
    pub(crate) suggest: bool,
    /// Ask about this version of the file and no other
    #[arg(long, value_name = "N")]
    pub(crate) version: Option<u64>,
}

/// What kind of thing is left to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// A `sorry` or `admit`
    Sorry,
    /// A `_` or `?name` that Lean cannot fill
    Hole,
    /// A message of Lean
    Diagnostic,
    /// An edit that Lean offers
    CodeAction,
    /// A proof or a part of one that leaves goals
    IncompleteProof,
}

impl From<Kind> for TodoKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Sorry => Self::Sorry,
            Kind::Hole => Self::Hole,
            Kind::Diagnostic => Self::Diagnostic,
            Kind::CodeAction => Self::CodeAction,
            Kind::IncompleteProof => Self::IncompleteProof,
        }
    }
}

/// Which code action.
#[derive(Debug, Clone, Args)]
pub(crate) struct ResolveArgs {
    /// The Lean file that it belongs to
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// The code action as JSON
    #[arg(conflicts_with_all = ["stdin", "text_file"])]
    pub(crate) action: Option<String>,
    #[command(flatten)]
    pub(crate) source: TextSourceArgs,
    /// The version for which `todo` listed it
    #[arg(long, value_name = "N")]
    pub(crate) version: Option<u64>,
}
