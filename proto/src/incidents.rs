//! The records of crashes that the daemon leaves in its state directory.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

/// More than this of one file is no record of ours.
const MOST_BYTES: u64 = 64 * 1024;

/// One record. It holds no source text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Incident {
    /// What crashed: `panic`, `server`, `worker`, `lane`.
    pub kind: String,
    /// When, in milliseconds since the Unix epoch.
    pub time_ms: u64,
    /// Version of the daemon.
    pub version: String,
    /// Build of the daemon.
    pub build: String,
    /// The daemon's process.
    pub pid: u32,
    /// What happened.
    pub message: String,
    /// Root of the project that it happened in, where it happened in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}

/// Where the records are, below the state directory.
pub fn directory(state_dir: &Path) -> PathBuf {
    state_dir.join("incidents")
}

/// The files in `directory` that are called as records are, oldest first. None where there is no such directory.
pub fn files(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else {
        return Vec::new();
    };
    let mut files: Vec<_> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .collect();
    // Their names begin with the time.
    files.sort();
    files
}

/// The records in `directory`, newest first. What is no record is passed over.
pub fn read(directory: &Path) -> Vec<Incident> {
    let files = files(directory).into_iter().rev();
    files.filter_map(|path| record(&path)).collect()
}

fn record(path: &Path) -> Option<Incident> {
    let metadata = fs::symlink_metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > MOST_BYTES {
        return None;
    }
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_record_comes_first_and_rubbish_is_passed_over() {
        let directory = tempfile::tempdir().unwrap();
        let record = |time: u64| {
            format!(
                r#"{{"kind":"panic","time_ms":{time},"version":"1","build":"b","pid":7,"message":"m"}}"#
            )
        };
        fs::write(directory.path().join("001-panic.json"), record(1)).unwrap();
        fs::write(directory.path().join("002-panic.json"), record(2)).unwrap();
        fs::write(directory.path().join("003-panic.json"), "{").unwrap();
        fs::write(directory.path().join("notes.txt"), "x").unwrap();
        let times: Vec<_> = read(directory.path())
            .iter()
            .map(|record| record.time_ms)
            .collect();
        assert_eq!(times, [2, 1]);
        assert_eq!(read(Path::new("/nonexistent")), []);
    }
}
