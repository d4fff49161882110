//! Running a program on a terminal of its own.

use std::{
    fs::File,
    io::Read,
    process::{Command, ExitStatus, Stdio},
    thread,
};

use nix::pty::{Winsize, openpty};

use crate::{
    must::Must,
    wait::{HANG, eventually, within},
};

/// Large enough that nothing is wrapped that a test looks for.
const SIZE: Winsize = Winsize {
    ws_row: 50,
    ws_col: 120,
    ws_xpixel: 0,
    ws_ypixel: 0,
};

/// Runs `command` with a terminal for input and output. Gives how it ended and all that was shown.
pub(super) async fn run(mut command: Command) -> (ExitStatus, String) {
    let pair = openpty(Some(&SIZE), None).must("make a terminal");
    let end = || Stdio::from(pair.slave.try_clone().must("share the terminal"));
    let mut child = command
        .stdin(end())
        .stdout(end())
        .stderr(end())
        .spawn()
        .must("start a program on a terminal");
    // Only the program holds its side from now on, so that its end is seen.
    drop(command);
    drop(pair.slave);
    let (shown_tx, shown_rx) = tokio::sync::oneshot::channel();
    thread::spawn(move || drop(shown_tx.send(read_to_end(File::from(pair.master)))));
    let status = eventually(HANG, "the end of a program on a terminal", async || {
        child.try_wait().must("wait for a program")
    })
    .await;
    let shown = within(HANG, "the rest of what is shown", shown_rx).await;
    (status, shown.must("read the terminal"))
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
