//! Changes of files, shown before they are made, and made all at once.

use std::{
    fs,
    io::{self, Write as _},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use serde::Serialize;
use similar::TextDiff;

/// A file that is to have another text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    /// The file.
    pub(super) path: PathBuf,
    /// Its text now; `None` when it does not exist.
    pub(super) before: Option<String>,
    /// Its text then; `None` when it is to be removed.
    pub(super) after: Option<String>,
}

/// A change for programs.
#[derive(Debug, Serialize)]
pub(super) struct ShownChange {
    file: PathBuf,
    action: &'static str,
    diff: String,
}

impl Change {
    /// The change of the text of `path` into `after`; `None` when it has that already.
    ///
    /// # Errors
    /// The file cannot be read as text.
    pub(super) fn of(path: &Path, after: Option<String>) -> io::Result<Option<Self>> {
        let before = read(path)?;
        Ok((before != after).then(|| Self {
            path: path.to_owned(),
            before,
            after,
        }))
    }

    /// The change as a unified diff.
    pub(super) fn diff(&self) -> String {
        let before = self.before.as_deref().unwrap_or_default();
        let after = self.after.as_deref().unwrap_or_default();
        let name = |text: &Option<String>| match text {
            Some(_) => self.path.display().to_string(),
            None => "/dev/null".to_owned(),
        };
        TextDiff::from_lines(before, after)
            .unified_diff()
            .context_radius(2)
            .header(&name(&self.before), &name(&self.after))
            .to_string()
    }

    /// What is shown to programs.
    pub(super) fn shown(&self) -> ShownChange {
        ShownChange {
            file: self.path.clone(),
            action: match (&self.before, &self.after) {
                (None, _) => "create",
                (_, None) => "remove",
                _ => "edit",
            },
            diff: self.diff(),
        }
    }

    /// Makes the change. The file is replaced whole, keeps its permissions and, where it is a link, stays one.
    ///
    /// # Errors
    /// The file has changed meanwhile, or cannot be written.
    pub(super) fn apply(&self) -> io::Result<()> {
        if read(&self.path)? != self.before {
            return Err(io::Error::other(format!(
                "{} was changed by somebody else at this moment",
                self.path.display()
            )));
        }
        let target = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        match &self.after {
            None => fs::remove_file(&target),
            Some(text) => write(&target, text),
        }
    }
}

/// The text of a file, where there is one.
pub(super) fn read(path: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(io::Error::new(
            error.kind(),
            format!("{}: {error}", path.display()),
        )),
    }
}

fn write(target: &Path, text: &str) -> io::Result<()> {
    let directory = target.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(directory)?;
    let mut file = tempfile::Builder::new()
        .prefix(".lean-beam-")
        .tempfile_in(directory)?;
    file.write_all(text.as_bytes())?;
    // A new file is for its owner only: settings of agents may hold secrets.
    let mode = fs::metadata(target).map_or(0o600, |metadata| metadata.permissions().mode());
    file.as_file()
        .set_permissions(fs::Permissions::from_mode(mode & 0o777))?;
    file.as_file().sync_all()?;
    file.persist(target)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_stays_a_link_and_permissions_stay() {
        let directory = tempfile::tempdir().unwrap();
        let real = directory.path().join("real");
        let link = directory.path().join("link");
        fs::write(&real, "old\n").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&real, &link).unwrap();
        let change = Change::of(&link, Some("new\n".to_owned()))
            .unwrap()
            .unwrap();
        assert!(change.diff().contains("-old\n+new\n"));
        change.apply().unwrap();
        assert_eq!(fs::read_to_string(&real).unwrap(), "new\n");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(
            fs::metadata(&real).unwrap().permissions().mode() & 0o777,
            0o640
        );
        assert_eq!(Change::of(&link, Some("new\n".to_owned())).unwrap(), None);
    }

    #[test]
    fn a_file_that_changed_meanwhile_is_left_alone() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("deep/file");
        let change = Change::of(&path, Some("ours".to_owned())).unwrap().unwrap();
        fs::create_dir(path.parent().unwrap()).unwrap();
        fs::write(&path, "theirs").unwrap();
        assert!(change.apply().is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
    }
}
