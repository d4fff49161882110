//! The record that the scripted server keeps, so that tests can assert what it was sent.

use std::{
    fs::{File, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
    process,
    time::{SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::must::Must;

/// One line of the record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogEntry {
    /// When, in milliseconds since the Unix epoch.
    pub at_ms: f64,
    /// Which process.
    pub pid: u32,
    /// What.
    pub what: Entry,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Entry {
    /// The server started with these arguments, in this directory.
    Started {
        /// Its arguments, without the program.
        arguments: Vec<String>,
        /// Its working directory.
        directory: PathBuf,
        /// `LEAN_PATH`, where it is set.
        lean_path: Option<String>,
        /// `LEAN_SRC_PATH`, where it is set.
        lean_src_path: Option<String>,
    },
    /// A worker process with this id was started for this document.
    WorkerStarted {
        /// The document.
        uri: String,
        /// The process.
        worker: u32,
    },
    /// A message came in.
    Received(Value),
    /// A document has this text now.
    Document {
        /// The document.
        uri: String,
        /// Its version.
        version: i64,
        /// Its whole text.
        text: String,
    },
    /// Something that a client must never do.
    Violation(String),
    /// The server leaves with this exit code.
    Left(i32),
}

impl LogEntry {
    /// The method, when this is a message that came in and has one.
    pub fn method(&self) -> Option<&str> {
        self.received()?.get("method")?.as_str()
    }

    /// The message, when this is one that came in.
    pub fn received(&self) -> Option<&Value> {
        match &self.what {
            Entry::Received(message) => Some(message),
            _ => None,
        }
    }

    /// The URI in the message's `params.textDocument` or `params`, where there is one.
    pub fn uri(&self) -> Option<&str> {
        super::rules::uri_of(self.received()?)
    }
}

/// Reads the record at `path`. A missing file is an empty record.
///
/// # Panics
/// A whole line is no entry.
pub fn read_log(path: &Path) -> Vec<LogEntry> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    whole
        .lines()
        .map(|line| serde_json::from_str(line).must("read an entry of the record"))
        .collect()
}

/// Appends to the record. Without a file it does nothing.
#[derive(Debug)]
pub(super) struct Recorder {
    file: Option<File>,
}

impl Recorder {
    /// A recorder for the file that `LOG_VARIABLE` names.
    pub(super) fn from_environment() -> Self {
        let file = std::env::var_os(super::LOG_VARIABLE).map(|path| {
            OpenOptions::new()
                .append(true)
                .create(true)
                .open(&path)
                .must("open the record")
        });
        Self { file }
    }

    /// Appends one entry in one write, so that several processes can share the file.
    pub(super) fn record(&mut self, what: Entry) {
        let Some(file) = &mut self.file else { return };
        let entry = LogEntry {
            at_ms: now_ms(),
            pid: process::id(),
            what,
        };
        let mut line = serde_json::to_vec(&entry).must("write an entry as JSON");
        line.push(b'\n');
        file.write_all(&line).must("append to the record");
    }
}

fn now_ms() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs_f64() * 1000.0)
}
