//! From Lean's places to ours: paths below the root, and positions by our count of lines in any file.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use lean_beam_proto::{
    BeamError, BeamResult,
    op::Location,
    text::{Position, Range},
};
use url::Url;

use super::OpContext;
use crate::{
    lsp::{FoundLocation, LspRange, range_of},
    text::DocumentText,
    workspace::DocumentAt,
};

/// Translates the places of one answer.
pub(super) struct Places {
    root: PathBuf,
    /// Longest file that is read.
    limit: u64,
    texts: HashMap<String, Option<Arc<DocumentText>>>,
}

impl Places {
    pub(super) fn new(context: &OpContext<'_>) -> BeamResult<Self> {
        Ok(Self {
            root: context.workspace()?.root().to_owned(),
            limit: context.services.config.limits.file_bytes,
            texts: HashMap::new(),
        })
    }

    /// Takes the text of the asked document as it is in Lean, not as it is on disk.
    pub(super) fn with_document(mut self, document: &DocumentAt) -> Self {
        let text = Arc::clone(&document.text);
        self.texts.insert(document.path.uri.clone(), Some(text));
        self
    }

    /// A place of Lean's as ours.
    pub(super) async fn location(&mut self, found: FoundLocation) -> Location {
        let (path, outside_root) = self.path_of(&found.uri);
        Location {
            range: self.range(&found.uri, found.range).await,
            selection_range: self.range(&found.uri, found.selection_range).await,
            path,
            uri: found.uri,
            outside_root,
        }
    }

    /// A range of Lean's in a file as ours.
    pub(super) async fn range(&mut self, uri: &str, range: LspRange) -> Range {
        let range = range_of(range);
        match self.text(uri).await {
            Some(text) => text.our_range(range),
            None => range,
        }
    }

    /// The text of a file; `None` where it cannot be read.
    pub(super) async fn text(&mut self, uri: &str) -> Option<Arc<DocumentText>> {
        if let Some(text) = self.texts.get(uri) {
            return text.clone();
        }
        let text = match file_of(uri) {
            Some(path) => read(path, self.limit).await,
            None => None,
        };
        self.texts.insert(uri.to_owned(), text.clone());
        text
    }

    /// How a file is shown, and whether it is outside the root.
    pub(super) fn path_of(&self, uri: &str) -> (String, bool) {
        let Some(path) = file_of(uri) else {
            return (uri.to_owned(), true);
        };
        match path.strip_prefix(&self.root) {
            Ok(below) => (below.display().to_string(), false),
            Err(_) => (path.display().to_string(), true),
        }
    }
}

fn file_of(uri: &str) -> Option<PathBuf> {
    Url::parse(uri).ok()?.to_file_path().ok()
}

async fn read(path: PathBuf, limit: u64) -> Option<Arc<DocumentText>> {
    let reading = tokio::task::spawn_blocking(move || read_now(&path, limit));
    reading.await.ok().flatten()
}

fn read_now(path: &Path, limit: u64) -> Option<Arc<DocumentText>> {
    let metadata = std::fs::metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > limit {
        return None;
    }
    let text = std::fs::read_to_string(path).ok()?;
    Some(Arc::new(DocumentText::new(text)))
}

/// The text of the line of `position` up to it; `None` where there is no such place.
pub(super) fn line_before(text: &DocumentText, position: Position) -> Option<&str> {
    let start = text.offset(Position::new(position.line, 0)).ok()?;
    let end = text.offset(position).ok()?;
    text.as_str().get(start..end)
}

/// The error for a list that a client wants to be empty.
pub(super) fn checked_limit(limit: Option<u32>, default: usize, most: usize) -> BeamResult<usize> {
    match limit {
        None => Ok(default),
        Some(0) => Err(BeamError::new(
            lean_beam_proto::ErrorCode::InvalidInput,
            "`limit` is 0, so nothing would be listed",
        )
        .with_hint(format!("Choose a number from 1 to {most}."))),
        Some(limit) => Ok((limit as usize).min(most)),
    }
}
