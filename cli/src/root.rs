//! Which project a command is about.

use std::{
    io,
    path::{Component, Path, PathBuf},
};

use lean_beam_proto::{BeamError, ErrorCode};

use crate::source::Source;

/// A directory with one of these is a project root.
const MARKERS: [&str; 3] = ["lakefile.lean", "lakefile.toml", "lean-toolchain"];

/// A file and the project that it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProjectFile {
    /// Canonical root of the project.
    pub(crate) root: PathBuf,
    /// The file, relative to the root.
    pub(crate) path: String,
    /// The file as people find it from where they are: relative to the current directory where it lies
    /// below that, else absolute.
    pub(crate) shown: String,
}

impl ProjectFile {
    /// Where the file is.
    pub(crate) fn absolute(&self) -> PathBuf {
        self.root.join(&self.path)
    }

    /// Its text now; `None` when it cannot be read.
    pub(crate) fn read(&self) -> Option<Source> {
        Source::read(&self.absolute())
    }

    /// Whether its text is still `before`. Only then may source lines be shown with an answer: otherwise
    /// Lean may have seen another text.
    pub(crate) fn still_is(&self, before: &Source) -> bool {
        self.read().as_ref() == Some(before)
    }
}

/// The project for a command that names no file: `given`, else the nearest one above `directory`.
///
/// # Errors
/// `invalidInput` when there is none, or `given` is none.
pub(crate) fn project(given: Option<&Path>, directory: &Path) -> Result<PathBuf, BeamError> {
    match given {
        Some(given) => checked_root(given, directory),
        None => nearest(&canonical(directory)?).ok_or_else(|| no_project(directory)),
    }
}

/// The project of `file`: the nearest one above it. `given` must be that very one.
///
/// A relative `file` is looked for below `directory`, then, where there is none, below `given`. It need
/// not exist.
///
/// # Errors
/// `invalidInput` when it belongs to no project or to another one than `given`.
pub(crate) fn project_of_file(
    given: Option<&Path>,
    file: &Path,
    directory: &Path,
) -> Result<ProjectFile, BeamError> {
    let given = given
        .map(|given| checked_root(given, directory))
        .transpose()?;
    let absolute = locate(file, directory, given.as_deref())?;
    let owner = absolute
        .parent()
        .and_then(nearest)
        .ok_or_else(|| no_project(&absolute))?;
    match given {
        Some(given) if given != owner => Err(foreign_file(&absolute, &given, &owner)),
        _ => inside(owner, &absolute, directory),
    }
}

/// The file at `absolute` as people in `directory` find it: relative where it lies below that.
pub(crate) fn shown(absolute: &Path, directory: &Path) -> String {
    let shown = absolute.strip_prefix(resolve(directory));
    shown.unwrap_or(absolute).display().to_string()
}

/// The nearest directory, from `directory` upwards, that is a project root.
fn nearest(directory: &Path) -> Option<PathBuf> {
    directory
        .ancestors()
        .find(|candidate| is_root(candidate))
        .map(Path::to_owned)
}

fn is_root(directory: &Path) -> bool {
    MARKERS
        .iter()
        .any(|marker| directory.join(marker).is_file())
}

fn checked_root(given: &Path, directory: &Path) -> Result<PathBuf, BeamError> {
    let root = canonical(&directory.join(given))?;
    if is_root(&root) {
        return Ok(root);
    }
    let error = invalid(format!(
        "{} is not a Lean project: it has no {}",
        root.display(),
        MARKERS.join(", ")
    ));
    Err(match nearest(&root) {
        Some(above) => error.with_hint(format!(
            "The project above it is --root {}",
            above.display()
        )),
        None => {
            error.with_hint("Name the directory that holds the lakefile or the lean-toolchain.")
        }
    })
}

/// The file's absolute path, with its directory resolved but not the file itself: a link is the file that
/// it is called.
fn locate(file: &Path, directory: &Path, given: Option<&Path>) -> Result<PathBuf, BeamError> {
    let here = directory.join(file);
    let chosen = match given {
        Some(root) if !here.exists() && root.join(file).exists() => root.join(file),
        _ => here,
    };
    if chosen.is_dir() {
        return Err(invalid(format!(
            "{} is a directory, not a file",
            file.display()
        )));
    }
    let name = match chosen.components().next_back() {
        Some(Component::Normal(name)) => name.to_owned(),
        _ => return Err(invalid(format!("{} is not a file", file.display()))),
    };
    let parent = chosen.parent().unwrap_or(directory);
    Ok(resolve(parent).join(name))
}

/// As much of `directory` as exists is resolved; the rest, of a file that is gone, stays as it is.
fn resolve(directory: &Path) -> PathBuf {
    for existing in directory.ancestors() {
        if let (Ok(real), Ok(rest)) = (existing.canonicalize(), directory.strip_prefix(existing)) {
            return real.join(rest);
        }
    }
    directory.to_owned()
}

fn canonical(directory: &Path) -> Result<PathBuf, BeamError> {
    directory.canonicalize().map_err(|error| {
        let reason = match error.kind() {
            io::ErrorKind::NotFound => "there is no such directory".to_owned(),
            _ => error.to_string(),
        };
        invalid(format!("cannot use {}: {reason}", directory.display()))
    })
}

fn inside(root: PathBuf, absolute: &Path, directory: &Path) -> Result<ProjectFile, BeamError> {
    let relative = absolute.strip_prefix(&root).unwrap_or(absolute);
    match (root.to_str(), relative.to_str()) {
        (Some(_), Some(path)) => Ok(ProjectFile {
            path: path.to_owned(),
            shown: shown(absolute, directory),
            root,
        }),
        _ => Err(invalid(format!(
            "{} is not valid UTF-8",
            absolute.display()
        ))),
    }
}

fn no_project(place: &Path) -> BeamError {
    invalid(format!("{} is in no Lean project", place.display())).with_hint(format!(
        "A project is a directory with {}; `echo leanprover/lean4:stable > lean-toolchain` is enough to make one.",
        MARKERS.join(", ")
    ))
}

fn foreign_file(file: &Path, given: &Path, owner: &Path) -> BeamError {
    invalid(format!(
        "{} does not belong to the project {}",
        file.display(),
        given.display()
    ))
    .with_hint(format!("It belongs to --root {}", owner.display()))
}

fn invalid(message: String) -> BeamError {
    BeamError::new(ErrorCode::InvalidInput, message)
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    /// `outer/lakefile.toml`, `outer/inner/lean-toolchain`, `plain/`, each with a directory `deep`.
    struct Tree {
        _directory: tempfile::TempDir,
        base: PathBuf,
    }

    impl Tree {
        fn new() -> Self {
            let directory = tempfile::tempdir().unwrap();
            let base = directory.path().canonicalize().unwrap();
            for path in ["outer/inner/deep", "outer/deep", "plain/deep"] {
                fs::create_dir_all(base.join(path)).unwrap();
            }
            for path in [
                "outer/lakefile.toml",
                "outer/inner/lean-toolchain",
                "outer/A.lean",
            ] {
                fs::write(base.join(path), "").unwrap();
            }
            Self {
                _directory: directory,
                base,
            }
        }

        fn at(&self, path: &str) -> PathBuf {
            self.base.join(path)
        }

        fn of_file(
            &self,
            given: Option<&str>,
            file: &str,
            directory: &str,
        ) -> Result<(PathBuf, String), BeamError> {
            let given = given.map(|given| self.at(given));
            project_of_file(given.as_deref(), Path::new(file), &self.at(directory))
                .map(|found| (found.root, found.path))
        }
    }

    #[test]
    fn the_nearest_project_above_counts() {
        let tree = Tree::new();
        assert_eq!(
            project(None, &tree.at("outer/inner/deep")).unwrap(),
            tree.at("outer/inner")
        );
        assert_eq!(
            project(None, &tree.at("outer/deep")).unwrap(),
            tree.at("outer")
        );
        let error = project(None, &tree.at("plain/deep")).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidInput);
        assert!(error.hint.unwrap().contains("lakefile.toml"));
    }

    #[test]
    fn a_given_root_must_be_one() {
        let tree = Tree::new();
        let here = tree.at("plain");
        assert_eq!(
            project(Some(Path::new("../outer")), &here).unwrap(),
            tree.at("outer")
        );
        let error = project(Some(&tree.at("outer/deep")), &here).unwrap_err();
        assert!(
            error
                .hint
                .unwrap()
                .contains(&tree.at("outer").display().to_string())
        );
        assert!(project(Some(Path::new("nowhere")), &here).is_err());
        assert!(project(Some(&here), &here).is_err());
    }

    #[test]
    fn a_file_belongs_to_the_project_nearest_to_it_wherever_we_are() {
        let tree = Tree::new();
        assert_eq!(
            tree.of_file(None, "deep/B.lean", "outer").unwrap(),
            (tree.at("outer"), "deep/B.lean".to_owned())
        );
        assert_eq!(
            tree.of_file(None, "../outer/inner/deep/../B.lean", "plain")
                .unwrap(),
            (tree.at("outer/inner"), "B.lean".to_owned())
        );
        assert!(tree.of_file(None, "B.lean", "plain").is_err());
    }

    #[test]
    fn a_file_of_a_nearer_project_is_refused_with_its_root() {
        let tree = Tree::new();
        let error = tree
            .of_file(Some("outer"), "inner/B.lean", "outer")
            .unwrap_err();
        let hint = error.hint.unwrap();
        assert!(
            hint.ends_with(&tree.at("outer/inner").display().to_string()),
            "{hint}"
        );
        assert!(
            tree.of_file(Some("outer/inner"), "../A.lean", "outer/inner")
                .is_err()
        );
    }

    #[test]
    fn with_a_given_root_a_file_may_be_named_from_there() {
        let tree = Tree::new();
        assert_eq!(
            tree.of_file(Some("outer"), "A.lean", "plain").unwrap(),
            (tree.at("outer"), "A.lean".to_owned())
        );
    }

    #[test]
    fn a_linked_directory_is_resolved_and_a_linked_file_is_not() {
        let tree = Tree::new();
        symlink(tree.at("outer"), tree.at("plain/link")).unwrap();
        symlink(tree.at("outer/A.lean"), tree.at("outer/inner/L.lean")).unwrap();
        assert_eq!(
            tree.of_file(None, "link/A.lean", "plain").unwrap(),
            (tree.at("outer"), "A.lean".to_owned())
        );
        assert_eq!(
            tree.of_file(None, "L.lean", "outer/inner").unwrap(),
            (tree.at("outer/inner"), "L.lean".to_owned())
        );
    }

    #[test]
    fn a_file_that_is_gone_with_its_directory_still_has_a_project() {
        let tree = Tree::new();
        assert_eq!(
            tree.of_file(None, "gone/B.lean", "outer").unwrap(),
            (tree.at("outer"), "gone/B.lean".to_owned())
        );
    }

    #[test]
    fn a_file_is_shown_as_it_is_found_from_here() {
        let tree = Tree::new();
        let shown = |file: &str, directory: &str| {
            let found = project_of_file(None, Path::new(file), &tree.at(directory)).unwrap();
            found.shown
        };
        assert_eq!(shown("B.lean", "outer/deep"), "B.lean");
        assert_eq!(shown("outer/deep/B.lean", ""), "outer/deep/B.lean");
        let elsewhere = tree.at("outer/A.lean").display().to_string();
        assert_eq!(shown("../outer/A.lean", "plain"), elsewhere);
    }

    #[test]
    fn a_directory_is_no_file() {
        let tree = Tree::new();
        assert!(tree.of_file(None, ".", "outer").is_err());
        assert!(tree.of_file(None, "..", "outer/deep").is_err());
    }
}
