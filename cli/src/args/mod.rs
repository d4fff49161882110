//! The command line, one file per family of commands.

mod control;
mod daemon;
mod documents;
mod navigate;
mod operations;
mod position;
mod probe;
mod program;
mod proofs;
mod save;
mod symbols;
mod todo;

use std::{ffi::OsString, path::PathBuf, time::Duration};

use clap::{ColorChoice, Parser, Subcommand};

pub(crate) use control::{CancelArgs, ControlCommand, RequestArgs};
pub(crate) use daemon::{DaemonCommand, LogsArgs, StatusArgs};
pub(crate) use documents::{DocumentCommand, FileArgs, Scope, SyncArgs};
pub(crate) use navigate::{CompletionsArgs, NavigateCommand, ReferencesArgs};
pub(crate) use operations::{
    Bundle, DoctorArgs, FeedbackArgs, OperationsCommand, SetupArgs, SetupTarget,
};
pub(crate) use position::{PinArgs, PositionArgs};
pub(crate) use probe::{
    ProbeCommand, ReleaseArgs, RunAtArgs, RunWithArgs, TextSourceArgs, TryArgs,
};
pub(crate) use program::{CompletionsForArgs, ManArgs, ProgramCommand};
pub(crate) use proofs::{AxiomsArgs, GoalsArgs, ProofCommand};
pub(crate) use save::SaveCommand;
pub(crate) use symbols::{DocumentSymbolsArgs, SymbolCommand, WorkspaceSymbolsArgs};
pub(crate) use todo::{CodeActionCommand, ResolveArgs, TodoArgs, TodoCommand};

use crate::{exit_code, output};

/// Ask a warm Lean about your project.
///
/// One daemon per user keeps Lean running, so that answers about a file come in milliseconds. It is
/// started when it is first needed and leaves when it has not been used for a while.
#[derive(Debug, Parser)]
#[command(name = "lean-beam", version = output::human::own_version(), after_long_help = exit_code::HELP, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) globals: Globals,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Globals {
    /// The project [default: the nearest one above the named file or the current directory]
    ///
    /// A project is a directory with lakefile.lean, lakefile.toml or lean-toolchain.
    #[arg(long, global = true, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub(crate) root: Option<PathBuf>,
    /// Print one JSON object on standard output; the default where that is no terminal
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print text for people even where standard output is no terminal
    #[arg(long, global = true, conflicts_with = "json")]
    pub(crate) human: bool,
    /// Give up after this many seconds; Lean goes on, and the same command resumes the wait
    #[arg(long, global = true, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,
    /// When to use colors; NO_COLOR and CLICOLOR count too
    #[arg(long, global = true, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    pub(crate) color: ColorChoice,
    /// No progress and no remarks on standard error
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
}

/// Every command, by family.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Documents(DocumentCommand),
    #[command(flatten)]
    Save(SaveCommand),
    #[command(flatten)]
    Probe(ProbeCommand),
    #[command(flatten)]
    Proof(ProofCommand),
    #[command(flatten)]
    Todo(TodoCommand),
    #[command(flatten)]
    Navigate(NavigateCommand),
    #[command(flatten)]
    Symbols(SymbolCommand),
    #[command(flatten)]
    Daemon(DaemonCommand),
    #[command(flatten)]
    Control(ControlCommand),
    /// Show in a few seconds what this is, on a small project of its own
    Demo,
    #[command(flatten)]
    Program(ProgramCommand),
    #[command(flatten)]
    Operations(OperationsCommand),
}

impl Globals {
    /// The options of a command line that could not be understood, as far as they decide how to say so.
    pub(crate) fn guess(arguments: impl Iterator<Item = OsString>) -> Self {
        let arguments: Vec<_> = arguments
            .skip(1)
            .take_while(|argument| argument != "--")
            .collect();
        let given = |option: &str| arguments.iter().any(|argument| argument == option);
        Self {
            root: None,
            json: given("--json"),
            human: given("--human"),
            timeout: None,
            color: ColorChoice::Auto,
            quiet: false,
        }
    }
}

/// A number of seconds, fractions allowed.
fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text
        .parse()
        .map_err(|_| "not a number of seconds".to_owned())?;
    match Duration::try_from_secs_f64(number) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err("must be more than 0 seconds".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_and_option_explains_itself() {
        let root = Cli::command();
        let nested = root
            .get_subcommands()
            .flat_map(|command| command.get_subcommands());
        for command in root.get_subcommands().chain(nested) {
            let name = command.get_name();
            assert!(command.get_about().is_some(), "{name} has no description");
            for argument in command.get_arguments() {
                assert!(
                    argument.get_help().is_some(),
                    "{name}: {} has no description",
                    argument.get_id()
                );
            }
        }
    }

    #[test]
    fn global_options_may_stand_behind_the_command() {
        let cli =
            Cli::try_parse_from(["lean-beam", "sync", "A.lean", "--json", "--timeout", "0.5"])
                .unwrap();
        assert!(cli.globals.json);
        assert_eq!(cli.globals.timeout, Some(Duration::from_millis(500)));
    }

    #[test]
    fn how_to_report_a_wrong_command_line_is_found_without_understanding_it() {
        let guess = |arguments: &[&str]| Globals::guess(arguments.iter().map(OsString::from));
        assert!(guess(&["lean-beam", "snyc", "--json"]).json);
        assert!(guess(&["lean-beam", "--human", "--bogus"]).human);
        assert!(!guess(&["lean-beam", "x", "--", "--json"]).json);
    }

    #[test]
    fn a_time_that_is_none_is_refused() {
        for text in ["0", "-1", "soon", "NaN", "inf", "1e300"] {
            assert!(seconds(text).is_err(), "{text}");
        }
        assert_eq!(seconds("1.5").unwrap(), Duration::from_millis(1500));
    }
}
