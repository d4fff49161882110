//! A stage for one connection: the server in a thread, a scripted daemon behind it, a client before it.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, PipeWriter, Read, Write},
    os::{
        fd::OwnedFd,
        unix::net::{UnixListener, UnixStream},
    },
    path::{Path, PathBuf},
    sync::mpsc,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use lean_beam_proto::{lock::LockFile, paths::RuntimeDir};
use serde_json::{Value, json};

/// Nothing on a stage takes this long unless it hangs.
pub(crate) const LIMIT: Duration = Duration::from_secs(20);

/// Long enough for a line that should not come to have come.
pub(crate) const QUIET: Duration = Duration::from_millis(300);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    Legacy,
    Modern,
}

pub(crate) const ERAS: [Era; 2] = [Era::Legacy, Era::Modern];

/// A private world: a runtime directory and a project.
pub(crate) struct World {
    _directory: tempfile::TempDir,
    pub(crate) runtime_dir: RuntimeDir,
    pub(crate) project: PathBuf,
}

impl World {
    pub(crate) fn new() -> Self {
        let directory = tempfile::Builder::new().prefix("lb").tempdir().unwrap();
        let base = directory.path().canonicalize().unwrap();
        let runtime_dir = RuntimeDir::at(base.join("run")).unwrap();
        runtime_dir.ensure().unwrap();
        let project = base.join("project");
        std::fs::create_dir(&project).unwrap();
        std::fs::write(project.join("lean-toolchain"), "test\n").unwrap();
        Self {
            _directory: directory,
            runtime_dir,
            project,
        }
    }

    pub(crate) fn base(&self) -> &Path {
        self.project.parent().unwrap()
    }

    /// Arguments of a call about `A.lean`.
    pub(crate) fn about_a_file(&self) -> Value {
        json!({"workspace": {"root": self.project}, "path": "A.lean"})
    }
}

// ---- the daemon's side

/// A daemon that says what the test tells it to.
pub(crate) struct Daemon {
    jobs: mpsc::Receiver<Job>,
    /// What tells a living daemon.
    _life: LockFile,
}

/// One request that the daemon got.
pub(crate) struct Job {
    pub(crate) request: Value,
    stream: UnixStream,
}

impl Daemon {
    pub(crate) fn listen(world: &World) -> Self {
        let life = LockFile::acquire(&world.runtime_dir.life_lock()).unwrap();
        let listener = UnixListener::bind(world.runtime_dir.socket()).unwrap();
        let (job_tx, job_rx) = mpsc::channel();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                stream.set_read_timeout(Some(LIMIT)).unwrap();
                let mut line = Vec::new();
                let mut byte = [0];
                while stream.read(&mut byte).unwrap_or(0) == 1 && byte[0] != b'\n' {
                    line.push(byte[0]);
                }
                let request = serde_json::from_slice(&line).unwrap_or(Value::Null);
                if job_tx.send(Job { request, stream }).is_err() {
                    return;
                }
            }
        });
        Self {
            jobs: job_rx,
            _life: life,
        }
    }

    /// The next request.
    #[track_caller]
    pub(crate) fn next(&self) -> Job {
        self.jobs
            .recv_timeout(LIMIT)
            .expect("the daemon got no request")
    }

    /// The next request, which is for `op`.
    #[track_caller]
    pub(crate) fn next_for(&self, op: &str) -> Job {
        let job = self.next();
        assert_eq!(job.request["op"], op);
        job
    }

    /// Nothing more was asked.
    #[track_caller]
    pub(crate) fn expect_nothing(&self) {
        if let Ok(job) = self.jobs.recv_timeout(QUIET) {
            panic!("the daemon was asked {}", job.request);
        }
    }
}

impl Job {
    pub(crate) fn say(&mut self, line: &Value) {
        // The other end may have gone; a test that cares looks at the answer.
        let _gone = self.stream.write_all(format!("{line}\n").as_bytes());
    }

    pub(crate) fn accept(&mut self) {
        self.say(&json!({"event": "accepted", "request_id": "r"}));
    }

    /// The final line with a result.
    pub(crate) fn succeed(mut self, result: Value) {
        let root = self.request["workspace"]["root"].clone();
        let mut line = json!({"response": {"ok": result}, "identity": identity()});
        if !root.is_null() {
            line["workspace"] = json!({"root": root});
        }
        self.say(&line);
    }

    pub(crate) fn fail(mut self, error: Value) {
        self.say(&json!({"response": {"error": error}, "identity": identity()}));
    }

    /// Waits until the other end has hung up, which is how requests are cancelled.
    #[track_caller]
    pub(crate) fn wait_for_hang_up(mut self) {
        let mut rest = Vec::new();
        match self.stream.read_to_end(&mut rest) {
            Ok(_) => assert!(rest.is_empty()),
            // It hung up on lines that it had not read.
            Err(error) => assert_eq!(error.kind(), io::ErrorKind::ConnectionReset),
        }
    }

    /// True when the other end has hung up already.
    pub(crate) fn is_open(&self) -> bool {
        self.stream.set_nonblocking(true).unwrap();
        let is_open = matches!((&self.stream).read(&mut [0]), Err(error) if error.kind() == io::ErrorKind::WouldBlock);
        self.stream.set_nonblocking(false).unwrap();
        is_open
    }
}

pub(crate) fn identity() -> Value {
    json!({"version": "9.9.9", "protocol": 1, "build": "test", "pid": 7, "started_ms": 0})
}

pub(crate) fn sync_result() -> Value {
    json!({
        "path": "A.lean", "version": 3,
        "diagnostics": {"counts": {"error": 0, "warning": 0, "information": 0, "hint": 0, "unknown": 0, "total": 0}},
        "readiness": {"save_ready": true, "reason": "ok", "blocking_error_count": 0, "blocking_diagnostics": [], "blocking_messages": []},
        "document_progress": {"updates": 2, "done": true},
    })
}

// ---- the client's side

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
        let end = Instant::now() + LIMIT;
        while !server.is_finished() {
            assert!(Instant::now() < end, "the server does not leave");
            thread::sleep(Duration::from_millis(2));
        }
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
