//! What a good server answers.

use serde_json::{Value, json};

use super::{
    document::{Document, Place},
    scenario::Shape,
};

/// Code of an error for a method that the server does not know.
pub(super) const METHOD_NOT_FOUND: i64 = -32601;
/// Code of an error for parameters that cannot be read.
pub(super) const INVALID_PARAMS: i64 = -32602;
/// Code of an error for a cancelled request.
pub(super) const CANCELLED: i64 = -32800;
/// Code of an error for a request that an edit overtook, or whose document was closed.
pub(super) const CONTENT_MODIFIED: i64 = -32801;

/// The result of `initialize`.
pub(super) fn initialize_result(shape: &Shape) -> Value {
    json!({
        "serverInfo": {"name": "Lean 4 Server", "version": "0.3.0"},
        "capabilities": {
            "callHierarchyProvider": true,
            "codeActionProvider": {"codeActionKinds": ["quickfix", "refactor"], "resolveProvider": true},
            "completionProvider": {"resolveProvider": true, "triggerCharacters": ["."]},
            "declarationProvider": true,
            "definitionProvider": true,
            "documentHighlightProvider": true,
            "documentSymbolProvider": true,
            "foldingRangeProvider": true,
            "hoverProvider": true,
            "inlayHintProvider": true,
            "referencesProvider": true,
            "renameProvider": {"prepareProvider": true},
            "signatureHelpProvider": {"triggerCharacters": [" "]},
            "textDocumentSync": {
                "openClose": true,
                "change": if shape.incremental_sync { 2 } else { 1 },
                "save": {"includeText": true},
                "willSave": false,
                "willSaveWaitUntil": false,
            },
            "typeDefinitionProvider": true,
            "workspaceSymbolProvider": true,
            "experimental": {"moduleHierarchyProvider": {}, "rpcProvider": {"highlightMatchesProvider": {}, "rpcWireFormat": "v1"}},
        },
    })
}

/// The request that Lean makes once after the handshake.
pub(super) fn register_watchers() -> Value {
    json!({"registrations": [{
        "id": "lean_watcher",
        "method": "workspace/didChangeWatchedFiles",
        "registerOptions": {"watchers": [{"globPattern": "**/*.lean"}, {"globPattern": "**/*.ilean"}]},
    }]})
}

/// The answer about an open document, or code and message of the error.
pub(super) fn about_document(
    method: &str,
    params: &Value,
    document: &Document,
) -> Result<Value, (i64, String)> {
    match method {
        "textDocument/hover" => hover(params, document),
        _ => empty(method).ok_or_else(|| unknown(method)),
    }
}

/// The error for a method that the server does not know.
pub(super) fn unknown(method: &str) -> (i64, String) {
    (
        METHOD_NOT_FOUND,
        format!("No request handler found for '{method}'"),
    )
}

/// What the method gives where there is nothing to be told, and when an edit overtook the request.
pub(super) fn empty(method: &str) -> Option<Value> {
    let result = match method {
        "textDocument/hover"
        | "textDocument/signatureHelp"
        | "textDocument/prepareRename"
        | "$/lean/plainGoal"
        | "$/lean/plainTermGoal" => Value::Null,
        "textDocument/completion" => json!({"isIncomplete": true, "items": []}),
        "textDocument/waitForDiagnostics" => json!({}),
        "textDocument/definition"
        | "textDocument/declaration"
        | "textDocument/typeDefinition"
        | "textDocument/references"
        | "textDocument/documentHighlight"
        | "textDocument/documentSymbol"
        | "textDocument/foldingRange"
        | "textDocument/codeAction" => json!([]),
        _ => return None,
    };
    Some(result)
}

fn hover(params: &Value, document: &Document) -> Result<Value, (i64, String)> {
    let Some(place) = Place::read(&params["position"]) else {
        return Err((
            INVALID_PARAMS,
            format!("Cannot parse request params: {params}"),
        ));
    };
    Ok(document.word_at(place).map_or(Value::Null, |(word, range)| {
        json!({"contents": {"kind": "markdown", "value": format!("```lean\n{word}\n```")}, "range": range})
    }))
}
