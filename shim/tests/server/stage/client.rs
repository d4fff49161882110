//! The server in a thread, and the client before it.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, PipeWriter, Read, Write},
    os::fd::OwnedFd,
    sync::mpsc,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{Era, LIMIT, QUIET, World, eventually};

/// A line that the server wrote, with the time of the write.
#[derive(Debug, Clone)]
pub(crate) struct Written {
    pub(crate) at: Instant,
    pub(crate) message: Value,
}

/// The server in a thread, and a client that speaks one family.
pub(crate) struct Client {
    pub(crate) era: Era,
    input: Option<PipeWriter>,
    lines: mpsc::Receiver<Written>,
    server: Option<JoinHandle<io::Result<()>>>,
    /// Lines that were read while another one was waited for.
    seen: Vec<Written>,
    log_level: Option<&'static str>,
}

impl Client {
    /// Starts the server and settles the family.
    pub(crate) fn connect(world: &World, era: Era) -> Self {
        let (line_tx, line_rx) = mpsc::channel();
        let mut client = Self::connect_to(world, era, Recorder { line_tx }, line_rx);
        client.settle();
        client
    }

    /// As [`Client::connect`], with another sink, and nothing said yet.
    pub(crate) fn connect_to(
        world: &World,
        era: Era,
        sink: impl Write + Send + 'static,
        lines: mpsc::Receiver<Written>,
    ) -> Self {
        let (source, input) = io::pipe().unwrap();
        let runtime_dir = world.runtime_dir.clone();
        let source = File::from(OwnedFd::from(source));
        let server = thread::spawn(move || lean_beam_mcp::serve_in(runtime_dir, source, sink));
        Self {
            era,
            input: Some(input),
            lines,
            server: Some(server),
            seen: Vec::new(),
            log_level: None,
        }
    }

    fn settle(&mut self) {
        match self.era {
            Era::Legacy => {
                let params = json!({
                    "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"},
                });
                self.send(&json!({"jsonrpc": "2.0", "id": "init", "method": "initialize", "params": params}));
                self.answer("init");
                self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
            }
            Era::Modern => {
                self.request("settle", "tools/list", json!({}));
                self.answer("settle");
            }
        }
    }

    /// Sets the level of the logs that are wanted, in the way of the family. `None`: say nothing about it.
    pub(crate) fn set_log_level(&mut self, level: Option<&'static str>) {
        self.log_level = level;
        if let (Era::Legacy, Some(level)) = (self.era, level) {
            self.request("level", "logging/setLevel", json!({"level": level}));
            self.answer("level");
        }
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_text(&format!("{message}\n"));
    }

    pub(crate) fn send_text(&mut self, text: &str) {
        let input = self.input.as_mut().unwrap();
        // The server may have left; a test that cares looks at what it wrote.
        let _gone = input.write_all(text.as_bytes());
    }

    pub(crate) fn request(&mut self, id: impl Into<Value>, method: &str, mut params: Value) {
        if self.era == Era::Modern {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
            if let Some(level) = self.log_level {
                params["_meta"]["io.modelcontextprotocol/logLevel"] = json!(level);
            }
        }
        self.send(&json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params}));
    }

    pub(crate) fn call(&mut self, id: impl Into<Value>, tool: &str, arguments: Value) {
        self.request(
            id,
            "tools/call",
            json!({"name": tool, "arguments": arguments}),
        );
    }

    pub(crate) fn call_with_token(&mut self, id: impl Into<Value>, tool: &str, arguments: Value) {
        let params =
            json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": "token"}});
        self.request(id, "tools/call", params);
    }

    pub(crate) fn cancel(&mut self, id: impl Into<Value>) {
        let params = json!({"requestId": id.into(), "reason": "test"});
        self.send(
            &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}),
        );
    }

    /// Waits for the answer to `id`; other lines are kept.
    #[track_caller]
    pub(crate) fn answer(&mut self, id: impl Into<Value>) -> Value {
        let id = id.into();
        self.wait_for(|message| message.get("method").is_none() && message.get("id") == Some(&id))
            .message
    }

    /// Waits for a successful or failed result of a call; gives its structured content.
    #[track_caller]
    pub(crate) fn result(&mut self, id: impl Into<Value>) -> Value {
        let answer = self.answer(id);
        let result = &answer["result"];
        let text: Value =
            serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(
            text, result["structuredContent"],
            "text and structure differ"
        );
        result["structuredContent"].clone()
    }

    /// Waits for the failed result of a call; gives its code.
    #[track_caller]
    pub(crate) fn failure(&mut self, id: impl Into<Value>) -> String {
        let answer = self.answer(id);
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        answer["result"]["structuredContent"]["code"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// Waits for a line; it and all before it stay in [`Client::seen`].
    #[track_caller]
    pub(crate) fn wait_for(&mut self, wanted: impl Fn(&Value) -> bool) -> Written {
        let end = Instant::now() + LIMIT;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let Ok(written) = self.lines.recv_timeout(left) else {
                panic!("the line did not come; what came: {:#?}", self.seen)
            };
            self.seen.push(written.clone());
            if wanted(&written.message) {
                return written;
            }
        }
    }

    /// Nothing is written for a while.
    #[track_caller]
    pub(crate) fn expect_nothing_for(&mut self, time: Duration) {
        if let Ok(written) = self.lines.recv_timeout(time) {
            panic!("this was written: {}", written.message);
        }
    }

    /// All lines so far, also those that come while it is quiet for a moment.
    pub(crate) fn seen_until_quiet(&mut self) -> Vec<Written> {
        while let Ok(written) = self.lines.recv_timeout(QUIET) {
            self.seen.push(written);
        }
        std::mem::take(&mut self.seen)
    }

    /// All lines so far.
    pub(crate) fn seen(&mut self) -> Vec<Written> {
        while let Ok(written) = self.lines.try_recv() {
            self.seen.push(written);
        }
        std::mem::take(&mut self.seen)
    }

    /// Ends the input.
    pub(crate) fn hang_up(&mut self) {
        self.input = None;
    }

    /// Waits until the server has left.
    #[track_caller]
    pub(crate) fn wait_for_the_end(&mut self) {
        let server = self.server.take().unwrap();
        eventually("the server does not leave", || {
            server.is_finished().then_some(())
        });
        server.join().unwrap().unwrap();
    }
}

/// Notifications of one method among lines.
pub(crate) fn notifications(lines: &[Written], method: &str) -> Vec<Value> {
    lines
        .iter()
        .filter(|written| written.message["method"] == method)
        .map(|written| written.message["params"].clone())
        .collect()
}

/// Fails if there is an answer to `id` among lines.
#[track_caller]
pub(crate) fn assert_unanswered(lines: &[Written], id: u64) {
    let answered = lines.iter().any(|written| written.message["id"] == id);
    assert!(!answered, "{lines:?}");
}

/// Takes each write as one line, as the server promises.
struct Recorder {
    line_tx: mpsc::Sender<Written>,
}

impl Write for Recorder {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let at = Instant::now();
        let text = std::str::from_utf8(bytes).unwrap();
        let line = text.strip_suffix('\n').expect("a write that is no line");
        assert!(!line.contains('\n'), "two lines in one write");
        let message = serde_json::from_str(line).unwrap();
        // The test may be over.
        let _over = self.line_tx.send(Written { at, message });
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The lines of a child process's output, read in a thread.
pub(crate) fn lines_of(output: impl Read + Send + 'static) -> mpsc::Receiver<Written> {
    let (line_tx, line_rx) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            let at = Instant::now();
            let message = serde_json::from_str(&line).unwrap();
            if line_tx.send(Written { at, message }).is_err() {
                return;
            }
        }
    });
    line_rx
}
