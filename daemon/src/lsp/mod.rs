//! The language server protocol as Lean speaks it. Nothing outside this folder sees JSON-RPC.

mod actions;
mod codec;
mod interactive;
mod lean;
mod message;
pub(crate) mod method;
mod navigation;
mod rpc;
mod semantic;
mod types;

pub(crate) use actions::{
    CodeActionAnswer, CodeActionQuestion, FoundEdit, OfferedAction, action_document,
    action_to_resolve,
};
pub(crate) use codec::{LspCodec, encode_frame};
pub(crate) use interactive::{
    InteractiveGoal, InteractiveGoals, PlainGoals, PlainTermGoal, Side, shown_side,
};
pub(crate) use lean::{
    DependencyBuildMode, DiagnosticRole, DidChange, DidClose, DidOpen, DidSave, FileProgress,
    LeanDiagnostic, ProgressKind, PublishDiagnostics, WaitForDiagnostics, initialize_params,
    range_of,
};
pub(crate) use message::{
    Incoming, RequestId, ResponseError, encode_notification, encode_request, encode_response,
};
pub(crate) use navigation::{
    CompletionAnswer, DefinitionAnswer, DocumentQuestion, FoundLocation, LspCompletion,
    LspDocumentSymbol, LspWorkspaceSymbol, ReferencesAnswer, ReferencesQuestion, SignatureAnswer,
    SymbolQuery, WaitForIndex, WatchedFilesChanged, completion_data, completion_items,
    completion_kind, completion_text, definition_locations, documentation_text, symbol_location,
};
pub(crate) use rpc::{
    RpcCall, RpcConnect, RpcConnected, RpcKeepAlive, RpcRelease, is_outdated_session, procedure,
    references,
};
pub(crate) use semantic::{SemanticTokens, SemanticTokensQuestion};
pub(crate) use types::{
    Hover, InitializeResult, LspPosition, LspRange, TextDocumentPosition, hover_markdown,
};
