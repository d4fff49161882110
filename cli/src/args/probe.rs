//! Commands that run texts without touching the file.

use std::{path::PathBuf, time::Duration};

use clap::{Args, Subcommand, ValueHint};
use lean_beam_proto::BeamError;

use super::{position::PinArgs, seconds};
use crate::position::Place;

/// Commands that run texts without touching the file.
#[derive(Debug, Subcommand)]
pub(crate) enum ProbeCommand {
    /// Run tactics or commands at a position, as if they stood there
    #[command(after_long_help = RUN_AT_HELP, override_usage = RUN_AT_USAGE)]
    RunAt(RunAtArgs),
    /// As `run-at`, and print a handle from which `run-with` goes on
    #[command(after_long_help = RUN_AT_HELP, override_usage = RUN_AT_HANDLE_USAGE)]
    RunAtHandle(RunAtArgs),
    /// Run tactics or commands after those of a handle, which stays
    #[command(after_long_help = RUN_WITH_HELP)]
    RunWith(RunWithArgs),
    /// As `run-with`, but the handle ends, whatever comes of the text
    #[command(after_long_help = RUN_WITH_HELP)]
    RunWithLinear(RunWithArgs),
    /// Give up a handle
    Release(ReleaseArgs),
    /// Try several texts in the same state and say which of them work
    #[command(after_long_help = TRY_HELP, override_usage = TRY_USAGE)]
    Try(TryArgs),
}

const RUN_AT_USAGE: &str = "\
lean-beam run-at [OPTIONS] <FILE>:<LINE>:<COLUMN> [TEXT]
       lean-beam run-at [OPTIONS] <FILE> <LINE> <CHARACTER> [TEXT]";

const RUN_AT_HANDLE_USAGE: &str = "\
lean-beam run-at-handle [OPTIONS] <FILE>:<LINE>:<COLUMN> [TEXT]
       lean-beam run-at-handle [OPTIONS] <FILE> <LINE> <CHARACTER> [TEXT]";

const TRY_USAGE: &str = "\
lean-beam try [OPTIONS] <FILE>:<LINE>:<COLUMN> [CANDIDATE]...
       lean-beam try [OPTIONS] <FILE> <LINE> <CHARACTER> [CANDIDATE]...";

const RUN_AT_HELP: &str = "\
Examples:
  lean-beam run-at Main.lean:4:5 'exact h.left'      line and column from 1, as editors show them
  lean-beam run-at Main.lean 3 4 'exact h.left'      line and character from 0, as in the protocol
  lean-beam run-at Main.lean:4 --anchor exact 'simp' at the first character of `exact` on that line
  lean-beam run-at Main.lean:4:5 -- '-- a comment'   text that starts with a dash
  lean-beam run-at Main.lean:4:5 --stdin < proof.txt
The text runs in the proof state before the tactic at the position, or as commands where there is no
proof. Neither the file nor anybody's view of it changes. Exit code 1: Lean refuses the text.";

const RUN_WITH_HELP: &str = "\
Examples:
  lean-beam run-with Main.lean h1-209f54acbd3c75e8 'exact hp'
  lean-beam run-with Main.lean h1-209f54acbd3c75e8 --text-file rest.txt
Handles come from `run-at-handle` and from this command. Exit code 1: Lean refuses the text.";

const TRY_HELP: &str = "\
Examples:
  lean-beam try Main.lean:4:5 simp rfl 'exact h.left'
  lean-beam try Main.lean:4 --anchor exact --stop-on-first --candidates-file tactics.txt
  some-program | lean-beam try Main.lean 3 4 --stdin --per-candidate 2
Files and standard input hold one candidate a line, or a JSON array of strings. Exit code 1: none of them
works.";

/// A text and the position at which it runs.
#[derive(Debug, Clone, Args)]
pub(crate) struct RunAtArgs {
    #[command(flatten)]
    pub(crate) at: TextPlaceArgs,
    #[command(flatten)]
    pub(crate) source: TextSourceArgs,
}

/// A position, with texts behind it.
#[derive(Debug, Clone, Args)]
pub(crate) struct TextPlaceArgs {
    /// FILE:LINE:COLUMN counted from 1, or the Lean file
    #[arg(value_name = "POSITION", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// What to run, after line and character counted from 0 where the position does not have them
    #[arg(value_name = "TEXT")]
    pub(crate) rest: Vec<String>,
    #[command(flatten)]
    pub(crate) pin: PinArgs,
}

/// Where a text comes from if not from the command line.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct TextSourceArgs {
    /// Read the text from standard input
    #[arg(long)]
    pub(crate) stdin: bool,
    /// Read the text from a file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "stdin")]
    pub(crate) text_file: Option<PathBuf>,
}

/// A text and the handle after which it runs.
#[derive(Debug, Clone, Args)]
pub(crate) struct RunWithArgs {
    /// The Lean file that the handle belongs to
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// The handle
    pub(crate) handle: String,
    /// What to run
    #[arg(conflicts_with_all = ["stdin", "text_file"])]
    pub(crate) text: Option<String>,
    #[command(flatten)]
    pub(crate) source: TextSourceArgs,
}

/// Which handle.
#[derive(Debug, Clone, Args)]
pub(crate) struct ReleaseArgs {
    /// The Lean file that the handle belongs to
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// The handle
    pub(crate) handle: String,
}

/// Candidates and the position at which they are tried.
#[derive(Debug, Clone, Args)]
pub(crate) struct TryArgs {
    #[command(flatten)]
    pub(crate) at: TextPlaceArgs,
    /// Read the candidates from standard input
    #[arg(long)]
    pub(crate) stdin: bool,
    /// Read the candidates from a file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "stdin")]
    pub(crate) candidates_file: Option<PathBuf>,
    /// Stop at the first candidate that leaves no goals
    #[arg(long)]
    pub(crate) stop_on_first: bool,
    /// How long each candidate may take [default: 10]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) per_candidate: Option<Duration>,
}

impl TextPlaceArgs {
    /// The place, and the texts that stand behind it.
    ///
    /// # Errors
    /// `invalidInput` when the position is missing or written wrongly.
    pub(crate) fn place(&self) -> Result<(Place, &[String]), BeamError> {
        Place::take(&self.file, &self.rest, self.pin.anchor.is_some())
    }
}
