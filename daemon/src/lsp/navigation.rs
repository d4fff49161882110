//! The standard's answers about names, symbols, completions and code actions, read into what is used of them.

use super::types::standard;
use super::types::standard::{
    CompletionResponse, CompletionTextEdit, Documentation, GotoDefinitionResponse, MarkupContent,
    Uri,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::types::{LspPosition, LspRange};

/// Lean's answer to a question for a definition.
pub(crate) type DefinitionAnswer = GotoDefinitionResponse;
/// Lean's answer to a question for signatures.
pub(crate) type SignatureAnswer = standard::SignatureHelp;
/// Lean's answer to a question for completions.
pub(crate) type CompletionAnswer = CompletionResponse;
/// One completion as Lean sends it, and takes it back to say more about it.
pub(crate) type LspCompletion = standard::CompletionItem;
/// One symbol of a document as Lean sends it.
pub(crate) type LspDocumentSymbol = standard::DocumentSymbol;
/// One symbol of the index as Lean sends it.
pub(crate) type LspWorkspaceSymbol = standard::SymbolInformation;

/// A place in any file, by Lean's count.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FoundLocation {
    pub(crate) uri: String,
    pub(crate) range: LspRange,
    pub(crate) selection_range: LspRange,
}

impl FoundLocation {
    fn new(uri: &Uri, range: LspRange, selection_range: LspRange) -> Self {
        Self {
            uri: uri.as_str().to_owned(),
            range,
            selection_range,
        }
    }
}

impl From<standard::Location> for FoundLocation {
    fn from(location: standard::Location) -> Self {
        Self::new(&location.uri, location.range, location.range)
    }
}

/// The places of a definition, whatever form the server chose.
pub(crate) fn definition_locations(answer: DefinitionAnswer) -> Vec<FoundLocation> {
    match answer {
        GotoDefinitionResponse::Scalar(location) => vec![location.into()],
        GotoDefinitionResponse::Array(locations) => {
            locations.into_iter().map(FoundLocation::from).collect()
        }
        GotoDefinitionResponse::Link(links) => links
            .into_iter()
            .map(|link| {
                FoundLocation::new(
                    &link.target_uri,
                    link.target_range,
                    link.target_selection_range,
                )
            })
            .collect(),
    }
}

/// Lean's answer to a question for references.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct ReferencesAnswer(Vec<standard::Location>);

impl ReferencesAnswer {
    pub(crate) fn into_locations(self) -> Vec<FoundLocation> {
        self.0.into_iter().map(FoundLocation::from).collect()
    }
}

/// The place of a symbol of the index.
pub(crate) fn symbol_location(symbol: &LspWorkspaceSymbol) -> FoundLocation {
    FoundLocation::from(symbol.location.clone())
}

/// Parameters of a question for references.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReferencesQuestion<'a> {
    text_document: Document<'a>,
    position: LspPosition,
    context: ReferencesContext,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ReferencesContext {
    include_declaration: bool,
}

#[derive(Debug, Serialize)]
struct Document<'a> {
    uri: &'a str,
}

impl<'a> ReferencesQuestion<'a> {
    pub(crate) fn new(uri: &'a str, position: LspPosition, include_declaration: bool) -> Self {
        Self {
            text_document: Document { uri },
            position,
            context: ReferencesContext {
                include_declaration,
            },
        }
    }
}

/// Parameters of a question about a whole document.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DocumentQuestion<'a> {
    text_document: Document<'a>,
}

impl<'a> DocumentQuestion<'a> {
    pub(crate) fn new(uri: &'a str) -> Self {
        Self {
            text_document: Document { uri },
        }
    }
}

/// Parameters of a search in the index.
#[derive(Debug, Serialize)]
pub(crate) struct SymbolQuery<'a> {
    pub(crate) query: &'a str,
}

/// Parameters of Lean's wait for its index: to be loaded, and where a document is named, to hold that version.
#[derive(Debug, Default, Serialize)]
pub(crate) struct WaitForIndex<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) uri: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<u64>,
}

/// Tells the server that files on disk have changed.
#[derive(Debug, Serialize)]
pub(crate) struct WatchedFilesChanged {
    changes: Vec<FileChange>,
}

#[derive(Debug, Serialize)]
struct FileChange {
    uri: String,
    #[serde(rename = "type")]
    kind: u8,
}

impl WatchedFilesChanged {
    /// These files exist and are new or have another content.
    pub(crate) fn changed(uris: impl IntoIterator<Item = String>) -> Self {
        const CHANGED: u8 = 2;
        Self {
            changes: uris
                .into_iter()
                .map(|uri| FileChange { uri, kind: CHANGED })
                .collect(),
        }
    }
}

/// The completions in an answer, in the order in which a client should show them.
pub(crate) fn completion_items(answer: CompletionAnswer) -> Vec<LspCompletion> {
    let mut items = match answer {
        CompletionResponse::Array(items) => items,
        CompletionResponse::List(list) => list.items,
    };
    if items.iter().any(|item| item.sort_text.is_some()) {
        items.sort_by(|left, right| sort_key(left).cmp(sort_key(right)));
    }
    items
}

fn sort_key(item: &LspCompletion) -> &str {
    item.sort_text.as_deref().unwrap_or(&item.label)
}

/// The text that a completion stands for.
pub(crate) fn completion_text(item: &LspCompletion) -> &str {
    match (&item.text_edit, &item.insert_text) {
        (Some(CompletionTextEdit::Edit(edit)), _) => &edit.new_text,
        (Some(CompletionTextEdit::InsertAndReplace(edit)), _) => &edit.new_text,
        (None, Some(text)) => text,
        (None, None) => &item.label,
    }
}

/// Lean's use of the kinds that the standard has for other languages.
pub(crate) fn completion_kind(item: &LspCompletion) -> &'static str {
    use super::types::standard::CompletionItemKind as Kind;
    match item.kind {
        Some(Kind::EVENT) => "theorem",
        Some(Kind::FUNCTION | Kind::METHOD) => "def",
        Some(Kind::CONSTRUCTOR | Kind::ENUM_MEMBER) => "constructor",
        Some(Kind::FIELD) => "field",
        Some(Kind::VARIABLE | Kind::VALUE) => "variable",
        Some(Kind::CLASS | Kind::INTERFACE) => "class",
        Some(Kind::STRUCT) => "structure",
        Some(Kind::ENUM) => "inductive",
        Some(Kind::MODULE | Kind::FILE | Kind::FOLDER) => "module",
        Some(Kind::PROPERTY) => "option",
        Some(Kind::KEYWORD) => "keyword",
        Some(Kind::CONSTANT) => "constant",
        _ => "other",
    }
}

/// The text of a documentation, whatever form the server chose.
pub(crate) fn documentation_text(documentation: Documentation) -> String {
    match documentation {
        Documentation::String(text) => text,
        Documentation::MarkupContent(MarkupContent { value, .. }) => value,
    }
}

/// What Lean needs to say more about a completion.
pub(crate) fn completion_data(item: &LspCompletion) -> Option<&Value> {
    item.data.as_ref()
}
