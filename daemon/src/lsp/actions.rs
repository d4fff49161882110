//! Code actions: what Lean offers to change, and how it is asked to work out a change.

use std::collections::BTreeMap;

use super::types::standard;
use super::types::standard::{
    CodeActionOrCommand, DocumentChangeOperation, DocumentChanges, OneOf, TextDocumentEdit,
    TextEdit, WorkspaceEdit,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::types::LspRange;

/// Parameters of a question for code actions.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CodeActionQuestion<'a> {
    text_document: Document<'a>,
    range: LspRange,
    context: Value,
}

#[derive(Debug, Serialize)]
struct Document<'a> {
    uri: &'a str,
}

impl<'a> CodeActionQuestion<'a> {
    /// Lean asks the command that contains the end of `range`, and its providers look for what overlaps it.
    pub(crate) fn new(uri: &'a str, range: LspRange) -> Self {
        Self {
            text_document: Document { uri },
            range,
            context: json!({ "diagnostics": [] }),
        }
    }
}

/// Lean's answer to a question for code actions.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct CodeActionAnswer(Vec<CodeActionOrCommand>);

impl CodeActionAnswer {
    /// The actions; commands, which only an editor could run, are left out.
    pub(crate) fn into_actions(self) -> impl Iterator<Item = OfferedAction> {
        self.0.into_iter().filter_map(|offered| match offered {
            CodeActionOrCommand::CodeAction(action) => Some(OfferedAction(action)),
            CodeActionOrCommand::Command(_) => None,
        })
    }
}

/// One code action.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct OfferedAction(standard::CodeAction);

/// The changes of one file, by Lean's count.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FoundEdit {
    pub(crate) uri: String,
    pub(crate) version: Option<u64>,
    pub(crate) edits: Vec<(LspRange, String)>,
}

impl OfferedAction {
    pub(crate) fn title(&self) -> &str {
        &self.0.title
    }

    pub(crate) fn kind(&self) -> Option<&str> {
        self.0.kind.as_ref().map(standard::CodeActionKind::as_str)
    }

    pub(crate) fn is_preferred(&self) -> bool {
        self.0.is_preferred == Some(true)
    }

    pub(crate) fn data(&self) -> Option<&Value> {
        self.0.data.as_ref()
    }

    /// Its changes by file; `None` where they have to be asked for.
    pub(crate) fn edits(&self) -> Option<Vec<FoundEdit>> {
        let edit = self.0.edit.clone()?;
        Some(found_edits(edit))
    }
}

/// What Lean is given back to resolve an action.
pub(crate) fn action_to_resolve(title: &str, kind: Option<&str>, data: &Value) -> Value {
    json!({ "title": title, "kind": kind, "data": data })
}

/// The document that the data of an action is about, by Lean's own note of the question.
pub(crate) fn action_document(data: &Value) -> Option<&str> {
    data.pointer("/params/textDocument/uri")?.as_str()
}

fn found_edits(edit: WorkspaceEdit) -> Vec<FoundEdit> {
    match edit.document_changes {
        Some(DocumentChanges::Edits(edits)) => edits.into_iter().map(document_edit).collect(),
        Some(DocumentChanges::Operations(operations)) => operations
            .into_iter()
            .filter_map(|operation| match operation {
                DocumentChangeOperation::Edit(edit) => Some(document_edit(edit)),
                DocumentChangeOperation::Op(_) => None,
            })
            .collect(),
        None => plain_changes(edit),
    }
}

/// The older form, without versions; sorted, since it comes from a map.
fn plain_changes(edit: WorkspaceEdit) -> Vec<FoundEdit> {
    let changes: BTreeMap<_, _> = edit
        .changes
        .into_iter()
        .flatten()
        .map(|(uri, edits)| (uri.as_str().to_owned(), edits))
        .collect();
    changes
        .into_iter()
        .map(|(uri, edits)| FoundEdit {
            uri,
            version: None,
            edits: edits.into_iter().map(text_edit).collect(),
        })
        .collect()
}

fn document_edit(edit: TextDocumentEdit) -> FoundEdit {
    FoundEdit {
        uri: edit.text_document.uri.as_str().to_owned(),
        version: edit
            .text_document
            .version
            .and_then(|version| u64::try_from(version).ok()),
        edits: edit
            .edits
            .into_iter()
            .map(|edit| match edit {
                OneOf::Left(edit) => text_edit(edit),
                OneOf::Right(annotated) => text_edit(annotated.text_edit),
            })
            .collect(),
    }
}

fn text_edit(edit: TextEdit) -> (LspRange, String) {
    (edit.range, edit.new_text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(edit: &str) -> OfferedAction {
        serde_json::from_str(&format!(
            r#"{{"title":"Try this: rfl","kind":"quickfix","edit":{edit}}}"#
        ))
        .unwrap()
    }

    const RANGE: &str = r#"{"start":{"line":1,"character":2},"end":{"line":1,"character":8}}"#;

    #[test]
    fn changes_are_read_in_both_forms() {
        let changes = format!(r#"[{{"range":{RANGE},"newText":"rfl"}}]"#);
        let versioned = format!(
            r#"{{"documentChanges":[{{"textDocument":{{"uri":"file:///a","version":3}},"edits":{changes}}}]}}"#
        );
        let plain = format!(r#"{{"changes":{{"file:///a":{changes}}}}}"#);
        let (versioned, plain) = (
            action(&versioned).edits().unwrap(),
            action(&plain).edits().unwrap(),
        );
        assert_eq!((versioned[0].version, plain[0].version), (Some(3), None));
        assert_eq!(versioned[0].edits, plain[0].edits);
        assert_eq!(plain[0].edits[0].1, "rfl");
    }

    #[test]
    fn the_document_of_an_action_is_in_its_data() {
        let data =
            json!({ "params": { "textDocument": { "uri": "file:///a" } }, "providerName": "x" });
        assert_eq!(action_document(&data), Some("file:///a"));
        assert_eq!(action_document(&json!({ "params": [] })), None);
    }
}
