//! Commands about proofs.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use lean_beam_proto::op::GoalMode;

use super::position::{POSITION_HELP, PositionArgs};

/// Commands about proofs.
#[derive(Debug, Subcommand)]
pub(crate) enum ProofCommand {
    /// Show what is to be proved before or after the tactic at a position
    #[command(after_long_help = POSITION_HELP)]
    Goals(GoalsArgs),
    /// Show what is expected of the term at a position
    #[command(after_long_help = POSITION_HELP)]
    TermGoal(PositionArgs),
    /// Show the axioms on which a declaration rests
    #[command(after_long_help = AXIOMS_HELP)]
    CheckAxioms(AxiomsArgs),
}

const AXIOMS_HELP: &str = "\
Example:
  lean-beam check-axioms Main.lean Main.swap
Exit code 1: the declaration rests on `sorry`, so that something in it is not proved.";

/// Which side of which tactic.
#[derive(Debug, Clone, Args)]
pub(crate) struct GoalsArgs {
    /// Which side of the tactic
    pub(crate) side: Side,
    #[command(flatten)]
    pub(crate) at: PositionArgs,
}

/// Which side of a tactic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Side {
    /// The state in which the tactic starts
    Before,
    /// The state that the tactic leaves
    After,
}

/// Which declaration.
#[derive(Debug, Clone, Args)]
pub(crate) struct AxiomsArgs {
    /// The Lean file
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// Full name of a declaration that is visible at the end of the file
    pub(crate) name: String,
    /// Ask about this version of the file and no other
    #[arg(long, value_name = "N")]
    pub(crate) version: Option<u64>,
}

impl From<Side> for GoalMode {
    fn from(side: Side) -> Self {
        match side {
            Side::Before => Self::Before,
            Side::After => Self::After,
        }
    }
}
