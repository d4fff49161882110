//! The program file of this process, and whether it is still the one that is installed.

use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

/// What the file was when the process started.
#[derive(Debug, Clone)]
pub(crate) struct ProgramFile {
    path: PathBuf,
    stamp: Option<Stamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: i64,
    modified_nanoseconds: i64,
}

impl ProgramFile {
    /// The file of this process, as it is now.
    pub(crate) fn of_this_process() -> Self {
        let path = std::env::current_exe().unwrap_or_default();
        let stamp = Stamp::of(&path);
        Self { path, stamp }
    }

    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// False when another file has taken its place; `None` when it could not be told from the start.
    pub(crate) fn is_current(&self) -> Option<bool> {
        self.stamp.map(|stamp| Stamp::of(&self.path) == Some(stamp))
    }
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        Some(Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: metadata.mtime(),
            modified_nanoseconds: metadata.mtime_nsec(),
        })
    }
}
