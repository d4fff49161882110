//! The end: of the input, of the output.

use std::{
    io::{self, Write},
    sync::mpsc,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::stage::*;

/// Clients kill a server that takes longer.
const LEAVE_LIMIT: Duration = Duration::from_secs(2);

#[test]
fn an_idle_server_leaves_at_once() {
    for era in ERAS {
        let world = World::new();
        let mut client = Client::connect(&world, era);
        let start = Instant::now();
        client.hang_up();
        client.wait_for_the_end();
        assert!(start.elapsed() < LEAVE_LIMIT, "{:?}", start.elapsed());
    }
}

#[test]
fn calls_in_flight_are_cancelled_without_an_answer() {
    for era in ERAS {
        let (world, daemon, mut client) = staged(era);
        client.call(1, "lean_sync", world.about_a_file());
        let mut job = daemon.next();
        job.accept();
        let start = Instant::now();
        client.hang_up();
        job.wait_for_hang_up();
        client.wait_for_the_end();
        assert!(start.elapsed() < LEAVE_LIMIT, "{:?}", start.elapsed());
        let lines = client.seen();
        assert_unanswered(&lines, 1);
    }
}

#[test]
fn a_drop_in_flight_is_waited_for_and_calls_behind_it_are_not_sent() {
    for era in ERAS {
        let (world, daemon, mut client) = staged(era);
        client.call(1, "lean_sync", world.about_a_file());
        let _early = daemon.next_for("sync");
        client.call(2, "lean_drop_workspace", world.about_the_project());
        client.call(3, "lean_sync", world.about_a_file());
        client.hang_up();
        daemon.next_for("drop_workspace").succeed(drop_result());
        assert_eq!(client.result(2)["dropped"], true);
        client.wait_for_the_end();
        let lines = client.seen();
        assert_unanswered(&lines, 1);
        assert_unanswered(&lines, 3);
        daemon.expect_nothing();
    }
}

#[test]
fn a_drop_that_hangs_does_not_hold_the_server() {
    let (world, daemon, mut client) = staged(Era::Modern);
    client.call(1, "lean_drop_workspace", world.about_the_project());
    let _job = daemon.next();
    let start = Instant::now();
    client.hang_up();
    client.wait_for_the_end();
    assert!(start.elapsed() < LEAVE_LIMIT, "{:?}", start.elapsed());
}

#[test]
fn a_last_line_without_newline_counts() {
    let world = World::new();
    let mut client = Client::connect(&world, Era::Legacy);
    client.send_text(r#"{"jsonrpc":"2.0","id":"last","method":"ping"}"#);
    client.hang_up();
    assert_eq!(client.answer("last")["result"], json!({}));
    client.wait_for_the_end();
}

/// Takes a number of lines, then acts.
struct Limited<F> {
    lines_left: usize,
    line_tx: mpsc::Sender<Written>,
    then: F,
}

impl<F: FnMut() -> io::Result<usize>> Write for Limited<F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.lines_left == 0 {
            return (self.then)();
        }
        self.lines_left -= 1;
        let message = serde_json::from_slice(bytes).unwrap();
        let _over = self.line_tx.send(Written {
            at: Instant::now(),
            message,
        });
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_lost_output_ends_the_server_and_its_calls() {
    let world = World::new();
    let daemon = Daemon::listen(&world);
    let (line_tx, line_rx) = mpsc::channel();
    let sink = Limited {
        lines_left: 1,
        line_tx,
        then: || Err(io::ErrorKind::BrokenPipe.into()),
    };
    let mut client = Client::connect_to(&world, Era::Modern, sink, line_rx);
    client.request(0, "tools/list", json!({}));
    client.answer(0);
    client.call(1, "lean_sync", world.about_a_file());
    let job = daemon.next();
    client.request(2, "tools/list", json!({}));
    job.wait_for_hang_up();
    client.wait_for_the_end();
}

#[test]
fn a_client_that_does_not_read_is_waited_for_but_not_at_the_end() {
    let world = World::new();
    let (line_tx, line_rx) = mpsc::channel();
    let (_never_tx, never_rx) = mpsc::channel::<()>();
    let sink = Limited {
        lines_left: 1,
        line_tx,
        then: move || {
            // Stuck, as a write into a full pipe is.
            let _never = never_rx.recv();
            Err(io::ErrorKind::BrokenPipe.into())
        },
    };
    let mut client = Client::connect_to(&world, Era::Modern, sink, line_rx);
    for id in 0..40 {
        client.request(id, "tools/list", json!({}));
    }
    client.answer(0);
    let start = Instant::now();
    client.hang_up();
    client.wait_for_the_end();
    assert!(start.elapsed() < LEAVE_LIMIT, "{:?}", start.elapsed());
}
