//! Commands that keep an installation in good order.

use clap::{Args, Subcommand};

/// Commands that keep an installation in good order.
#[derive(Debug, Subcommand)]
pub(crate) enum OperationsCommand {
    /// Look for whatever keeps lean-beam from working, and say how to mend it
    #[command(after_long_help = DOCTOR_HELP)]
    Doctor(DoctorArgs),
}

const DOCTOR_HELP: &str = "\
Looks at Lean and Lake, the project's toolchain, the socket, the daemon, the configuration, the log and records of
crashes, then checks a small file with a daemon of its own. Your own daemon is neither started nor disturbed.
Ends with 0 when nothing is wrong (warnings are allowed), else with 1.";

/// How much to look at.
#[derive(Debug, Clone, Args)]
pub(crate) struct DoctorArgs {
    /// Do not start Lean: leave out the check of a small file
    #[arg(long)]
    pub(crate) no_trial: bool,
}
