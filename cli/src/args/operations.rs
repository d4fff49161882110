//! Commands that keep an installation in good order.

use clap::{Args, Subcommand, ValueEnum, builder::PossibleValue};

use crate::commands::setup::Client;

/// Commands that keep an installation in good order.
#[derive(Debug, Subcommand)]
pub(crate) enum OperationsCommand {
    /// Look for whatever keeps lean-beam from working, and say how to mend it
    #[command(after_long_help = DOCTOR_HELP)]
    Doctor(DoctorArgs),
    /// Register the MCP server with an agent program; without a name, list them
    #[command(after_long_help = SETUP_HELP)]
    Setup(SetupArgs),
}

const SETUP_HELP: &str = "\
Adds lean-beam to the list of MCP servers of a program, and a skill where the program has skills. Everything else in
the file keeps its bytes. The change is shown first; on a terminal you are asked, elsewhere --yes is needed.
Examples:
  lean-beam setup                    which programs are there, and which know lean-beam
  lean-beam setup claude             register with Claude Code
  lean-beam setup codex --print      show what would be written
  lean-beam setup claude --remove    take it back";

/// What to register with.
#[derive(Debug, Clone, Args)]
pub(crate) struct SetupArgs {
    /// The program
    #[arg(value_name = "CLIENT")]
    pub(crate) target: Option<SetupTarget>,
    /// Show the entry and write nothing
    #[arg(long, requires = "target", conflicts_with_all = ["remove", "yes"])]
    pub(crate) print: bool,
    /// Take the registration back
    #[arg(long, requires = "target")]
    pub(crate) remove: bool,
    /// Make the changes without asking
    #[arg(long, short, requires = "target")]
    pub(crate) yes: bool,
}

/// What can be set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SetupTarget {
    /// An agent program.
    Client(Client),
}

impl ValueEnum for SetupTarget {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [SetupTarget; 9] = [
            SetupTarget::Client(Client::Claude),
            SetupTarget::Client(Client::Codex),
            SetupTarget::Client(Client::OpenCode),
            SetupTarget::Client(Client::Gemini),
            SetupTarget::Client(Client::Qwen),
            SetupTarget::Client(Client::Copilot),
            SetupTarget::Client(Client::Vibe),
            SetupTarget::Client(Client::Cursor),
            SetupTarget::Client(Client::VsCode),
        ];
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Self::Client(client) => client.to_possible_value(),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_client_can_be_set_up() {
        for client in Client::value_variants() {
            let target = SetupTarget::Client(*client);
            assert!(
                SetupTarget::value_variants().contains(&target),
                "{client:?}"
            );
        }
    }
}
