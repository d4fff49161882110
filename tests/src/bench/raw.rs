//! A client of Lean that does as little as possible: what Lean takes is what it measures.

use std::{
    collections::HashMap,
    io::{self, BufRead, BufReader},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::Instant,
};

use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

use super::{lean_file::Edit, questions::Asked};
use crate::{framing, must::Must, process, programs, raw_lean::uri, wait::HANG, world::Beam};

/// How Lean is told to report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reporting {
    /// `server.reportDelayMs`.
    pub(super) delay_ms: u32,
    /// Whether Lean may send each message once instead of ever longer lists.
    pub(super) incremental: bool,
}

impl Reporting {
    /// As lean-beam tells it.
    pub(super) const OURS: Self = Self {
        delay_ms: 0,
        incremental: true,
    };
}

/// What Lean has written so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Traffic {
    /// Bodies of all messages.
    pub(super) bytes: u64,
    pub(super) notifications: u64,
}

/// A Lean server of our own. Dropping it kills the server.
#[derive(Debug)]
pub(super) struct RawLean {
    child: Child,
    input: Input,
    answers: mpsc::Receiver<Answer>,
    written: Arc<Written>,
    next_id: u64,
    versions: HashMap<String, u64>,
}

/// Both the caller and the reader, who answers Lean's own requests, write to Lean.
type Input = Arc<Mutex<ChildStdin>>;

#[derive(Debug, Default)]
struct Written {
    bytes: AtomicU64,
    notifications: AtomicU64,
}

#[derive(Debug)]
struct Answer {
    id: u64,
    /// When it was read.
    at: Instant,
    /// Neither an error nor `null`.
    has_content: bool,
}

/// What has to be known of a message.
#[derive(Deserialize)]
struct Message<'a> {
    id: Option<Value>,
    method: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
}

impl RawLean {
    /// Starts a server for the files below `root`, with the environment of `world`, and shakes hands.
    pub(super) fn start(world: &Beam, root: &Path, reporting: Reporting) -> Self {
        let mut child = process::command(programs::real_lean())
            .arg("--server")
            .arg(format!("-Dserver.reportDelayMs={}", reporting.delay_ms))
            .env_clear()
            .envs(world.environment())
            .env("LEAN_SRC_PATH", root)
            .env("LEAN_PATH", root.join(".lake/build/lib/lean"))
            .current_dir(root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .must("start Lean");
        let input = Arc::new(Mutex::new(child.stdin.take().must("take Lean's input")));
        let output = child.stdout.take().must("take Lean's output");
        let (answers_tx, answers) = mpsc::channel();
        let written = Arc::new(Written::default());
        let reader = Reader {
            input: Arc::clone(&input),
            answers: answers_tx,
            written: Arc::clone(&written),
        };
        thread::spawn(move || reader.run(output));
        let mut lean = Self {
            child,
            input,
            answers,
            written,
            next_id: 0,
            versions: HashMap::new(),
        };
        lean.shake_hands(reporting);
        lean
    }

    fn shake_hands(&mut self, reporting: Reporting) {
        let capabilities = json!({"lean": {
            "incrementalDiagnosticSupport": reporting.incremental,
            "rpcWireFormat": "v1",
        }});
        let params = json!({"processId": null, "rootUri": null, "capabilities": capabilities});
        self.request("initialize", &params);
        self.notify("initialized", &json!({}));
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn traffic(&self) -> Traffic {
        Traffic {
            bytes: self.written.bytes.load(Ordering::Relaxed),
            notifications: self.written.notifications.load(Ordering::Relaxed),
        }
    }

    /// Opens a file as version 1 and waits for the verdict. Gives when it came.
    pub(super) fn open(&mut self, path: &Path, text: &str) -> Instant {
        let uri = uri(path);
        let document = json!({"uri": uri, "languageId": "lean4", "version": 1, "text": text});
        self.notify("textDocument/didOpen", &json!({"textDocument": document}));
        self.versions.insert(uri, 1);
        self.verdict(path)
    }

    /// Tells Lean an edit and waits for the verdict. Gives when it came.
    pub(super) fn edit(&mut self, path: &Path, edit: &Edit) -> Instant {
        let uri = uri(path);
        let version = self.versions.get_mut(&uri).must("edit an open document");
        *version += 1;
        let document = json!({"uri": uri, "version": *version});
        let params = json!({"textDocument": document, "contentChanges": edit.as_lsp()});
        self.notify("textDocument/didChange", &params);
        self.verdict(path)
    }

    /// Gives Lean a whole new text, and opens the file where it is not open. Waits for nothing.
    pub(super) fn put(&mut self, path: &Path, text: &str) {
        let uri = uri(path);
        let version = self.versions.entry(uri.clone()).or_default();
        *version += 1;
        if *version == 1 {
            let document = json!({"uri": uri, "languageId": "lean4", "version": 1, "text": text});
            self.notify("textDocument/didOpen", &json!({"textDocument": document}));
        } else {
            let document = json!({"uri": uri, "version": *version});
            let params = json!({"textDocument": document, "contentChanges": [{"text": text}]});
            self.notify("textDocument/didChange", &params);
        }
    }

    /// Asks for the goals at a zero-based line and UTF-16 column. Gives when the answer came.
    pub(super) fn goals(&mut self, path: &Path, (line, character): (u32, u32)) -> Instant {
        let position = json!({"line": line, "character": character});
        let params = json!({"textDocument": {"uri": uri(path)}, "position": position});
        self.request("$/lean/plainGoal", &params)
    }

    /// Waits until Lean has said everything about the text as it is. Gives when that was.
    pub(super) fn verdict(&mut self, path: &Path) -> Instant {
        let uri = uri(path);
        let version = self.versions.get(&uri).must("judge an open document");
        let params = json!({"uri": uri, "version": version});
        self.request("textDocument/waitForDiagnostics", &params)
    }

    /// Asks something about a file. Gives when the answer came.
    pub(super) fn ask(&mut self, path: &Path, asked: Asked) -> Instant {
        let (line, character) = asked.place();
        let position = json!({"line": line, "character": character});
        let params = json!({"textDocument": {"uri": uri(path)}, "position": position});
        self.request(asked.method(), &params)
    }

    fn request(&mut self, method: &str, params: &Value) -> Instant {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let answer = self
                .answers
                .recv_timeout(HANG)
                .must("get an answer of Lean");
            if answer.id == id {
                assert!(
                    answer.has_content,
                    "Lean has no answer to {method} {params}"
                );
                return answer.at;
            }
        }
    }

    fn notify(&self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn send(&self, message: &Value) {
        send(&self.input, message).must("write to Lean");
    }
}

impl Drop for RawLean {
    fn drop(&mut self) {
        // Its workers have sessions of their own; they leave when their input ends.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn send(input: &Input, message: &Value) -> io::Result<()> {
    let mut input = input.lock().unwrap_or_else(PoisonError::into_inner);
    framing::write_message(&mut *input, message)
}

/// Reads what Lean writes, on a thread of its own.
struct Reader {
    input: Input,
    answers: mpsc::Sender<Answer>,
    written: Arc<Written>,
}

impl Reader {
    fn run(self, output: ChildStdout) {
        let mut output = BufReader::with_capacity(64 * 1024, output);
        // It ends with Lean, or with the client, who has said why then.
        while let Ok(Some(body)) = read_body(&mut output) {
            if self.take(&body).is_err() {
                return;
            }
        }
    }

    fn take(&self, body: &[u8]) -> io::Result<()> {
        let at = Instant::now();
        self.written
            .bytes
            .fetch_add(body.len() as u64, Ordering::Relaxed);
        let message: Message<'_> = serde_json::from_slice(body)?;
        match (message.id, message.method) {
            (Some(id), Some(_)) => send(
                &self.input,
                &json!({"jsonrpc": "2.0", "id": id, "result": null}),
            ),
            (Some(id), None) => {
                let id = id
                    .as_u64()
                    .ok_or_else(|| io::Error::other("an answer to nothing"))?;
                let has_content = message.result.is_some();
                let answer = Answer {
                    id,
                    at,
                    has_content,
                };
                self.answers.send(answer).map_err(io::Error::other)
            }
            (None, _) => {
                self.written.notifications.fetch_add(1, Ordering::Relaxed);
                Ok(())
            }
        }
    }
}

/// The body of the next message. `None` at the end.
fn read_body(output: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut length = 0;
    let mut line = String::new();
    loop {
        line.clear();
        if output.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("Content-Length:") {
            length = value.trim().parse().map_err(io::Error::other)?;
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body)?;
    Ok(Some(body))
}
