//! A small record of each crash, kept for whoever looks into it later. It holds no source text.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
    time::{SystemTime, UNIX_EPOCH},
};

use lean_beam_proto::{BUILD, VERSION, incidents};
use serde_json::json;

/// How many records are kept; the oldest go first.
const KEPT: usize = 50;
/// Longest message in a record, in characters.
const MESSAGE_CHARACTERS: usize = 2000;

/// Where records go, once the daemon knows.
static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();

/// What crashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The daemon itself, in one of its tasks.
    Panic,
    /// A Lean server.
    Server,
    /// The Lean worker of a document.
    Worker,
    /// The Lean worker of a text that was tried out.
    Lane,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Panic => "panic",
            Self::Server => "server",
            Self::Worker => "worker",
            Self::Lane => "lane",
        }
    }
}

/// From now on crashes are recorded in `directory`, panics beside their usual message on standard error.
pub(crate) fn keep_records(directory: PathBuf) {
    DIRECTORY.set(directory).ok();
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let message = info.to_string();
        tracing::error!(message, "panic");
        record(Kind::Panic, None, &message);
        usual(info);
    }));
}

/// Records a crash in the project at `root`. Never fails loudly: something failed already.
pub(crate) fn record(kind: Kind, root: Option<&Path>, message: &str) {
    if let Some(directory) = DIRECTORY.get() {
        record_in(directory, kind, root, message);
    }
}

fn record_in(directory: &Path, kind: Kind, root: Option<&Path>, message: &str) {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let message: String = message.chars().take(MESSAGE_CHARACTERS).collect();
    let kind = kind.name();
    let record = json!({ "kind": kind, "time_ms": now.as_millis() as u64, "version": VERSION, "build": BUILD, "pid": std::process::id(), "message": message, "root": root });
    let written = fs::create_dir_all(directory).and_then(|()| {
        fs::write(
            directory.join(format!("{:020}-{kind}.json", now.as_nanos())),
            record.to_string(),
        )
    });
    if let Err(error) = written {
        tracing::warn!(%error, "cannot write an incident record");
    }
    prune(directory);
}

fn prune(directory: &Path) {
    for old in incidents::files(directory).iter().rev().skip(KEPT) {
        fs::remove_file(old).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_records_are_kept() {
        let directory = tempfile::tempdir().unwrap();
        for n in 0..KEPT + 7 {
            record_in(directory.path(), Kind::Panic, None, &format!("message {n}"));
        }
        let mut files: Vec<_> = fs::read_dir(directory.path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        assert_eq!(files.len(), KEPT);
        assert!(
            fs::read_to_string(files.last().unwrap())
                .unwrap()
                .contains("message 56")
        );
    }
}
