//! The scripted server's standard output.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::scenario::{Garbage, RequestId};
use crate::framing;

/// Writes messages, unless the scenario has silenced it.
///
/// A broken pipe is not looked at: the end of the input, which comes with it, ends the server.
#[derive(Debug, Default)]
pub(super) struct Output {
    muted: bool,
}

impl Output {
    pub(super) fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    pub(super) fn ask(&mut self, id: &RequestId, method: &str, params: &Value) {
        let id: Value = match id {
            RequestId::Text(text) => text.as_str().into(),
            RequestId::Number(number) => (*number).into(),
        };
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
    }

    pub(super) fn answer(&mut self, id: &Value, result: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }

    pub(super) fn fail(&mut self, id: &Value, code: i64, message: &str) {
        self.send(
            &json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}),
        );
    }

    pub(super) fn mute(&mut self) {
        self.muted = true;
    }

    pub(super) fn garbage(&mut self, garbage: &Garbage) {
        match garbage {
            Garbage::Text(text) => self.raw(text.as_bytes()),
            Garbage::BadHeader => self.raw(b"Content-Type: nonsense\r\n\r\n{}"),
            Garbage::BadJson(body) => {
                self.raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
            }
            Garbage::WrongLength(off_by) => self.wrong_length(*off_by),
            Garbage::HalfFrame(announced) => {
                self.raw(format!("Content-Length: {announced}\r\n\r\n{{\"jsonrpc\"").as_bytes());
                self.mute();
            }
        }
    }

    fn wrong_length(&mut self, off_by: i64) {
        let body =
            json!({"jsonrpc": "2.0", "method": "window/logMessage", "params": {}}).to_string();
        let length = i64::try_from(body.len())
            .unwrap_or(i64::MAX)
            .saturating_add(off_by);
        self.raw(format!("Content-Length: {length}\r\n\r\n{body}").as_bytes());
    }

    fn send(&mut self, message: &Value) {
        self.raw(&framing::encode(message));
    }

    fn raw(&mut self, bytes: &[u8]) {
        if self.muted {
            return;
        }
        let mut output = io::stdout().lock();
        drop(output.write_all(bytes).and_then(|()| output.flush()));
    }
}
