//! Whether the program that runs is still the one that is installed.

use std::{
    env, fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

/// Marks the name of a program file that was removed while it runs.
const DELETED: &str = " (deleted)";

/// This process's program file, remembered from its start.
#[derive(Debug, Clone)]
pub(crate) struct RunningProgram {
    /// The path by which it was started, links not resolved: whatever an installer puts there counts
    /// as installed.
    path: PathBuf,
    file: Option<FileId>,
}

/// One file, whatever its names. A file that was overwritten in place differs in size or time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileId {
    device: u64,
    inode: u64,
    size: u64,
    modified_s: i64,
    modified_ns: i64,
}

impl RunningProgram {
    /// Looks at this process. To be called at its start.
    pub(crate) fn of_this_process() -> Self {
        let current = env::current_exe().unwrap_or_default();
        let path = started_as().unwrap_or_else(|| without_mark(&current));
        Self::started_from(path, &current)
    }

    fn started_from(path: PathBuf, current: &Path) -> Self {
        let file = FileId::of(current).ok();
        // A wrapper may start us under a name that leads somewhere else.
        let path = if FileId::of(&path).ok() == file {
            path
        } else {
            without_mark(current)
        };
        Self { path, file }
    }

    /// The path of the program file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// True when the program file at our path is the one that runs; `None` when that cannot be told.
    ///
    /// # Errors
    /// The file cannot be looked at, other than because it is gone.
    pub(crate) fn is_current(&self) -> io::Result<Option<bool>> {
        let Some(running) = self.file else {
            return Ok(None);
        };
        match FileId::of(&self.path) {
            Ok(installed) => Ok(Some(installed == running)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Some(false)),
            Err(error) => Err(error),
        }
    }
}

impl FileId {
    fn of(path: &Path) -> io::Result<Self> {
        let metadata = fs::metadata(path)?;
        Ok(Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified_s: metadata.mtime(),
            modified_ns: metadata.mtime_nsec(),
        })
    }
}

/// The path by which this process was started, where its name says so or `PATH` tells.
fn started_as() -> Option<PathBuf> {
    let name = PathBuf::from(env::args_os().next()?);
    if name.components().count() > 1 {
        return std::path::absolute(name).ok();
    }
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(&name))
        .find(|candidate| candidate.is_file())
}

fn without_mark(path: &Path) -> PathBuf {
    match path.to_str().and_then(|text| text.strip_suffix(DELETED)) {
        Some(text) => PathBuf::from(text),
        None => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn an_upgrade_behind_a_link_or_in_place_is_seen() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::write(at("v1"), "one").unwrap();
        fs::write(at("v2"), "two!").unwrap();
        symlink(at("v1"), at("current")).unwrap();
        let running = RunningProgram::started_from(at("current"), &at("v1"));
        assert_eq!(running.is_current().unwrap(), Some(true));
        assert_eq!(running.path(), at("current"));

        fs::remove_file(at("current")).unwrap();
        assert_eq!(
            running.is_current().unwrap(),
            Some(false),
            "nothing is installed"
        );
        symlink(at("v2"), at("current")).unwrap();
        assert_eq!(running.is_current().unwrap(), Some(false));

        let running = RunningProgram::started_from(at("v1"), &at("v1"));
        fs::write(at("v1"), "other").unwrap();
        assert_eq!(running.is_current().unwrap(), Some(false));
    }

    #[test]
    fn a_name_that_leads_elsewhere_does_not_count() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::write(at("real"), "x").unwrap();
        fs::write(at("wrapper"), "#!").unwrap();
        let running = RunningProgram::started_from(at("wrapper"), &at("real"));
        assert_eq!(running.path(), at("real"));
    }

    #[test]
    fn this_very_program_is_current() {
        assert_eq!(
            RunningProgram::of_this_process().is_current().unwrap(),
            Some(true)
        );
    }
}
