//! The two locks that keep a user to one daemon.
//!
//! Both are advisory locks on files in the runtime directory, so the system frees them when their
//! holder dies, however it dies. The files themselves are never removed: removing a locked file
//! would let two processes hold "the" lock.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read, Seek, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

/// A held lock; dropping it frees it.
#[derive(Debug)]
pub struct LockFile {
    file: File,
    path: PathBuf,
}

/// What the daemon writes into its life lock, for `doctor` and as a last resort.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LifeNote {
    /// Process id of the daemon.
    pub pid: u32,
    /// Its protocol.
    pub protocol: u32,
    /// Its version.
    pub version: String,
}

/// Outcome of trying for a lock.
#[derive(Debug)]
pub enum TryLock {
    /// It is ours now.
    Acquired(LockFile),
    /// Somebody else holds it.
    Held,
}

impl LockFile {
    /// Takes the lock at `path` if it is free, making the file (mode 600) where it is missing.
    ///
    /// # Errors
    /// The file cannot be opened or locked for a reason other than being held.
    pub fn try_acquire(path: &Path) -> io::Result<TryLock> {
        let file = open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(TryLock::Acquired(Self {
                file,
                path: path.to_owned(),
            })),
            Err(TryLockError::WouldBlock) => Ok(TryLock::Held),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Waits for the lock at `path`. Blocks the thread: call it where that is no harm.
    ///
    /// # Errors
    /// The file cannot be opened or locked.
    pub fn acquire(path: &Path) -> io::Result<Self> {
        let file = open(path)?;
        file.lock()?;
        Ok(Self {
            file,
            path: path.to_owned(),
        })
    }

    /// True when somebody holds the lock at `path` now.
    ///
    /// # Errors
    /// The file exists but cannot be opened.
    pub fn is_held(path: &Path) -> io::Result<bool> {
        let file = match OpenOptions::new().read(true).write(true).open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        };
        match file.try_lock() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Writes the holder's note into the file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_note(&mut self, note: &LifeNote) -> io::Result<()> {
        let text = serde_json::to_vec(note).map_err(io::Error::other)?;
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.file.write_all(&text)
    }

    /// Reads the note in the lock file at `path`, whoever holds it. `None` when there is none to be read.
    pub fn read_note(path: &Path) -> Option<LifeNote> {
        let mut text = String::new();
        File::open(path)
            .ok()?
            .take(4096)
            .read_to_string(&mut text)
            .ok()?;
        serde_json::from_str(&text).ok()
    }

    /// The lock's file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_held_until_it_is_dropped() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lock");
        assert!(!LockFile::is_held(&path).unwrap());
        let TryLock::Acquired(lock) = LockFile::try_acquire(&path).unwrap() else {
            panic!("not free")
        };
        assert!(LockFile::is_held(&path).unwrap());
        assert!(matches!(
            LockFile::try_acquire(&path).unwrap(),
            TryLock::Held
        ));
        drop(lock);
        assert!(!LockFile::is_held(&path).unwrap());
    }

    #[test]
    fn the_newest_note_replaces_a_longer_one() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lock");
        let mut lock = LockFile::acquire(&path).unwrap();
        let long = LifeNote {
            pid: 4_000_000_000,
            protocol: 1,
            version: "1.2.3-a-long-version".to_owned(),
        };
        let short = LifeNote {
            pid: 1,
            protocol: 2,
            version: "2".to_owned(),
        };
        lock.write_note(&long).unwrap();
        lock.write_note(&short).unwrap();
        assert_eq!(LockFile::read_note(&path), Some(short));
    }
}
