//! A stand-in for Lake: see the module `lake` of this crate.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let code = lean_beam_tests::lake::run(&arguments);
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}
