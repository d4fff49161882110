//! The standard streams of a process that outlives whoever started it.

use std::{fs, io};

/// Puts `/dev/null` in the place of all three: nothing of ours may keep the starter's pipes open, or be printed into
/// them.
///
/// # Errors
/// There is no `/dev/null`, or a stream cannot be replaced.
pub(crate) fn close_standard_streams() -> io::Result<()> {
    let null = fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/null")?;
    nix::unistd::dup2_stdin(&null)?;
    nix::unistd::dup2_stdout(&null)?;
    nix::unistd::dup2_stderr(&null)?;
    Ok(())
}
