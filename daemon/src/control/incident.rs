//! A small record of what must not happen, kept for whoever looks into it later.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use lean_beam_proto::{BUILD, VERSION};
use serde_json::json;

/// How many records are kept; the oldest go first.
const KEPT: usize = 50;
/// Longest message in a record, in characters.
const MESSAGE_CHARACTERS: usize = 2000;

/// Writes a record for every panic, beside the usual message on standard error.
pub(crate) fn record_panics(directory: PathBuf) {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let message = info.to_string();
        tracing::error!(message, "panic");
        record(&directory, "panic", &message);
        usual(info);
    }));
}

/// Writes one record. Never fails loudly: it is used when something failed already.
fn record(directory: &Path, kind: &str, message: &str) {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let message: String = message.chars().take(MESSAGE_CHARACTERS).collect();
    let record = json!({ "kind": kind, "time_ms": now.as_millis() as u64, "version": VERSION, "build": BUILD, "pid": std::process::id(), "message": message });
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
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    let mut files: Vec<_> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .collect();
    files.sort();
    for old in files.iter().rev().skip(KEPT) {
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
            record(directory.path(), "panic", &format!("message {n}"));
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
