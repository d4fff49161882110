//! Commands that keep an installation in good order.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint, builder::PossibleValue};

use crate::commands::setup::Client;

/// Commands that keep an installation in good order.
#[derive(Debug, Subcommand)]
pub(crate) enum OperationsCommand {
    /// Look for whatever keeps lean-beam from working, and say how to mend it
    #[command(after_long_help = DOCTOR_HELP)]
    Doctor(DoctorArgs),
    /// Play an agent on one file, through the MCP server, and say which part of the chain does not work
    McpCheck(McpCheckArgs),
    /// Register the MCP server with an agent program; without a name, list them
    #[command(after_long_help = SETUP_HELP)]
    Setup(SetupArgs),
    /// Make a report about lean-beam itself, to be read and then sent by you; nothing is uploaded
    #[command(after_long_help = FEEDBACK_HELP)]
    FeedbackReport(FeedbackArgs),
}

const FEEDBACK_HELP: &str = "\
The report is a JSON object. It must have title, summary, reproduction, expected and actual, and may have kind (bug, ux,
perf, docs, question), severity (low, medium, high, critical), impact, workaround, tags, request and response (objects),
evidence (a list of {name, content} or {name, path}), bundle (none, dir, zip), redact, confidential and
include_collected. Any other field is an error. Evidence comes from the project, the log and the crash records only.
For projects that are not public: --confidential collects nothing and leaves out payloads, evidence, paths and code.
Examples:
  lean-beam feedback-report --template > report.json
  lean-beam feedback-report --input report.json
  lean-beam feedback-report --input report.json --bundle zip --output-dir .";

/// What to report, and where to.
#[derive(Debug, Clone, Args)]
pub(crate) struct FeedbackArgs {
    /// The file that holds the report as JSON [default: standard input, if it is no terminal]
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) input: Option<PathBuf>,
    /// Read the report from standard input
    #[arg(long, conflicts_with = "input")]
    pub(crate) stdin: bool,
    /// Print a report to fill in, and do nothing else
    #[arg(long, conflicts_with_all = ["input", "stdin", "bundle", "output_dir", "confidential"])]
    pub(crate) template: bool,
    /// Also write the report to disk; goes before what the report says
    #[arg(long, value_name = "MODE")]
    pub(crate) bundle: Option<Bundle>,
    /// Where to write it [default: `feedback` in the state directory]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) output_dir: Option<PathBuf>,
    /// Collect nothing and leave out payloads, evidence, paths and code
    #[arg(long)]
    pub(crate) confidential: bool,
    /// Leave the home directory and values of secret variables in
    #[arg(long, conflicts_with = "confidential")]
    pub(crate) no_redact: bool,
    /// Show everything that was collected, not only its summary
    #[arg(long)]
    pub(crate) include_collected: bool,
}

/// How a report is written to disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Bundle {
    /// Not at all
    None,
    /// As a directory
    Dir,
    /// As a zip file
    Zip,
}

const SETUP_HELP: &str = "\
Adds lean-beam to the list of MCP servers of a program, and a skill where the program has skills. Everything else in
the file keeps its bytes. The change is shown first; on a terminal you are asked, elsewhere --yes is needed.
Examples:
  lean-beam setup                    which programs are there, and which know lean-beam
  lean-beam setup claude             register with Claude Code
  lean-beam setup codex --print      show what would be written
  lean-beam setup claude --remove    take it back
  lean-beam setup service            let the system start the daemon when a client comes";

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
    /// The daemon as a service of systemd or launchd.
    Service,
}

impl ValueEnum for SetupTarget {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [SetupTarget; 10] = [
            SetupTarget::Client(Client::Claude),
            SetupTarget::Client(Client::Codex),
            SetupTarget::Client(Client::OpenCode),
            SetupTarget::Client(Client::Gemini),
            SetupTarget::Client(Client::Qwen),
            SetupTarget::Client(Client::Copilot),
            SetupTarget::Client(Client::Vibe),
            SetupTarget::Client(Client::Cursor),
            SetupTarget::Client(Client::VsCode),
            SetupTarget::Service,
        ];
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Self::Client(client) => client.to_possible_value(),
            Self::Service => Some(
                PossibleValue::new("service").help("The daemon as a service of systemd or launchd"),
            ),
        }
    }
}

const DOCTOR_HELP: &str = "\
Looks at Lean and Lake, the project's toolchain, the socket, the daemon, the configuration, the log and records of
crashes, then checks a small file with a daemon of its own. Your own daemon is neither started nor disturbed.
Ends with 0 when nothing is wrong (warnings are allowed), else with 1.";

/// What to check with.
#[derive(Debug, Clone, Args)]
pub(crate) struct McpCheckArgs {
    /// A Lean file of a project
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
}

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
