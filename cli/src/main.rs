//! `lean-beam`: ask a warm Lean about your project, from the command line.

#![forbid(unsafe_code)]

mod app;
mod args;
mod commands;
mod exit_code;
mod files;
mod input;
mod mark;
mod output;
mod position;
mod root;
mod signals;
mod source;
mod stretch;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    match args::Cli::try_parse() {
        Ok(cli) => app::run(cli).into(),
        Err(error) => {
            let globals = args::Globals::guess(std::env::args_os());
            output::usage(&error, &globals).into()
        }
    }
}
