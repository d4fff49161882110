//! The language server protocol as Lean speaks it. Nothing outside this folder sees JSON-RPC.

mod codec;
mod lean;
mod message;
pub(crate) mod method;
mod types;

pub(crate) use codec::{LspCodec, encode_frame};
pub(crate) use lean::{
    DependencyBuildMode, DiagnosticRole, DidChange, DidClose, DidOpen, DidSave, FileProgress,
    LeanDiagnostic, ProgressKind, PublishDiagnostics, WaitForDiagnostics, initialize_params,
};
pub(crate) use message::{
    Incoming, RequestId, ResponseError, encode_notification, encode_request, encode_response,
};
pub(crate) use types::{
    Hover, InitializeResult, LspPosition, LspRange, TextDocumentPosition, hover_markdown,
};
