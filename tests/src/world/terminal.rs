//! Running a program on a terminal of its own.

use std::{
    fs::{File, OpenOptions},
    io::{Read, Write},
    os::{fd::OwnedFd, unix::fs::OpenOptionsExt},
    process::{Command, ExitStatus, Stdio},
    thread,
};

use nix::{
    fcntl::OFlag,
    pty::{grantpt, posix_openpt, ptsname_r, unlockpt},
};

use crate::{
    must::Must,
    process,
    wait::{HANG, eventually, within},
};

/// So wide that nothing is wrapped that a test looks for.
const COLUMNS: &str = "120";

/// Runs `command` with a terminal for input and output, on which somebody has typed `typed`. Gives how it ended
/// and all that was shown.
pub(super) async fn run(mut command: Command, typed: &[u8]) -> (ExitStatus, String) {
    let (mut ours, theirs) = open();
    ours.write_all(typed).must("type on the terminal");
    let end = || Stdio::from(theirs.try_clone().must("share the terminal"));
    let mut child = command
        .stdin(end())
        .stdout(end())
        .stderr(end())
        .spawn()
        .must("start a program on a terminal");
    // Only the program holds its side from now on, so that its end is seen.
    drop(command);
    drop(theirs);
    let (shown_tx, shown_rx) = tokio::sync::oneshot::channel();
    thread::spawn(move || drop(shown_tx.send(read_to_end(ours))));
    let status = eventually(HANG, "the end of a program on a terminal", async || {
        child.try_wait().must("wait for a program")
    })
    .await;
    let shown = within(HANG, "the rest of what is shown", shown_rx).await;
    (status, shown.must("read the terminal"))
}

/// Both sides of a new terminal, neither of which any other program inherits.
fn open() -> (File, File) {
    let flags = OFlag::O_RDWR | OFlag::O_NOCTTY | OFlag::O_CLOEXEC;
    let ours = posix_openpt(flags).must("make a terminal");
    grantpt(&ours).must("make a terminal");
    unlockpt(&ours).must("make a terminal");
    let name = ptsname_r(&ours).must("name a terminal");
    let theirs = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(OFlag::O_NOCTTY.bits())
        .open(&name)
        .must("open a terminal");
    let set = process::command("stty")
        .args(["-F", &name, "columns", COLUMNS])
        .status()
        .must("run stty");
    assert!(set.success(), "stty failed");
    (File::from(OwnedFd::from(ours)), theirs)
}

/// A terminal whose other side is gone gives an error, not an end.
fn read_to_end(mut terminal: File) -> String {
    let mut shown = Vec::new();
    let mut chunk = [0; 4096];
    while let Ok(count @ 1..) = terminal.read(&mut chunk) {
        shown.extend_from_slice(&chunk[..count]);
    }
    String::from_utf8_lossy(&shown).into_owned()
}
