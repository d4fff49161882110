//! The documents of a workspace and their versions.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
    time::Instant,
};

use lean_beam_proto::{BeamError, BeamResult, ErrorCode};
use serde_json::json;

use super::DocumentPath;
use crate::{session::DocumentWatch, text::DocumentText};

/// One document. Its version rises whenever Lean is given a text for it, and never falls.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) path: DocumentPath,
    pub(super) text: Arc<DocumentText>,
    /// The version that Lean has.
    pub(super) version: u64,
    /// The first version with this very text: opening the same text again raises `version`, and what a
    /// client holds stays valid.
    pub(super) accepted_from: u64,
    /// When a request last used it.
    pub(super) last_use: Instant,
    /// Held by everybody who uses it: what is in use is not let go.
    pub(super) lease: Arc<()>,
    /// Signature of the import chain that its worker loaded, where that is known.
    pub(super) loaded: Option<u64>,
    /// It imported nothing of the project when it was last opened for a verdict.
    pub(super) is_alone: bool,
    /// Follows it in the server of a generation; `None` when it is not open there.
    pub(super) open: Option<DocumentWatch>,
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Mirror {
    documents: BTreeMap<String, Document>,
    /// Highest version ever used by URI, for documents that were closed.
    retired: HashMap<String, u64>,
}

/// What a text means for a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    /// There was no such document.
    New,
    /// Another text.
    Edited,
    /// The same text.
    Same,
}

impl Mirror {
    /// Takes a text in; raises the version when the text is new.
    pub(super) fn put(
        &mut self,
        path: &DocumentPath,
        text: Arc<DocumentText>,
    ) -> (&mut Document, Change) {
        let uri = path.uri.clone();
        if let Some(document) = self.documents.get(&uri) {
            let change = if document.text.as_str() == text.as_str() {
                Change::Same
            } else {
                Change::Edited
            };
            let document = self.get_mut(&uri, path, text);
            if change == Change::Edited {
                document.version += 1;
                document.accepted_from = document.version;
            }
            return (document, change);
        }
        let document = self.get_mut(&uri, path, text);
        (document, Change::New)
    }

    fn get_mut(
        &mut self,
        uri: &str,
        path: &DocumentPath,
        text: Arc<DocumentText>,
    ) -> &mut Document {
        let version = self.retired.get(uri).copied().unwrap_or(0) + 1;
        let document = self
            .documents
            .entry(uri.to_owned())
            .or_insert_with(|| Document {
                path: path.clone(),
                text: Arc::clone(&text),
                version,
                accepted_from: version,
                last_use: Instant::now(),
                lease: Arc::default(),
                loaded: None,
                is_alone: false,
                open: None,
            });
        document.text = text;
        document
    }

    /// The document that a client means by `version`.
    ///
    /// # Errors
    /// `contentModified` when the version is not the text that Lean has; `invalidParams` when there is no
    /// such document.
    pub(super) fn at_version(
        &mut self,
        path: &DocumentPath,
        version: u64,
    ) -> BeamResult<&mut Document> {
        let Some(document) = self.documents.get_mut(&path.uri) else {
            return Err(not_open(path));
        };
        if (document.accepted_from..=document.version).contains(&version) {
            Ok(document)
        } else {
            Err(version_mismatch(document, version))
        }
    }

    /// The text of a document.
    ///
    /// # Errors
    /// `invalidParams` when there is no such document.
    pub(super) fn text(&self, path: &DocumentPath) -> BeamResult<Arc<DocumentText>> {
        self.documents
            .get(&path.uri)
            .map(|document| Arc::clone(&document.text))
            .ok_or_else(|| not_open(path))
    }

    /// Removes a document; its version is remembered.
    pub(super) fn remove(&mut self, uri: &str) -> Option<Document> {
        let document = self.documents.remove(uri)?;
        self.retired.insert(uri.to_owned(), document.version);
        Some(document)
    }

    /// Removes all documents.
    pub(super) fn clear(&mut self) {
        let uris: Vec<_> = self.documents.keys().cloned().collect();
        for uri in uris {
            self.remove(&uri);
        }
    }

    /// The document of that URI.
    pub(super) fn get_by_uri(&mut self, uri: &str) -> Option<&mut Document> {
        self.documents.get_mut(uri)
    }

    /// The open document that nobody uses and that was used least recently.
    pub(super) fn least_recently_used(&mut self) -> Option<&mut Document> {
        self.documents
            .values_mut()
            .filter(|document| document.open.is_some() && !document.is_in_use())
            .min_by_key(|document| document.last_use)
    }

    /// How many are open in Lean.
    pub(super) fn open_count(&self) -> usize {
        self.documents
            .values()
            .filter(|document| document.open.is_some())
            .count()
    }

    /// The server is gone: nothing is open any more.
    pub(super) fn mark_all_closed(&mut self) {
        for document in self.documents.values_mut() {
            document.open = None;
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Document> {
        self.documents.values()
    }

    pub(super) fn len(&self) -> usize {
        self.documents.len()
    }
}

impl Document {
    /// True while a request works with it.
    pub(super) fn is_in_use(&self) -> bool {
        Arc::strong_count(&self.lease) > 1
    }

    /// Raises the version because the same text is opened again.
    pub(super) fn raise_version(&mut self) -> u64 {
        self.version += 1;
        self.version
    }
}

fn version_mismatch(document: &Document, expected: u64) -> BeamError {
    BeamError::new(ErrorCode::ContentModified, format!("{} is at version {}, not at version {expected}", document.path.display, document.version))
        .with_hint("Call `update` or `sync` for the file, and ask again with the version and the positions of the new text.")
        .with_data(json!({
            "reason": "documentVersionMismatch",
            "expected": expected,
            "accepted": document.accepted_from,
            "current": document.version,
            "uri": document.path.uri,
        }))
}

fn not_open(path: &DocumentPath) -> BeamError {
    BeamError::new(
        ErrorCode::InvalidParams,
        format!("{} is not open", path.display),
    )
    .with_hint(
        "Call `update` or `sync` for the file first; the result has the version to ask with.",
    )
    .with_data(json!({ "path": path.display, "uri": path.uri }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path() -> DocumentPath {
        DocumentPath {
            path: "/r/A.lean".into(),
            uri: "file:///r/A.lean".to_owned(),
            display: "A.lean".to_owned(),
            root: Arc::from(std::path::Path::new("/r")),
        }
    }

    fn text(text: &str) -> Arc<DocumentText> {
        Arc::new(DocumentText::new(text))
    }

    #[test]
    fn versions_rise_with_the_text_and_through_a_close() {
        let mut mirror = Mirror::default();
        assert_eq!(
            (
                mirror.put(&path(), text("a")).0.version,
                mirror.put(&path(), text("a")).1
            ),
            (1, Change::Same)
        );
        let (document, change) = mirror.put(&path(), text("b"));
        assert_eq!((document.version, change), (2, Change::Edited));
        mirror.remove(&path().uri);
        assert_eq!(mirror.put(&path(), text("b")).0.version, 3);
        mirror.clear();
        assert_eq!(mirror.put(&path(), text("b")).0.version, 4);
    }

    #[test]
    fn a_version_stays_valid_while_the_text_is_the_same() {
        let mut mirror = Mirror::default();
        mirror.put(&path(), text("a"));
        mirror.put(&path(), text("b")).0.raise_version();
        assert_eq!(mirror.at_version(&path(), 2).unwrap().version, 3);
        assert!(mirror.at_version(&path(), 3).is_ok());
        for wrong in [1, 4] {
            let error = mirror.at_version(&path(), wrong).unwrap_err();
            assert_eq!(error.code, ErrorCode::ContentModified);
            assert_eq!(error.data.unwrap()["current"], 3);
        }
    }

    #[test]
    fn a_closed_document_is_not_open() {
        let mut mirror = Mirror::default();
        mirror.put(&path(), text("a"));
        mirror.remove(&path().uri);
        assert_eq!(
            mirror.at_version(&path(), 1).unwrap_err().code,
            ErrorCode::InvalidParams
        );
    }
}
