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
    imports::{SaveTrace, SourceRoots},
    lsp::{WaitForIndex, WatchedFilesChanged, method},
    session::{SessionError, SessionHandle},
    text::{DocumentText, file_uri},
    workspace::artifact_directory,
};

/// How long a question about the whole project waits for files that are not asked about themselves.
const OTHERS_LIMIT: Duration = Duration::from_secs(5);
/// How many files that the index lacks are named.
pub(super) const UNINDEXED_SHOWN: usize = 20;
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

/// Files of the project that the index lacks, or may hold in an old state: those among `unfinished`, and those that
/// are not open and were never built or have changed since. Paths below the root, sorted.
pub(super) async fn unindexed(
    context: &OpContext<'_>,
    unfinished: Vec<String>,
) -> BeamResult<Vec<String>> {
    let root = context.workspace()?.root().to_owned();
    let roots = context.workspace()?.source_roots().await?;
    let found = tokio::task::spawn_blocking(move || sources_without_index(&root, &roots)).await;
    let mut missing = found.unwrap_or_default();
    // Open files are in the index by themselves, built or not.
    let open = context.workspace()?.open_files().await?.files;
    missing.retain(|path| !open.iter().any(|file| file.path == *path));
    missing.extend(unfinished);
    missing.sort();
    missing.dedup();
    Ok(missing)
}

fn sources_without_index(root: &Path, roots: &SourceRoots) -> Vec<String> {
    let artifacts = artifact_directory(root);
    let is_own = |directory: &Path| !is_hidden(directory) && !holds_project(directory);
    let is_current = |source: &Path| {
        roots
            .below(source)
            .any(|module| is_indexed_as_it_is(source, &artifacts.join(module)))
    };
    let mut missing: Vec<_> = files_below(root, "lean", is_own)
        .into_iter()
        .filter(|path| !path.ends_with("lakefile.lean"))
        .filter(|path| !is_current(path))
        .filter_map(|path| Some(path.strip_prefix(root).ok()?.display().to_string()))
        .collect();
    missing.sort();
    missing
}

/// Whether the index beside `artifact` was made from `source` as it is now: by times, and where these say that the source
/// was written later, by what a save notes of its content.
fn is_indexed_as_it_is(source: &Path, artifact: &Path) -> bool {
    let modified = |path: &Path| {
        path.metadata()
            .and_then(|metadata| metadata.modified())
            .ok()
    };
    let Some(indexed) = modified(&artifact.with_extension("ilean")) else {
        return false;
    };
    if modified(source).is_some_and(|written| written < indexed) {
        return true;
    }
    let trace = SaveTrace::read(&artifact.with_extension("olean.trace"));
    let text = std::fs::read_to_string(source).ok();
    let hash = text.map(|text| DocumentText::new(text).hash_hex());
    trace.is_some_and(|trace| Some(trace.source_hash) == hash)
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

    fn without_index(root: &Path) -> Vec<String> {
        sources_without_index(root, &SourceRoots::read(root))
    }

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
        index(root.path(), "A", Duration::from_secs(1));
        assert_eq!(without_index(root.path()), ["Sub/B.lean"]);
    }

    /// An index that was made later than its source.
    fn index(root: &Path, module: &str, later: Duration) {
        let path = artifact_directory(root)
            .join(module)
            .with_extension("ilean");
        touch(&path);
        let source = root.join(module).with_extension("lean");
        let written = source.metadata().unwrap().modified().unwrap();
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(written + later).unwrap();
    }

    #[test]
    fn an_index_that_may_be_older_than_its_source_counts_only_with_a_save_of_that_text() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        fs::write(root.join("A.lean"), "def a := 1").unwrap();
        index(root, "A", Duration::ZERO);
        assert_eq!(without_index(root), ["A.lean"]);
        let trace = SaveTrace {
            source_hash: DocumentText::new("def a := 1").hash_hex(),
            olean: String::new(),
            imports: Default::default(),
        };
        let path = artifact_directory(root).join("A.olean.trace");
        fs::write(path, serde_json::to_vec(&trace).unwrap()).unwrap();
        assert!(without_index(root).is_empty());
        fs::write(root.join("A.lean"), "def b := 1").unwrap();
        index(root, "A", Duration::ZERO);
        assert_eq!(without_index(root), ["A.lean"]);
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
