//! What makes a directory a workspace root.

use std::{
    fs,
    path::{Path, PathBuf},
};

use lean_beam_proto::{BeamError, BeamResult, ErrorCode};
use serde_json::json;

use crate::imports::Layout;

/// Files that make their directory a root.
const MARKERS: [&str; 3] = ["lakefile.lean", "lakefile.toml", "lean-toolchain"];
/// Those of them that mean Lake.
const LAKEFILES: [&str; 2] = ["lakefile.lean", "lakefile.toml"];
/// Longest toolchain name that is shown.
const TOOLCHAIN_BYTES: usize = 200;

/// A checked root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Project {
    /// Canonical path.
    pub(crate) root: PathBuf,
}

impl Project {
    /// Checks the root that a client named. Touches the file system.
    ///
    /// # Errors
    /// `invalidInput` when it is relative, missing, or no project.
    pub(crate) fn detect(root: &str) -> BeamResult<Self> {
        let given = Path::new(root);
        if !given.is_absolute() {
            return Err(bad_root(
                root,
                format!("the workspace root {root:?} is not an absolute path"),
            )
            .with_hint("Pass the absolute path of the project's directory."));
        }
        let canonical = fs::canonicalize(given).map_err(|error| {
            bad_root(
                root,
                format!("the workspace root {root} cannot be opened: {error}"),
            )
            .with_hint("Check the path; it must be an existing directory.")
        })?;
        if !is_root(&canonical) {
            let message = format!(
                "{root} is no Lean project: it holds none of {}",
                MARKERS.join(", ")
            );
            return Err(bad_root(root, message).with_hint(suggestion(&canonical)));
        }
        Ok(Self { root: canonical })
    }

    /// Content of `lean-toolchain` as it is now, where there is one.
    pub(crate) fn toolchain(&self) -> Option<String> {
        let text = fs::read_to_string(self.root.join("lean-toolchain")).ok()?;
        let line = text.trim();
        (!line.is_empty()).then(|| line.chars().take(TOOLCHAIN_BYTES).collect())
    }

    /// True when Lake sets the project up.
    pub(crate) fn has_lakefile(&self) -> bool {
        LAKEFILES.iter().any(|name| self.root.join(name).is_file())
    }

    /// Who makes its artifacts.
    pub(crate) fn layout(&self) -> Layout {
        if self.has_lakefile() {
            Layout::Lake
        } else {
            Layout::Plain
        }
    }

    /// The root, between this one and `file`, that the file really belongs to. Dependencies below `.lake`
    /// are roots of their own, but their sources may be read from here.
    pub(crate) fn nearer_root(&self, file: &Path) -> Option<PathBuf> {
        let below = file.parent()?.strip_prefix(&self.root).ok()?;
        if below.components().any(|part| part.as_os_str() == ".lake") {
            return None;
        }
        below
            .ancestors()
            .filter(|part| !part.as_os_str().is_empty())
            .map(|part| self.root.join(part))
            .find(|directory| is_root(directory))
    }
}

fn is_root(directory: &Path) -> bool {
    MARKERS.iter().any(|name| directory.join(name).is_file())
}

fn suggestion(directory: &Path) -> String {
    match directory
        .ancestors()
        .skip(1)
        .find(|ancestor| is_root(ancestor))
    {
        Some(above) => format!("The project above it is {}.", above.display()),
        None => {
            "Pass the directory of the lakefile, or put a `lean-toolchain` file into it.".to_owned()
        }
    }
}

fn bad_root(root: &str, message: String) -> BeamError {
    BeamError::new(ErrorCode::InvalidInput, message).with_data(json!({ "root": root }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(path: &Path) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }

    #[test]
    fn a_root_is_found_through_a_link_under_its_canonical_path() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap().join("p");
        touch(&root.join("lean-toolchain"));
        let link = directory.path().join("link");
        std::os::unix::fs::symlink(&root, &link).unwrap();
        assert_eq!(Project::detect(link.to_str().unwrap()).unwrap().root, root);
    }

    #[test]
    fn what_is_no_root_is_refused_with_the_root_above_it() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        touch(&root.join("lakefile.toml"));
        touch(&root.join("Sub/A.lean"));
        let error = Project::detect(root.join("Sub").to_str().unwrap()).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidInput);
        assert!(error.hint.unwrap().contains(root.to_str().unwrap()));
        assert_eq!(
            Project::detect("relative").unwrap_err().code,
            ErrorCode::InvalidInput
        );
        assert_eq!(
            Project::detect("/nowhere/at/all").unwrap_err().code,
            ErrorCode::InvalidInput
        );
    }

    #[test]
    fn a_nested_project_owns_its_files_and_a_dependency_below_dot_lake_does_not() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        touch(&root.join("lakefile.lean"));
        touch(&root.join("inner/lean-toolchain"));
        touch(&root.join(".lake/packages/std/lakefile.toml"));
        let project = Project { root: root.clone() };
        assert_eq!(
            project.nearer_root(&root.join("inner/deep/A.lean")),
            Some(root.join("inner"))
        );
        assert_eq!(project.nearer_root(&root.join("Src/A.lean")), None);
        assert_eq!(
            project.nearer_root(&root.join(".lake/packages/std/Std.lean")),
            None
        );
        assert_eq!(project.nearer_root(Path::new("/elsewhere/A.lean")), None);
    }
}
