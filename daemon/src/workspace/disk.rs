//! From a path in a request to a text: everything that touches the file system, on a thread for blocking
//! work and with limits.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use lean_beam_proto::{BeamError, BeamResult, ErrorCode};
use serde_json::json;

use super::Project;
use crate::{
    imports::{Chain, ImportGraph},
    text::{DocumentText, file_uri},
};

/// A Lean file of a workspace, told apart by its canonical path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct DocumentPath {
    /// Canonical path; for a file that is gone, the path as given.
    pub(crate) path: PathBuf,
    /// Its URI, the key in Lean.
    pub(crate) uri: String,
    /// Relative to the root where the file lies below it, else absolute.
    pub(crate) display: String,
    /// Canonical root of the project that it was named in.
    pub(crate) root: Arc<Path>,
}

impl DocumentPath {
    /// Finds the file that `given` names. Touches the file system.
    ///
    /// # Errors
    /// `invalidParams` when it is no Lean file of this workspace. A missing file is no error here.
    pub(crate) fn resolve(project: &Project, given: &str) -> BeamResult<Self> {
        let joined = project.root.join(given);
        if joined
            .extension()
            .is_none_or(|extension| extension != "lean")
        {
            return Err(bad_path(
                given,
                format!("{given:?} is not a Lean source file (its name does not end in .lean)"),
            ));
        }
        let path = match fs::canonicalize(&joined) {
            Ok(path) => path,
            Err(error) if error.kind() == io::ErrorKind::NotFound => canonical_parent(&joined),
            Err(error) => {
                return Err(bad_path(
                    given,
                    format!("{} cannot be opened: {error}", joined.display()),
                ));
            }
        };
        if let Some(nearer) = project.nearer_root(&path) {
            let message = format!(
                "{given} belongs to the project {}, not to {}",
                nearer.display(),
                project.root.display()
            );
            return Err(bad_path(given, message).with_hint(format!(
                "Ask again with the workspace root {}.",
                nearer.display()
            )));
        }
        let uri = file_uri(&path)
            .ok_or_else(|| bad_path(given, format!("{} has no URI", path.display())))?;
        let display = path
            .strip_prefix(&project.root)
            .unwrap_or(&path)
            .display()
            .to_string();
        Ok(Self {
            path,
            uri,
            display,
            root: Arc::from(project.root.as_path()),
        })
    }
}

/// A missing file keeps its key as long as its directory is there.
fn canonical_parent(path: &Path) -> PathBuf {
    match (path.parent().map(fs::canonicalize), path.file_name()) {
        (Some(Ok(parent)), Some(name)) => parent.join(name),
        _ => path.to_owned(),
    }
}

/// A document as it is on disk, with what it imports.
#[derive(Debug, Clone)]
pub(crate) struct DiskRead {
    pub(crate) text: Arc<DocumentText>,
    pub(crate) chain: Arc<Chain>,
}

/// Reads a document and looks at everything of the project that it imports. Touches the file system.
///
/// # Errors
/// As [`read`].
pub(crate) fn read_with_imports(
    document: &DocumentPath,
    limit: u64,
    project: &Project,
    graph: &ImportGraph,
) -> BeamResult<DiskRead> {
    let text = read(document, limit)?;
    let chain = graph.chain(
        &project.root,
        project.layout(),
        &document.path,
        text.as_str(),
    );
    Ok(DiskRead {
        text,
        chain: Arc::new(chain),
    })
}

/// Reads a document. Touches the file system.
///
/// # Errors
/// `invalidParams` when the file is missing, no regular file, too large or not UTF-8.
pub(crate) fn read(document: &DocumentPath, limit: u64) -> BeamResult<Arc<DocumentText>> {
    let unreadable = |error: io::Error| {
        let message = match error.kind() {
            io::ErrorKind::NotFound => format!("{} does not exist", document.display),
            _ => format!("{} cannot be read: {error}", document.display),
        };
        bad_path(&document.display, message).with_hint(
            "Paths are relative to the workspace root, or absolute. Save the file first.",
        )
    };
    let metadata = fs::metadata(&document.path).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(bad_path(
            &document.display,
            format!("{} is not a regular file", document.display),
        ));
    }
    if metadata.len() > limit {
        let message = format!(
            "{} has {} bytes; the limit is {limit}",
            document.display,
            metadata.len()
        );
        return Err(BeamError::new(ErrorCode::ResourceExhausted, message)
            .with_hint("Split the file, or raise `limits.file_bytes` in the configuration."));
    }
    let bytes = fs::read(&document.path).map_err(unreadable)?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Arc::new(DocumentText::new(text))),
        Err(error) => Err(not_utf8(document, &error)),
    }
}

fn not_utf8(document: &DocumentPath, error: &std::string::FromUtf8Error) -> BeamError {
    let offset = error.utf8_error().valid_up_to();
    let line = memchr::memchr_iter(b'\n', &error.as_bytes()[..offset]).count() + 1;
    BeamError::new(
        ErrorCode::InvalidParams,
        format!(
            "{} is not UTF-8: byte {offset}, in line {line}",
            document.display
        ),
    )
    .with_hint("Save the file as UTF-8; Lean reads nothing else.")
    .with_data(json!({ "path": document.display, "byte_offset": offset }))
}

fn bad_path(path: &str, message: String) -> BeamError {
    BeamError::new(ErrorCode::InvalidParams, message).with_data(json!({ "path": path }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project() -> (tempfile::TempDir, Project) {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        fs::write(root.join("lean-toolchain"), "").unwrap();
        (directory, Project { root })
    }

    #[test]
    fn every_way_to_name_a_file_gives_one_key() {
        let (_directory, project) = project();
        fs::create_dir(project.root.join("Sub")).unwrap();
        fs::write(project.root.join("Sub/A.lean"), "").unwrap();
        std::os::unix::fs::symlink(project.root.join("Sub"), project.root.join("Alias")).unwrap();
        let absolute = project.root.join("Sub/A.lean");
        let expected = DocumentPath::resolve(&project, absolute.to_str().unwrap()).unwrap();
        assert_eq!(expected.display, "Sub/A.lean");
        for given in ["Sub/A.lean", "./Sub/../Sub/A.lean", "Alias/A.lean"] {
            assert_eq!(
                DocumentPath::resolve(&project, given).unwrap(),
                expected,
                "{given}"
            );
        }
    }

    #[test]
    fn a_file_that_is_gone_keeps_its_key() {
        let (_directory, project) = project();
        let file = project.root.join("A.lean");
        fs::write(&file, "").unwrap();
        let before = DocumentPath::resolve(&project, "A.lean").unwrap();
        fs::remove_file(&file).unwrap();
        assert_eq!(DocumentPath::resolve(&project, "A.lean").unwrap(), before);
        let error = read(&before, 100).unwrap_err();
        assert!(error.message.contains("does not exist"), "{error}");
    }

    #[test]
    fn bytes_that_are_not_utf8_are_refused_with_their_place() {
        let (_directory, project) = project();
        fs::write(project.root.join("A.lean"), b"-- ok\n-- b\xffd\n").unwrap();
        let error = read(&DocumentPath::resolve(&project, "A.lean").unwrap(), 100).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidParams);
        assert_eq!(error.data.unwrap()["byte_offset"], 10);
        assert!(error.message.contains("line 2"));
    }

    #[test]
    fn what_cannot_be_a_document_is_refused() {
        let (_directory, project) = project();
        fs::create_dir(project.root.join("D.lean")).unwrap();
        fs::write(project.root.join("Big.lean"), "x".repeat(101)).unwrap();
        let read_error =
            |name: &str| read(&DocumentPath::resolve(&project, name).unwrap(), 100).unwrap_err();
        assert!(read_error("D.lean").message.contains("regular file"));
        assert_eq!(read_error("Big.lean").code, ErrorCode::ResourceExhausted);
        assert!(DocumentPath::resolve(&project, "A.txt").is_err());
    }
}
