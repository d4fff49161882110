//! The standard's own types: the only place that names the library that has them, so that it can be replaced.

use serde::{Deserialize, Serialize};

/// The library, for the other files of this folder.
pub(super) use lsp_types as standard;

/// A position on the wire to and from Lean: Lean's lines end at `\n` alone.
pub(crate) type LspPosition = lsp_types::Position;
/// A range on the wire to and from Lean.
pub(crate) type LspRange = lsp_types::Range;
/// Lean's answer to a hover.
pub(crate) type Hover = lsp_types::Hover;

/// Parameters of every request about one position.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TextDocumentPosition<'a> {
    text_document: Document<'a>,
    position: LspPosition,
}

#[derive(Debug, Serialize)]
struct Document<'a> {
    uri: &'a str,
}

impl<'a> TextDocumentPosition<'a> {
    pub(crate) fn new(uri: &'a str, position: LspPosition) -> Self {
        Self {
            text_document: Document { uri },
            position,
        }
    }
}

/// The part of Lean's answer to `initialize` that is looked at.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct InitializeResult {
    server_info: Option<lsp_types::ServerInfo>,
    capabilities: serde_json::Value,
}

impl InitializeResult {
    /// Name and version of the server, for people.
    pub(crate) fn server(&self) -> Option<String> {
        let info = self.server_info.as_ref()?;
        Some(match &info.version {
            Some(version) => format!("{} {version}", info.name),
            None => info.name.clone(),
        })
    }

    /// The number of the type of semantic tokens that stand for a missing proof, where the server has one.
    pub(crate) fn sorry_type(&self) -> Option<u32> {
        super::semantic::sorry_type(&self.capabilities)
    }
}

/// The text of a hover, whatever form the server chose.
pub(crate) fn hover_markdown(hover: &Hover) -> String {
    use lsp_types::{HoverContents, MarkedString};
    let marked = |string: &MarkedString| match string {
        MarkedString::String(text) => text.clone(),
        MarkedString::LanguageString(code) => format!("```{}\n{}\n```", code.language, code.value),
    };
    match &hover.contents {
        HoverContents::Markup(markup) => markup.value.clone(),
        HoverContents::Scalar(string) => marked(string),
        HoverContents::Array(strings) => {
            strings.iter().map(marked).collect::<Vec<_>>().join("\n\n")
        }
    }
}
