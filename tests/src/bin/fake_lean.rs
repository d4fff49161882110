//! A scripted Lean server: see the module `fake` of this crate.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let code = lean_beam_tests::fake::run(&arguments);
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}
