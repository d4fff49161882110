//! The daemon of lean-beam: owns every Lean process of its user and serves them over a Unix socket.
//!
//! Started without arguments it is the guardian, which starts the same program as the daemon proper and
//! ends whatever that leaves behind.

mod boot;
mod config;
mod control;
mod goals;
mod imports;
mod incident;
mod logging;
mod lsp;
mod ops;
mod probe;
mod process;
mod save;
mod server;
mod session;
mod signals;
mod text;
mod workspace;

use std::{io::Write as _, process::ExitCode};

/// First argument of the daemon proper; for the guardian's use only.
const DAEMON: &str = "daemon";
/// Second argument of a daemon proper that finds a listening socket as its standard input.
const LENT_SOCKET: &str = "lent-socket";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => guard(false),
        ["--foreground"] => guard(true),
        ["--check-config"] => check_config(),
        [DAEMON] => {
            boot::follow_guardian();
            boot::run(boot::Socket::Own)
        }
        [DAEMON, LENT_SOCKET] => {
            boot::follow_guardian();
            boot::run(boot::Socket::Lent)
        }
        ["--version" | "-V"] => say(
            &format!(
                "lean-beam-daemon {} ({})",
                lean_beam_proto::VERSION,
                lean_beam_proto::BUILD
            ),
            0,
        ),
        _ => say(
            "lean-beam-daemon is started by `lean-beam`. Usage: lean-beam-daemon [--foreground | --check-config | --version]",
            2,
        ),
    }
}

/// For `lean-beam doctor`, which knows nothing of what the file may say.
fn check_config() -> ExitCode {
    match config::Config::load() {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => say(&error.message, 1),
    }
}

fn guard(foreground: bool) -> ExitCode {
    match process::guardian::run(DAEMON, LENT_SOCKET, foreground) {
        Ok(code) => code,
        Err(error) => say(&format!("lean-beam-daemon: {error}"), 1),
    }
}

fn say(text: &str, code: u8) -> ExitCode {
    let written = if code == 0 {
        writeln!(std::io::stdout(), "{text}")
    } else {
        writeln!(std::io::stderr(), "{text}")
    };
    if written.is_ok() {
        ExitCode::from(code)
    } else {
        ExitCode::FAILURE
    }
}
