//! An MCP client of either protocol family, in front of the server of a private world.

use std::{process::Stdio, time::Duration};

use lean_beam_tests::{
    must::Must,
    process::{self, Process},
    programs,
    wait::{HANG, within},
    world::{Beam, Project},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStderr, ChildStdin, ChildStdout},
};

/// The two protocol families.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    Legacy,
    Modern,
}

pub(crate) const ERAS: [Era; 2] = [Era::Legacy, Era::Modern];

/// A connected client. Dropping it kills the server.
pub(crate) struct Mcp {
    era: Era,
    child: Child,
    input: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
    errors: ChildStderr,
    /// Everything that came and was not taken.
    seen: Vec<Value>,
}

impl Mcp {
    /// Starts a server in the world and opens the conversation.
    pub(crate) async fn connect(beam: &Beam, era: Era) -> Self {
        let mut mcp = Self::start(beam, era);
        match era {
            Era::Legacy => {
                let params = json!({
                    "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"},
                });
                mcp.request("init", "initialize", params).await;
                mcp.answer("init").await;
                mcp.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
                    .await;
            }
            Era::Modern => {
                mcp.request("discover", "server/discover", json!({})).await;
                mcp.answer("discover").await;
            }
        }
        mcp
    }

    /// Starts a server and says nothing.
    pub(crate) fn start(beam: &Beam, era: Era) -> Self {
        let mut command = process::command(programs::built("lean-beam-mcp"));
        command
            .env_clear()
            .envs(beam.environment())
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = tokio::process::Command::from(command)
            .kill_on_drop(true)
            .spawn()
            .must("start lean-beam-mcp");
        let output = child.stdout.take().must("take the output");
        Self {
            era,
            input: child.stdin.take(),
            lines: BufReader::new(output).lines(),
            errors: child.stderr.take().must("take the error output"),
            child,
            seen: Vec::new(),
        }
    }

    pub(crate) fn process(&self) -> Process {
        let pid = self.child.id().must("find the server's process");
        Process::find(pid).must("find the server's process")
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().must("still have an input");
        input
            .write_all(format!("{message}\n").as_bytes())
            .await
            .must("write to the server");
    }

    pub(crate) async fn request(&mut self, id: impl Into<Value>, method: &str, mut params: Value) {
        if self.era == Era::Modern {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
        }
        let message =
            json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params});
        self.send(&message).await;
    }

    /// Sends a tool call.
    pub(crate) async fn call(&mut self, id: impl Into<Value>, tool: &str, arguments: Value) {
        let params = json!({"name": tool, "arguments": arguments});
        self.request(id, "tools/call", params).await;
    }

    /// Sends a tool call that wants progress and all logs.
    pub(crate) async fn call_watched(
        &mut self,
        id: impl Into<Value>,
        tool: &str,
        arguments: Value,
    ) {
        let mut params =
            json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": 7}});
        if self.era == Era::Modern {
            params["_meta"]["io.modelcontextprotocol/logLevel"] = json!("debug");
        }
        self.request(id, "tools/call", params).await;
    }

    pub(crate) async fn cancel(&mut self, id: impl Into<Value>) {
        let params = json!({"requestId": id.into()});
        let message =
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
        self.send(&message).await;
    }

    /// The next line; `None` when the server has closed its output.
    pub(crate) async fn next_line(&mut self) -> Option<Value> {
        let line = within(HANG, "a line of the server", self.lines.next_line()).await;
        let line = line.must("read from the server")?;
        Some(serde_json::from_str(&line).must("read a line as JSON"))
    }

    /// Waits for the answer to `id`; what comes before it is kept.
    pub(crate) async fn answer(&mut self, id: impl Into<Value>) -> Value {
        let id = id.into();
        loop {
            let message = self.next_line().await.must("get an answer before the end");
            if message.get("method").is_none() && message.get("id") == Some(&id) {
                return message;
            }
            self.seen.push(message);
        }
    }

    /// Calls a tool and gives its structured content, which must not be an error.
    pub(crate) async fn ask(&mut self, tool: &str, arguments: Value) -> Value {
        self.call("ask", tool, arguments).await;
        self.result("ask").await
    }

    /// Calls a tool that fails; gives the error.
    pub(crate) async fn ask_in_vain(&mut self, tool: &str, arguments: Value) -> Value {
        self.call("ask", tool, arguments).await;
        self.failure("ask").await
    }

    /// Waits for a result and gives its structured content.
    pub(crate) async fn result(&mut self, id: impl Into<Value>) -> Value {
        let answer = self.answer(id).await;
        assert!(answer["result"].get("isError").is_none(), "{answer}");
        content(&answer)
    }

    /// Waits for a failed result and gives the error.
    pub(crate) async fn failure(&mut self, id: impl Into<Value>) -> Value {
        let answer = self.answer(id).await;
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        content(&answer)
    }

    /// Takes the parameters of all notifications of `method` that came so far.
    pub(crate) fn notifications(&mut self, method: &str) -> Vec<Value> {
        let (taken, kept) = std::mem::take(&mut self.seen)
            .into_iter()
            .partition(|message| message["method"] == method);
        self.seen = kept;
        let taken: Vec<Value> = taken;
        taken
            .into_iter()
            .map(|message| message["params"].clone())
            .collect()
    }

    /// Everything that came and was not an answer that was waited for.
    pub(crate) fn seen(&self) -> &[Value] {
        &self.seen
    }

    /// Ends the input, reads the output to its end and gives the exit code, which must come within `limit`.
    pub(crate) async fn hang_up(mut self, limit: Duration) -> (Option<i32>, Vec<Value>) {
        self.input = None;
        self.wait_for_exit(limit).await
    }

    /// Reads the output to its end and gives the exit code, which must come within `limit`.
    pub(crate) async fn wait_for_exit(mut self, limit: Duration) -> (Option<i32>, Vec<Value>) {
        let end = async {
            while let Some(message) = self.next_line().await {
                self.seen.push(message);
            }
            self.child.wait().await.must("wait for the server")
        };
        let status = within(limit, "the end of the server", end).await;
        let mut complaints = String::new();
        self.errors
            .read_to_string(&mut complaints)
            .await
            .must("read the error output");
        assert_eq!(complaints, "", "the server complains");
        (status.code(), self.seen)
    }
}

fn content(answer: &Value) -> Value {
    let result = &answer["result"];
    let text = result["content"][0]["text"].as_str().must("get a text");
    let text: Value = serde_json::from_str(text).must("read the text as JSON");
    assert_eq!(
        text, result["structuredContent"],
        "text and structure differ"
    );
    text
}

/// Arguments about a file of a project.
pub(crate) fn about(project: &Project, path: &str) -> Value {
    json!({"workspace": {"root": project.root_text()}, "path": path})
}

/// The same, with all diagnostics in the result.
pub(crate) fn about_in_full(project: &Project, path: &str) -> Value {
    let mut arguments = about(project, path);
    arguments["diagnostics_in_result"] = json!(true);
    arguments
}

/// Arguments with more of them, which must be an object too.
pub(crate) fn with(mut arguments: Value, more: Value) -> Value {
    let Value::Object(more) = more else {
        panic!("no arguments: {more}")
    };
    for (name, value) in more {
        arguments[name] = value;
    }
    arguments
}
