//! Whether the project is still set up as it was when its servers started.

use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use lean_beam_proto::{BeamError, BeamResult, ErrorCode};
use serde_json::json;

use crate::imports::stamp_of;

/// The files that decide how Lean is started and what it is told.
const FILES: [&str; 4] = [
    "lakefile.lean",
    "lakefile.toml",
    "lake-manifest.json",
    "lean-toolchain",
];

/// Remembers the project's configuration from its first use on.
#[derive(Debug)]
pub(crate) struct ConfigWatch {
    root: PathBuf,
    // Held for single look-ups only. Used on threads for blocking work.
    known: Mutex<Option<Known>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Known {
    /// What the files were when they were last read; while they are that, nothing is read again.
    stamps: Vec<Option<String>>,
    contents: Vec<Option<u64>>,
}

impl ConfigWatch {
    pub(crate) fn new(root: PathBuf) -> Self {
        Self {
            root,
            known: Mutex::default(),
        }
    }

    /// Compares the files with what they were. Touches the file system.
    ///
    /// # Errors
    /// `workspaceConfigChanged` naming the files, until [`ConfigWatch::forget`].
    pub(crate) fn check(&self) -> BeamResult<()> {
        let stamps: Vec<_> = FILES
            .iter()
            .map(|name| stamp_of(&self.root.join(name)))
            .collect();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.as_ref().is_some_and(|known| known.stamps == stamps) {
            return Ok(());
        }
        let contents: Vec<_> = FILES
            .iter()
            .map(|name| content_hash(&self.root.join(name)))
            .collect();
        let changed: Vec<&str> = match known.as_ref() {
            Some(known) => FILES
                .iter()
                .enumerate()
                .filter(|(index, _)| known.contents[*index] != contents[*index])
                .map(|(_, name)| *name)
                .collect(),
            None => Vec::new(),
        };
        if changed.is_empty() {
            *known = Some(Known { stamps, contents });
            return Ok(());
        }
        Err(self.drifted(&changed))
    }

    /// The servers are stopped: the next ones start with what is there then.
    pub(crate) fn forget(&self) {
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn drifted(&self, changed: &[&str]) -> BeamError {
        let message = format!(
            "the configuration of {} changed since its Lean server started: {}",
            self.root.display(),
            changed.join(", ")
        );
        BeamError::new(ErrorCode::WorkspaceConfigChanged, message)
            .with_hint("Drop the workspace (`drop_workspace`, `lean-beam drop`); the next call starts it with the new configuration.")
            .with_data(json!({ "root": self.root, "changed": changed }))
    }
}

fn content_hash(path: &Path) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    fs::read(path).ok()?.hash(&mut hasher);
    Some(hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_file_is_named_until_the_workspace_is_dropped() {
        let directory = tempfile::tempdir().unwrap();
        let toolchain = directory.path().join("lean-toolchain");
        fs::write(&toolchain, "a").unwrap();
        let watch = ConfigWatch::new(directory.path().to_owned());
        watch.check().unwrap();
        fs::write(directory.path().join("lakefile.toml"), "name = \"x\"").unwrap();
        fs::write(&toolchain, "bb").unwrap();
        for _ in 0..2 {
            let error = watch.check().unwrap_err();
            assert_eq!(error.code, ErrorCode::WorkspaceConfigChanged);
            assert_eq!(
                error.data.unwrap()["changed"],
                json!(["lakefile.toml", "lean-toolchain"])
            );
        }
        watch.forget();
        watch.check().unwrap();
    }

    #[test]
    fn a_file_that_was_only_touched_or_put_back_has_not_changed() {
        let directory = tempfile::tempdir().unwrap();
        let toolchain = directory.path().join("lean-toolchain");
        fs::write(&toolchain, "a").unwrap();
        let watch = ConfigWatch::new(directory.path().to_owned());
        watch.check().unwrap();
        fs::remove_file(&toolchain).unwrap();
        assert!(watch.check().is_err());
        fs::write(&toolchain, "a").unwrap();
        watch.check().unwrap();
    }
}
