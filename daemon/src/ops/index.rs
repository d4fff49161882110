//! Lean's index of declarations and uses: keeping it up to date, and knowing how far it is.

use std::{
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use futures_util::future::join_all;
use lean_beam_proto::{
    BeamResult,
    op::{DocumentState, OpenFile},
};

use super::OpContext;
use crate::{
    lsp::{WaitForIndex, WatchedFilesChanged, method},
    session::{SessionError, SessionHandle},
    text::file_uri,
    workspace::artifact_directory,
};

/// How long a question about the whole project waits for files that are not asked about themselves.
const OTHERS_LIMIT: Duration = Duration::from_secs(5);
/// How many entries of a directory tree are looked at; a larger project is only asked what Lean knows.
const ENTRIES: usize = 50_000;

/// Waits until the index holds `version` of a document, or what it has on disk where there is none.
///
/// # Errors
/// As [`SessionHandle::request`].
pub(super) async fn wait_for_index(
    session: &SessionHandle,
    document: Option<(&str, u64)>,
) -> Result<(), SessionError> {
    let params = WaitForIndex {
        uri: document.map(|(uri, _)| uri),
        version: document.map(|(_, version)| version),
    };
    let waited = session
        .request_about::<_, serde::de::IgnoredAny>(params.uri, method::WAIT_FOR_INDEX, &params)
        .await;
    match (waited, document) {
        // Lean versions that cannot be asked have the document in their index once it is elaborated.
        (Err(SessionError::Refused(error)), document)
            if error.code == method::code::UNKNOWN_METHOD =>
        {
            match document {
                Some((uri, version)) => session.wait_for_diagnostics(uri, version).await,
                None => Ok(()),
            }
        }
        (waited, _) => waited.map(|_| ()),
    }
}

/// Waits a little for the open files that are still being elaborated; gives the paths of those that are not in
/// the index as they are now, `except` left out.
pub(super) async fn settle_others(
    context: &OpContext<'_>,
    session: &SessionHandle,
    except: Option<&str>,
) -> BeamResult<Vec<String>> {
    let open = context.workspace()?.open_files().await?.files;
    let others: Vec<_> = open
        .into_iter()
        .filter(|file| Some(file.uri.as_str()) != except)
        .filter(|file| {
            matches!(
                file.state,
                DocumentState::Processing | DocumentState::Failed
            )
        })
        .collect();
    let waits = others.iter().map(|file| is_indexed(session, file));
    let indexed = join_all(waits).await;
    Ok(others
        .into_iter()
        .zip(indexed)
        .filter(|(_, indexed)| !indexed)
        .map(|(file, _)| file.path)
        .collect())
}

async fn is_indexed(session: &SessionHandle, file: &OpenFile) -> bool {
    if file.state == DocumentState::Failed {
        return false;
    }
    let wait = wait_for_index(session, Some((&file.uri, file.version)));
    matches!(tokio::time::timeout(OTHERS_LIMIT, wait).await, Ok(Ok(())))
}

/// Tells Lean which parts of the index on disk are newer than the last time. Nobody else would: builds run
/// outside of its sight.
pub(super) async fn announce_builds(
    context: &OpContext<'_>,
    session: &SessionHandle,
) -> BeamResult<()> {
    let directory = artifact_directory(context.workspace()?.root());
    let since = session.index_seen(SystemTime::now());
    let found = tokio::task::spawn_blocking(move || newer_indexes(&directory, since)).await;
    let uris: Vec<_> = found
        .unwrap_or_default()
        .iter()
        .filter_map(|path| file_uri(path))
        .collect();
    if !uris.is_empty() {
        tracing::debug!(count = uris.len(), "telling Lean about new indexes");
        session.tell(
            method::WATCHED_FILES_CHANGED,
            &WatchedFilesChanged::changed(uris),
        );
    }
    Ok(())
}

fn newer_indexes(directory: &Path, since: SystemTime) -> Vec<PathBuf> {
    let is_newer = |path: &Path| {
        let modified = path.metadata().and_then(|metadata| metadata.modified());
        modified.is_ok_and(|modified| modified >= since)
    };
    files_below(directory, "ilean", |_| true)
        .into_iter()
        .filter(|path| is_newer(path))
        .collect()
}

/// Modules of the project that were never built, as paths below the root, sorted.
pub(super) async fn never_built(context: &OpContext<'_>) -> BeamResult<Vec<String>> {
    let root = context.workspace()?.root().to_owned();
    let found = tokio::task::spawn_blocking(move || sources_without_index(&root)).await;
    Ok(found.unwrap_or_default())
}

fn sources_without_index(root: &Path) -> Vec<String> {
    let artifacts = artifact_directory(root);
    let is_own = |directory: &Path| !is_hidden(directory) && !holds_project(directory);
    let mut missing: Vec<_> = files_below(root, "lean", is_own)
        .into_iter()
        .filter(|path| !path.ends_with("lakefile.lean"))
        .filter_map(|path| path.strip_prefix(root).ok().map(Path::to_owned))
        .filter(|path| !artifacts.join(path).with_extension("ilean").is_file())
        .map(|path| path.display().to_string())
        .collect();
    missing.sort();
    missing
}

fn is_hidden(directory: &Path) -> bool {
    directory
        .file_name()
        .is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

fn holds_project(directory: &Path) -> bool {
    ["lakefile.lean", "lakefile.toml", "lean-toolchain"]
        .iter()
        .any(|name| directory.join(name).is_file())
}

/// Files with an extension, through those directories that `enter` takes. Links are not followed.
fn files_below(root: &Path, extension: &str, enter: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![root.to_owned()];
    let mut seen = 0;
    while let Some(directory) = waiting.pop() {
        let Ok(entries) = std::fs::read_dir(&directory) else {
            continue;
        };
        for entry in entries.flatten() {
            seen += 1;
            if seen > ENTRIES {
                return found;
            }
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && enter(&path) => waiting.push(path),
                Ok(kind)
                    if kind.is_file() && path.extension().is_some_and(|own| own == extension) =>
                {
                    found.push(path);
                }
                _ => {}
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn touch(path: &Path) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }

    #[test]
    fn modules_without_an_index_are_found_and_other_projects_left_alone() {
        let root = tempfile::tempdir().unwrap();
        for source in [
            "A.lean",
            "Sub/B.lean",
            "lakefile.lean",
            ".lake/packages/x/X.lean",
            "inner/C.lean",
        ] {
            touch(&root.path().join(source));
        }
        touch(&root.path().join("inner/lean-toolchain"));
        touch(&artifact_directory(root.path()).join("A.ilean"));
        assert_eq!(sources_without_index(root.path()), ["Sub/B.lean"]);
    }

    #[test]
    fn only_newer_indexes_are_announced() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("Sub/A.ilean");
        touch(&file);
        touch(&root.path().join("Sub/A.olean"));
        let built = file.metadata().unwrap().modified().unwrap();
        assert_eq!(newer_indexes(root.path(), built), [file]);
        assert!(newer_indexes(root.path(), built + Duration::from_secs(1)).is_empty());
    }
}
