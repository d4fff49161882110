//! Entry point of the MCP server.

#![forbid(unsafe_code)]

use std::{fs::File, io, os::fd::AsFd, process::ExitCode};

fn main() -> anyhow::Result<ExitCode> {
    lean_beam_mcp::serve(raw(io::stdin())?, raw(io::stdout())?)?;
    Ok(ExitCode::SUCCESS)
}

/// A stream without the buffers and locks of the standard library.
fn raw(stream: impl AsFd) -> io::Result<File> {
    stream.as_fd().try_clone_to_owned().map(File::from)
}
