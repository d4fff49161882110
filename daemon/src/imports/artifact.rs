//! Where a module's artifacts are, and what they were made from.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use serde::{Deserialize, Serialize};

/// The artifacts of one module of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArtifactPaths {
    pub(crate) olean: PathBuf,
    pub(crate) ilean: PathBuf,
    pub(crate) c: PathBuf,
    pub(crate) trace: PathBuf,
}

impl ArtifactPaths {
    /// Where they are by Lake's convention, which a project without Lake follows as well.
    pub(crate) fn of(root: &Path, module: &str) -> Self {
        Self::in_library(root, &root.join(".lake/build/lib/lean"), module)
    }

    /// Where they are when importers look into `library`.
    pub(crate) fn in_library(root: &Path, library: &Path, module: &str) -> Self {
        let relative = module.replace('.', "/");
        Self {
            olean: library.join(format!("{relative}.olean")),
            ilean: library.join(format!("{relative}.ilean")),
            c: root.join(".lake/build/ir").join(format!("{relative}.c")),
            trace: library.join(format!("{relative}.olean.trace")),
        }
    }
}

/// What a save of ours writes beside the artifacts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SaveTrace {
    /// Hash of the source.
    pub(crate) source_hash: String,
    /// Stamp of the artifact that importers load, as [`stamp_of`] gives it.
    pub(crate) olean: String,
    /// The project's own modules that it imports directly, with the stamp of what was loaded of them.
    pub(crate) imports: BTreeMap<String, String>,
}

impl SaveTrace {
    /// The trace at `path`, if it is one of ours.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(path).ok()?).ok()
    }
}

/// Tells one state of a file from another: device, inode, size and time of change. `None` when it is not there.
pub(crate) fn stamp_of(path: &Path) -> Option<String> {
    let metadata = fs::metadata(path).ok()?;
    Some(format!(
        "{}:{}:{}:{}.{:09}",
        metadata.dev(),
        metadata.ino(),
        metadata.size(),
        metadata.mtime(),
        metadata.mtime_nsec()
    ))
}

/// How long a file has to rest before its stamp is trusted: two writes in one tick of a file system's clock leave
/// the same time behind, and the coarsest clocks tick every two seconds.
const SETTLING: Duration = Duration::from_secs(3);

/// False while the file may change without a change of its stamp. A file that is not there is settled.
pub(crate) fn is_settled(path: &Path) -> bool {
    let Ok(changed) = fs::metadata(path).and_then(|metadata| metadata.modified()) else {
        return true;
    };
    SystemTime::now()
        .duration_since(changed)
        .is_ok_and(|rested| rested > SETTLING)
}

/// The module that a file is: its path below the directory of its library, with dots, when every part is an
/// identifier.
pub(super) fn module_of_path(path: &Path) -> Option<String> {
    let path = path.with_extension("");
    let parts: Option<Vec<&str>> = path
        .components()
        .map(|part| part.as_os_str().to_str().filter(|part| is_identifier(part)))
        .collect();
    parts
        .filter(|parts| !parts.is_empty())
        .map(|parts| parts.join("."))
}

fn is_identifier(part: &str) -> bool {
    let mut characters = part.chars();
    characters
        .next()
        .is_some_and(|first| first.is_alphabetic() || first == '_')
        && characters.all(|rest| rest.is_alphanumeric() || matches!(rest, '_' | '\'' | '!' | '?'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_a_path_of_identifiers() {
        let module = |path: &str| module_of_path(Path::new(path));
        assert_eq!(module("Demo/Basic.lean").as_deref(), Some("Demo.Basic"));
        assert_eq!(module("Ä'.lean").as_deref(), Some("Ä'"));
        for none in ["a-b.lean", ".lake/packages/x/X.lean", "1a.lean"] {
            assert_eq!(module(none), None, "{none}");
        }
    }

    #[test]
    fn a_file_is_settled_when_it_has_rested() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        assert!(is_settled(&path), "there is nothing that could change");
        fs::write(&path, "1").unwrap();
        assert!(!is_settled(&path));
        let set = |time| {
            fs::File::options()
                .write(true)
                .open(&path)
                .unwrap()
                .set_modified(time)
                .unwrap();
        };
        set(SystemTime::now() - Duration::from_secs(10));
        assert!(is_settled(&path));
        set(SystemTime::now() + Duration::from_secs(3600));
        assert!(!is_settled(&path), "a clock that is wrong proves nothing");
    }

    #[test]
    fn a_rewritten_file_has_another_stamp() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        assert_eq!(stamp_of(&path), None);
        fs::write(&path, "1").unwrap();
        let before = stamp_of(&path);
        assert_eq!(stamp_of(&path), before);
        fs::write(directory.path().join("b"), "2").unwrap();
        fs::rename(directory.path().join("b"), &path).unwrap();
        assert_ne!(stamp_of(&path), before);
    }
}
