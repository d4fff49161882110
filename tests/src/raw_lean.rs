//! A plain client of a Lean server, without lean-beam: the oracle and the base of comparisons.

use std::{
    collections::BTreeMap,
    io::BufReader,
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    thread,
};

use serde_json::{Value, json};
use tokio::sync::mpsc;
use url::Url;

use crate::{
    framing,
    must::Must,
    process::{Process, command},
    programs, wait,
};

/// A Lean server and our end of its pipes. Dropping it kills the server.
#[derive(Debug)]
pub struct RawLean {
    child: Child,
    input: Option<ChildStdin>,
    incoming: mpsc::UnboundedReceiver<Value>,
    next_id: i64,
    versions: BTreeMap<String, i64>,
    diagnostics: BTreeMap<String, Vec<Value>>,
    notifications: Vec<Value>,
}

impl RawLean {
    /// Starts `command` (program, arguments, environment and directory as given) and shakes hands.
    pub async fn start(command: Command) -> Self {
        Self::start_offering(command, true).await
    }

    /// Starts real Lean in `directory`, which tells what it finds at once, as it does for the daemon, and shakes hands.
    pub async fn start_real(directory: &Path) -> Self {
        let mut command = command(programs::real_lean());
        command
            .args(["--server", "-Dserver.reportDelayMs=0"])
            .current_dir(directory);
        Self::start(command).await
    }

    /// As [`RawLean::start`], with or without the offer to take diagnostics in increments.
    pub async fn start_offering(command: Command, incremental_diagnostics: bool) -> Self {
        let mut lean = Self::start_without_handshake(command);
        let capabilities = json!({"lean": {
            "silentDiagnosticSupport": true,
            "incrementalDiagnosticSupport": incremental_diagnostics,
        }});
        let params = json!({"processId": null, "rootUri": null, "capabilities": capabilities});
        lean.request("initialize", params)
            .await
            .must("initialize Lean");
        lean.notify("initialized", &json!({}));
        lean
    }

    /// Starts `command` and says nothing yet.
    pub fn start_without_handshake(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .must("start Lean");
        let output = child.stdout.take().must("take Lean's output");
        let (incoming_tx, incoming) = mpsc::unbounded_channel();
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Ok(Some(message)) = framing::read_message(&mut output) {
                if incoming_tx.send(message).is_err() {
                    return;
                }
            }
        });
        Self {
            input: child.stdin.take(),
            child,
            incoming,
            next_id: 0,
            versions: BTreeMap::new(),
            diagnostics: BTreeMap::new(),
            notifications: Vec::new(),
        }
    }

    /// The server's process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends any message as it is.
    pub fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().must("write to Lean after its end");
        framing::write_message(input, message).must("write to Lean");
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request and gives its id.
    pub fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.next_id += 1;
        let mut message = json!({"jsonrpc": "2.0", "id": self.next_id, "method": method});
        message["params"] = params;
        self.send(&message);
        self.next_id
    }

    /// Sends a request and waits for its result, or its error.
    ///
    /// # Errors
    /// The `error` object of the answer.
    pub async fn request(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.ask(method, params);
        self.answer_to(id).await
    }

    /// Waits for the answer to the request `id`.
    ///
    /// # Errors
    /// The `error` object of the answer.
    pub async fn answer_to(&mut self, id: i64) -> Result<Value, Value> {
        loop {
            let message = self.next().await.must("get an answer of Lean");
            if message.get("method").is_some() || message["id"] != id {
                continue;
            }
            return match message.get("error") {
                Some(error) => Err(error.clone()),
                None => Ok(message["result"].clone()),
            };
        }
    }

    /// The next message of any kind, already taken note of; requests of the server are answered with `null`.
    /// `None` at the end of its output.
    pub async fn next(&mut self) -> Option<Value> {
        let message = wait::within(wait::HANG, "a message of Lean", self.incoming.recv()).await?;
        let id = message
            .get("id")
            .filter(|_| message.get("method").is_some());
        if let Some(id) = id.cloned() {
            self.send(&json!({"jsonrpc": "2.0", "id": id, "result": null}));
        }
        self.take_note(&message);
        Some(message)
    }

    fn take_note(&mut self, message: &Value) {
        if message.get("id").is_some() {
            return;
        }
        self.notifications.push(message.clone());
        let params = &message["params"];
        let (Some(uri), Some(new)) = (params["uri"].as_str(), params["diagnostics"].as_array())
        else {
            return;
        };
        let all = self.diagnostics.entry(uri.to_owned()).or_default();
        if params["isIncremental"] != true {
            all.clear();
        }
        all.extend(new.iter().cloned());
    }

    /// Opens `path` with `text`, as version 1.
    pub fn open(&mut self, path: &Path, text: &str) {
        let uri = uri(path);
        self.versions.insert(uri.clone(), 1);
        let document = json!({"uri": uri, "languageId": "lean", "version": 1, "text": text});
        self.notify("textDocument/didOpen", &json!({"textDocument": document}));
    }

    /// Sends changes of `path` as they are, with the next version.
    pub fn change(&mut self, path: &Path, changes: &Value) {
        let uri = uri(path);
        let version = self.versions.get_mut(&uri).must("change an open document");
        *version += 1;
        let document = json!({"uri": uri, "version": *version});
        self.notify(
            "textDocument/didChange",
            &json!({"textDocument": document, "contentChanges": changes}),
        );
    }

    /// Waits until Lean has said everything about the text of `path` as it is, and gives the diagnostics, without
    /// silent ones, in document order.
    pub async fn verdict(&mut self, path: &Path) -> Vec<Value> {
        let uri = uri(path);
        let version = *self.versions.get(&uri).must("judge an open document");
        self.request(
            "textDocument/waitForDiagnostics",
            json!({"uri": uri, "version": version}),
        )
        .await
        .must("wait for diagnostics");
        let mut found = self.diagnostics.get(&uri).cloned().unwrap_or_default();
        found.retain(|one| one["isSilent"] != true);
        found.sort_by_key(|one| {
            let start = &one["range"]["start"];
            (start["line"].as_u64(), start["character"].as_u64())
        });
        found
    }

    /// All notifications of `method` so far, oldest first.
    pub fn notifications(&self, method: &str) -> Vec<&Value> {
        self.notifications
            .iter()
            .filter(|message| message["method"] == method)
            .collect()
    }

    /// Ends the server's input. It leaves on its own then, if it is a good one.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits for the server to leave and gives its exit code, `None` when a signal ended it.
    pub async fn exit_code(&mut self) -> Option<i32> {
        wait::eventually(wait::HANG, "the end of Lean", async || {
            self.child.try_wait().must("wait for Lean")
        })
        .await
        .code()
    }

    /// The server's process, while it is alive.
    pub fn process(&self) -> Option<Process> {
        Process::find(self.pid())
    }
}

impl Drop for RawLean {
    fn drop(&mut self) {
        // It may have left on its own.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// The `file:` URI of a path.
pub fn uri(path: &Path) -> String {
    Url::from_file_path(path)
        .map(String::from)
        .must("make a URI of an absolute path")
}
