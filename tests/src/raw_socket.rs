//! A client of the daemon's socket that does whatever a client must not do.

use std::path::Path;

use lean_beam_proto::{
    frame::MAX_RESPONSE_BYTES,
    response::{Line, Response},
};
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::UnixStream,
    net::unix::{OwnedReadHalf, OwnedWriteHalf},
};

use crate::{
    must::Must,
    wait::{HANG, within},
};

/// One open connection.
#[derive(Debug)]
pub struct RawSocket {
    input: Option<OwnedWriteHalf>,
    output: BufReader<OwnedReadHalf>,
}

impl RawSocket {
    /// Connects to the socket at `path`.
    pub async fn connect(path: &Path) -> Self {
        let stream = within(HANG, "connecting", UnixStream::connect(path))
            .await
            .must("connect");
        let (output, input) = stream.into_split();
        Self {
            input: Some(input),
            output: BufReader::new(output),
        }
    }

    /// Writes bytes. Gives false when the daemon takes no more.
    pub async fn write(&mut self, bytes: &[u8]) -> bool {
        let input = self.input.as_mut().must("write after the end");
        within(HANG, "writing to the daemon", input.write_all(bytes))
            .await
            .is_ok()
    }

    /// Writes a value on a line.
    pub async fn write_line(&mut self, value: &Value) {
        assert!(
            self.write(format!("{value}\n").as_bytes()).await,
            "the daemon does not read"
        );
    }

    /// Ends our side, as a client does that only reads from now on.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// The next line without its end. `None` when the daemon has closed the connection.
    pub async fn read_line(&mut self) -> Option<String> {
        let mut line = String::new();
        let reading = self.output.read_line(&mut line);
        match within(HANG, "a line of the daemon", reading).await {
            Ok(0) => None,
            Ok(_) => {
                assert!(line.len() <= MAX_RESPONSE_BYTES, "a line over the limit");
                Some(line.trim_end_matches('\n').to_owned())
            }
            // A daemon that has left, or that refuses what is still being written, resets the connection.
            Err(_) => None,
        }
    }

    /// Reads up to the final line. `None` when the daemon closes the connection without one.
    pub async fn response(&mut self) -> Option<Response> {
        while let Some(line) = self.read_line().await {
            if let Line::Final(response) = Line::parse(&line).must("read a line of the daemon") {
                return Some(*response);
            }
        }
        None
    }
}
