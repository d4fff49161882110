//! Which directory a call means, checked here so that no daemon is started for nothing.

use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

use lean_beam_proto::{BeamError, BeamResult};

use crate::{
    project::{PROJECT_FILES, is_project, project_around},
    tools::{Tool, invalid},
};

const FIELD: &str = "workspace.root";

/// The canonical root of an existing project.
///
/// # Errors
/// `invalidInput` when `root` does not exist, is no directory, holds none of the project files, or
/// cannot be read.
pub(crate) fn existing_project(tool: &Tool, root: &str) -> BeamResult<String> {
    let path = canonical(root).map_err(|error| unusable(tool, root, &error))?;
    if !path.is_dir() {
        return Err(invalid(tool, FIELD, "is not a directory").with_hint(PROJECT_HINT));
    }
    if !is_project(&path) {
        let fault = format!(
            "is not a Lean project: {root} holds none of {}",
            PROJECT_FILES.join(", ")
        );
        return Err(invalid(tool, FIELD, &fault).with_hint(project_hint(&path)));
    }
    into_text(tool, path)
}

/// The canonical root of a project that may have vanished: what exists is resolved, and what does not
/// must be canonical already, as it is when it comes from an earlier answer.
///
/// # Errors
/// `invalidInput` when `root` does not exist and is not canonical.
pub(crate) fn former_project(tool: &Tool, root: &str) -> BeamResult<String> {
    match canonical(root) {
        Ok(path) => into_text(tool, path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let plain: PathBuf = Path::new(root).components().collect();
            if is_plain(&plain) {
                into_text(tool, plain)
            } else {
                Err(unusable(tool, root, &error))
            }
        }
        Err(error) => Err(unusable(tool, root, &error)),
    }
}

const PROJECT_HINT: &str =
    "Give the full path of the directory that holds the lakefile or lean-toolchain.";

fn canonical(root: &str) -> io::Result<PathBuf> {
    fs::canonicalize(root)
}

/// True for an absolute path without `..`.
fn is_plain(path: &Path) -> bool {
    path.components()
        .all(|component| matches!(component, Component::RootDir | Component::Normal(_)))
}

fn into_text(tool: &Tool, path: PathBuf) -> BeamResult<String> {
    path.into_os_string()
        .into_string()
        .map_err(|_| invalid(tool, FIELD, "leads to a path that is not Unicode"))
}

fn unusable(tool: &Tool, root: &str, error: &io::Error) -> BeamError {
    let fault = match error.kind() {
        io::ErrorKind::NotFound => format!("does not exist: {root}"),
        _ => format!("cannot be used: {root}: {error}"),
    };
    invalid(tool, FIELD, &fault).with_hint(PROJECT_HINT)
}

/// Points to the project around a directory, where there is one.
fn project_hint(path: &Path) -> String {
    match project_around(path) {
        Some(project) => format!("The project around it is {}.", project.display()),
        None => PROJECT_HINT.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use lean_beam_proto::ErrorCode;

    use super::*;

    fn tool() -> &'static Tool {
        crate::tools::find("lean_sync").unwrap()
    }

    fn text(path: &Path) -> String {
        path.to_str().unwrap().to_owned()
    }

    #[track_caller]
    fn refused(result: BeamResult<String>) -> BeamError {
        let error = result.unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidInput);
        assert!(
            error.message.contains("`workspace.root`"),
            "{}",
            error.message
        );
        error
    }

    #[test]
    fn a_project_is_known_by_any_of_three_files_and_by_its_canonical_path() {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().canonicalize().unwrap();
        for file in PROJECT_FILES {
            let project = base.join(format!("with-{file}"));
            fs::create_dir(&project).unwrap();
            fs::write(project.join(file), "").unwrap();
            let link = base.join(format!("link-to-{file}"));
            symlink(&project, &link).unwrap();
            for alias in [
                text(&project),
                text(&link),
                format!("{}/./", text(&project)),
            ] {
                assert_eq!(existing_project(tool(), &alias).unwrap(), text(&project));
            }
        }
    }

    #[test]
    fn what_is_no_project_is_refused_with_its_reason() {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path();
        fs::write(base.join("file"), "").unwrap();
        fs::create_dir(base.join("plain")).unwrap();
        let missing = refused(existing_project(tool(), &text(&base.join("missing"))));
        assert!(missing.message.contains("does not exist"));
        let file = refused(existing_project(tool(), &text(&base.join("file"))));
        assert!(file.message.contains("not a directory"));
        let plain = refused(existing_project(tool(), &text(&base.join("plain"))));
        assert!(plain.message.contains("lean-toolchain"));
        refused(existing_project(tool(), "/a\0b"));
    }

    #[test]
    fn a_directory_inside_a_project_is_told_which_one() {
        let directory = tempfile::tempdir().unwrap();
        let inner = directory.path().join("src");
        fs::create_dir(&inner).unwrap();
        fs::write(directory.path().join("lean-toolchain"), "").unwrap();
        let error = refused(existing_project(tool(), &text(&inner)));
        assert!(error.hint.unwrap().contains("around it"));
    }

    #[test]
    fn a_vanished_project_can_be_dropped_by_its_canonical_path_only() {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().canonicalize().unwrap();
        let gone = text(&base.join("gone"));
        assert_eq!(former_project(tool(), &gone).unwrap(), gone);
        assert_eq!(former_project(tool(), &format!("{gone}/")).unwrap(), gone);
        refused(former_project(tool(), &format!("{gone}/../gone")));
        assert_eq!(
            former_project(tool(), &text(&base)).unwrap(),
            text(&base),
            "no project any more, but still there"
        );
    }
}
