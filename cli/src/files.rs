//! The files of a project as people find them, and their lines.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use crate::{root, source::Source};

/// The files that an answer names. Each one is read once, when a line of it is first wanted.
#[derive(Debug)]
pub(crate) struct Files {
    root: PathBuf,
    directory: PathBuf,
    read: HashMap<String, Option<Source>>,
}

impl Files {
    /// Files of the project at `root`, for somebody in `directory`.
    pub(crate) fn new(root: &Path, directory: &Path) -> Self {
        Self {
            root: root.to_owned(),
            directory: directory.to_owned(),
            read: HashMap::new(),
        }
    }

    /// How people find the file at `path`, which is absolute or relative to the root.
    pub(crate) fn shown(&self, path: &str) -> String {
        root::shown(&self.root.join(path), &self.directory)
    }

    /// The zero-based `line` of the file at `path`, as it is on disk.
    pub(crate) fn line(&mut self, path: &str, line: u32) -> Option<&str> {
        let read = || Source::read(&self.root.join(path));
        let source = self.read.entry(path.to_owned()).or_insert_with(read);
        source.as_ref()?.line(line)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn files_are_named_from_where_one_is_and_read_from_where_they_are() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        fs::create_dir(root.join("sub")).unwrap();
        fs::write(root.join("sub/A.lean"), "one\ntwo").unwrap();
        let mut below = Files::new(&root, &root.join("sub"));
        assert_eq!(below.shown("sub/A.lean"), "A.lean");
        assert_eq!(below.line("sub/A.lean", 1), Some("two"));
        assert_eq!(below.line("sub/A.lean", 2), None);
        assert_eq!(below.line("Missing.lean", 0), None);
        let elsewhere = Files::new(&root, Path::new("/"));
        assert_eq!(elsewhere.shown("/lib/Init.lean"), "lib/Init.lean");
        let beside = Files::new(&root, &root.join("sub"));
        assert_eq!(beside.shown("/lib/Init.lean"), "/lib/Init.lean");
    }
}
