//! Entry point of the MCP server.

#![forbid(unsafe_code)]

use std::{fs::File, io, os::fd::AsFd, process::ExitCode};

use clap::Parser;
use lean_beam_mcp::{Args, self_check, serve};

fn main() -> anyhow::Result<ExitCode> {
    let args = Args::parse();
    if let Some(file) = args.self_check {
        let verdict = self_check(&file, &mut io::stdout(), &mut io::stderr())?;
        return Ok(verdict.into());
    }
    serve(raw(io::stdin())?, raw(io::stdout())?)?;
    Ok(ExitCode::SUCCESS)
}

/// A stream without the buffers and locks of the standard library.
fn raw(stream: impl AsFd) -> io::Result<File> {
    stream.as_fd().try_clone_to_owned().map(File::from)
}
