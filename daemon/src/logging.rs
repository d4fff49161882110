//! The daemon's log: one file, never more than twice its cap on disk.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;

use crate::config::LogConfig;

/// Filter that goes before the configured one.
const FILTER_VARIABLE: &str = "LEAN_BEAM_LOG";

/// Starts logging into `file`. The guard flushes what is buffered when it is dropped.
///
/// # Errors
/// The file cannot be opened.
pub(crate) fn init(file: &Path, config: &LogConfig) -> io::Result<WorkerGuard> {
    if let Some(directory) = file.parent() {
        fs::create_dir_all(directory)?;
    }
    let writer = CappedFile::open(file.to_owned(), config.file_bytes)?;
    // Lossy: a full disk or a slow one must not stop the daemon.
    let (writer, guard) = NonBlockingBuilder::default()
        .lossy(true)
        .buffered_lines_limit(8192)
        .finish(writer);
    let filter = std::env::var(FILTER_VARIABLE).unwrap_or_else(|_| config.filter.clone());
    let filter = EnvFilter::try_new(&filter).unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(writer)
        .with_ansi(false)
        .init();
    Ok(guard)
}

/// A file that is renamed to `<name>.1` and begun anew when it reaches its cap.
#[derive(Debug)]
struct CappedFile {
    path: PathBuf,
    file: File,
    written: u64,
    cap: u64,
}

impl CappedFile {
    fn open(path: PathBuf, cap: u64) -> io::Result<Self> {
        let file = append(&path)?;
        let written = file.metadata()?.len();
        Ok(Self {
            path,
            file,
            written,
            cap,
        })
    }

    fn rotate(&mut self) -> io::Result<()> {
        let mut old = self.path.clone().into_os_string();
        old.push(".1");
        fs::rename(&self.path, old)?;
        self.file = append(&self.path)?;
        self.written = 0;
        Ok(())
    }
}

impl Write for CappedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.written > 0 && self.written + bytes.len() as u64 > self.cap {
            self.rotate()?;
        }
        let count = self.file.write(bytes)?;
        self.written += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn append(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_never_takes_more_than_twice_its_cap() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("daemon.log");
        let mut file = CappedFile::open(path.clone(), 1000).unwrap();
        for n in 0..500 {
            writeln!(file, "line {n:010}").unwrap();
        }
        let total: u64 = fs::read_dir(directory.path())
            .unwrap()
            .map(|entry| entry.unwrap().metadata().unwrap().len())
            .sum();
        assert!((1000..=2000).contains(&total), "{total}");
        assert!(
            fs::read_to_string(&path)
                .unwrap()
                .ends_with("line 0000000499\n")
        );
        drop(file);
        assert!(
            CappedFile::open(path, 1000).unwrap().written > 0,
            "a restart goes on where the file ends"
        );
    }
}
