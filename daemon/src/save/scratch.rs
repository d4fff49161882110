//! Directories in which artifacts are made before they are moved into place.

use std::{
    fs::{self, File, TryLockError},
    io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

/// How their names begin.
const PREFIX: &str = ".saving-";
/// How often a new one is tried for.
const ATTEMPTS: u32 = 10;

/// Numbers the directories of this daemon's saves.
static NUMBER: AtomicU64 = AtomicU64::new(1);

/// A directory for one save, on the file system of the artifacts; gone when this is dropped.
///
/// It is locked as long as this lives. A daemon that was killed in the middle of a save leaves an unlocked one,
/// which the next save in the project removes, whoever makes it.
#[derive(Debug)]
pub(super) struct Scratch {
    path: PathBuf,
    _lock: File,
}

impl Scratch {
    /// A new one below the build directory of the project at `root`. Touches the file system.
    pub(super) fn new(root: &Path) -> io::Result<Self> {
        let build = root.join(".lake/build");
        fs::create_dir_all(&build)?;
        remove_abandoned(&build);
        for _ in 0..ATTEMPTS {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let path = build.join(format!("{PREFIX}{}-{number}", std::process::id()));
            if let Some(scratch) = Self::make(path)? {
                return Ok(scratch);
            }
        }
        Err(io::Error::from(io::ErrorKind::AlreadyExists))
    }

    /// `None` when somebody was there before, or took it for an abandoned one before it was locked.
    fn make(path: PathBuf) -> io::Result<Option<Self>> {
        match fs::create_dir(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
            made => made?,
        }
        let lock = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened?,
        };
        let is_ours = lock.try_lock().is_ok() && is_same(&lock, &path);
        Ok(is_ours.then_some(Self { path, _lock: lock }))
    }

    /// The file of that name in it.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.path) {
            tracing::warn!(path = %self.path.display(), %error, "a directory of a save is left behind");
        }
    }
}

/// Removes what killed daemons left behind. What cannot be removed stays: it is in nobody's way.
fn remove_abandoned(build: &Path) {
    let entries = fs::read_dir(build).into_iter().flatten().flatten();
    let ours = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    for path in ours.map(|entry| entry.path()) {
        let Ok(lock) = File::open(&path) else {
            continue;
        };
        let removed = match lock.try_lock() {
            Ok(()) => fs::remove_dir_all(&path),
            Err(TryLockError::WouldBlock) => continue,
            Err(TryLockError::Error(error)) => Err(error),
        };
        match removed {
            Ok(()) => {
                tracing::info!(path = %path.display(), "removed what an interrupted save left behind");
            }
            Err(error) => {
                tracing::warn!(path = %path.display(), %error, "cannot remove what an interrupted save left behind");
            }
        }
    }
}

fn is_same(open: &File, path: &Path) -> bool {
    let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    match (open.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(named)) => identity(open) == identity(named),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(root: &Path) -> usize {
        fs::read_dir(root.join(".lake/build")).unwrap().count()
    }

    #[test]
    fn a_directory_is_gone_with_its_save_and_others_of_the_time_stay() {
        let root = tempfile::tempdir().unwrap();
        let first = Scratch::new(root.path()).unwrap();
        fs::write(first.file("a"), "x").unwrap();
        let second = Scratch::new(root.path()).unwrap();
        assert_eq!(left(root.path()), 2);
        drop(first);
        assert_eq!(left(root.path()), 1);
        assert!(second.file("").is_dir());
    }

    #[test]
    fn what_a_killed_daemon_left_behind_goes_and_nothing_else_does() {
        let root = tempfile::tempdir().unwrap();
        let build = root.path().join(".lake/build");
        fs::create_dir_all(build.join(".saving-4711-1/sub")).unwrap();
        fs::create_dir_all(build.join("lib")).unwrap();
        fs::write(build.join(".saving-4711-1/module.olean"), "x").unwrap();
        let scratch = Scratch::new(root.path()).unwrap();
        assert!(!build.join(".saving-4711-1").exists());
        drop(scratch);
        assert_eq!(
            left(root.path()),
            1,
            "the rest of the build directory stays"
        );
    }
}
