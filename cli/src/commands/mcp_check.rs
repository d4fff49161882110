//! The MCP server beside this program.

use std::{
    env,
    ffi::OsStr,
    path::{Path, PathBuf},
};

use lean_beam_proto::{BeamError, ErrorCode};

use super::{daemon::replace_this_process, setup::clients::is_program};
use crate::app::{Failure, Outcome};

/// The MCP server's file name.
pub(super) const MCP_PROGRAM: &str = "lean-beam-mcp";

/// Becomes the server's own check, whose exit codes are those of this program.
pub(super) fn mcp_check(file: &Path) -> Outcome {
    let program = mcp_program()?;
    let arguments = [OsStr::new("--self-check"), file.as_os_str()];
    Err(Failure::Request(replace_this_process(&program, arguments)))
}

/// The path of the MCP server.
///
/// # Errors
/// There is no such program beside this one.
pub(super) fn mcp_program() -> Result<PathBuf, BeamError> {
    let own = env::current_exe().unwrap_or_default();
    let program = own.with_file_name(MCP_PROGRAM);
    if is_program(&program) {
        return Ok(program);
    }
    Err(BeamError::new(
        ErrorCode::RuntimeSetup,
        format!("there is no {}", program.display()),
    )
    .with_hint("Install lean-beam again, so that its three programs are together."))
}
