//! The server under check: a child process, spoken to in lines.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::protocol::{MODERN_REVISION, SERVER_NAME};

/// How long the server may take to leave once its input has ended.
const EXIT_LIMIT: Duration = Duration::from_secs(5);
/// How often the child is asked whether it has left.
const EXIT_POLL: Duration = Duration::from_millis(10);
/// How much of the server's standard error is kept.
const STDERR_BYTES: u64 = 64 * 1024;

/// Why the server could not be spoken to.
#[derive(Debug, thiserror::Error)]
pub(super) enum PeerError {
    /// It cannot be started or written to.
    #[error("the server cannot be reached: {0}")]
    Io(#[from] io::Error),
    /// It ended.
    #[error("the server ended without an answer")]
    Ended,
    /// It took too long.
    #[error("the server did not answer within {} s", .0.as_secs())]
    Silent(Duration),
    /// It wrote something else.
    #[error("the server wrote a line that is no protocol: {0}")]
    Garbage(String),
    /// It refused the request.
    #[error("the server refused the request: {0}")]
    Refused(String),
}

/// One server process.
pub(super) struct Peer {
    child: Child,
    input: Option<ChildStdin>,
    lines: mpsc::Receiver<String>,
    complaints: mpsc::Receiver<String>,
    next_id: u64,
}

impl Peer {
    /// Starts `program`.
    #[expect(
        clippy::disallowed_methods,
        reason = "the check starts this very program as a client would; it is ended before the check ends"
    )]
    pub(super) fn start(program: &Path) -> Result<Self, PeerError> {
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take();
        let (line_tx, line_rx) = mpsc::channel();
        let (complaint_tx, complaint_rx) = mpsc::channel();
        if let Some(output) = child.stdout.take() {
            thread::spawn(move || {
                let lines = BufReader::new(output).lines().map_while(Result::ok);
                // The check may be over before the server is.
                lines
                    .map(|line| line_tx.send(line))
                    .take_while(Result::is_ok)
                    .for_each(drop);
            });
        }
        if let Some(errors) = child.stderr.take() {
            thread::spawn(move || {
                let mut text = String::new();
                let _unreadable = errors.take(STDERR_BYTES).read_to_string(&mut text);
                let _over = complaint_tx.send(text);
            });
        }
        Ok(Self {
            child,
            input,
            lines: line_rx,
            complaints: complaint_rx,
            next_id: 0,
        })
    }

    /// Sends a request and gives its result. Notifications on the way go to `notified`.
    pub(super) fn ask(
        &mut self,
        method: &str,
        mut params: Value,
        limit: Duration,
        mut notified: impl FnMut(&Value),
    ) -> Result<Value, PeerError> {
        self.next_id += 1;
        let id = self.next_id;
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": MODERN_REVISION,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": SERVER_NAME, "version": lean_beam_proto::VERSION},
            "progressToken": id,
        });
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        let end = Instant::now() + limit;
        loop {
            let mut message = self.read(end, limit)?;
            if message.get("method").is_some() {
                notified(&message);
            } else if let Some(error) = message.get("error") {
                return Err(PeerError::Refused(
                    error["message"].as_str().unwrap_or_default().to_owned(),
                ));
            } else if message["id"] == id {
                return Ok(message["result"].take());
            }
        }
    }

    /// Ends the input and waits until the server has left; true when it did so by itself and well.
    pub(super) fn leave(&mut self) -> io::Result<bool> {
        self.input = None;
        let end = Instant::now() + EXIT_LIMIT;
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status.success());
            }
            if Instant::now() >= end {
                return Ok(false);
            }
            thread::sleep(EXIT_POLL);
        }
    }

    /// What the server wrote to its standard error. To be asked when it has left.
    pub(super) fn complaints(&self) -> String {
        self.complaints.recv_timeout(EXIT_LIMIT).unwrap_or_default()
    }

    fn write(&mut self, message: &Value) -> Result<(), PeerError> {
        let input = self.input.as_mut().ok_or(PeerError::Ended)?;
        input.write_all(format!("{message}\n").as_bytes())?;
        Ok(input.flush()?)
    }

    fn read(&self, end: Instant, limit: Duration) -> Result<Value, PeerError> {
        let left = end.saturating_duration_since(Instant::now());
        let line = self.lines.recv_timeout(left).map_err(|error| match error {
            mpsc::RecvTimeoutError::Timeout => PeerError::Silent(limit),
            mpsc::RecvTimeoutError::Disconnected => PeerError::Ended,
        })?;
        serde_json::from_str(&line).map_err(|_| PeerError::Garbage(line))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // A server that has left already cannot be killed, and need not be.
        let _gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}
