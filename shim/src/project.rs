//! What makes a directory a Lean project.

use std::path::Path;

/// The files of which a project root holds at least one.
pub(crate) const PROJECT_FILES: [&str; 3] = ["lakefile.lean", "lakefile.toml", "lean-toolchain"];

/// True for a directory that can be a workspace root.
pub(crate) fn is_project(directory: &Path) -> bool {
    PROJECT_FILES
        .iter()
        .any(|file| directory.join(file).exists())
}

/// The nearest project around a file or directory, itself not included.
pub(crate) fn project_around(path: &Path) -> Option<&Path> {
    path.ancestors()
        .skip(1)
        .find(|directory| is_project(directory))
}
