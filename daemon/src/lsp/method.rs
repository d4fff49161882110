//! Names of the methods and the error codes in use.

pub(crate) const INITIALIZE: &str = "initialize";
pub(crate) const INITIALIZED: &str = "initialized";
pub(crate) const SHUTDOWN: &str = "shutdown";
pub(crate) const EXIT: &str = "exit";
pub(crate) const CANCEL: &str = "$/cancelRequest";
pub(crate) const DID_OPEN: &str = "textDocument/didOpen";
pub(crate) const DID_CHANGE: &str = "textDocument/didChange";
pub(crate) const DID_SAVE: &str = "textDocument/didSave";
pub(crate) const DID_CLOSE: &str = "textDocument/didClose";
pub(crate) const WAIT_FOR_DIAGNOSTICS: &str = "textDocument/waitForDiagnostics";
pub(crate) const PLAIN_GOAL: &str = "$/lean/plainGoal";
pub(crate) const PLAIN_TERM_GOAL: &str = "$/lean/plainTermGoal";
pub(crate) const RPC_CONNECT: &str = "$/lean/rpc/connect";
pub(crate) const RPC_KEEP_ALIVE: &str = "$/lean/rpc/keepAlive";
pub(crate) const RPC_CALL: &str = "$/lean/rpc/call";
pub(crate) const RPC_RELEASE: &str = "$/lean/rpc/release";
pub(crate) const SIGNATURE_HELP: &str = "textDocument/signatureHelp";
pub(crate) const DEFINITION: &str = "textDocument/definition";
pub(crate) const REFERENCES: &str = "textDocument/references";
pub(crate) const DOCUMENT_SYMBOL: &str = "textDocument/documentSymbol";
pub(crate) const WORKSPACE_SYMBOL: &str = "workspace/symbol";
pub(crate) const COMPLETION: &str = "textDocument/completion";
pub(crate) const RESOLVE_COMPLETION: &str = "completionItem/resolve";
pub(crate) const SEMANTIC_TOKENS: &str = "textDocument/semanticTokens/range";
pub(crate) const CODE_ACTION: &str = "textDocument/codeAction";
pub(crate) const RESOLVE_CODE_ACTION: &str = "codeAction/resolve";
pub(crate) const WATCHED_FILES_CHANGED: &str = "workspace/didChangeWatchedFiles";
pub(crate) const WAIT_FOR_INDEX: &str = "$/lean/waitForILeans";
pub(crate) const HOVER: &str = "textDocument/hover";
pub(crate) const PUBLISH_DIAGNOSTICS: &str = "textDocument/publishDiagnostics";
pub(crate) const FILE_PROGRESS: &str = "$/lean/fileProgress";

/// True for requests about a document that its worker answers. Lean's watchdog answers the others from its index, also
/// when there is no worker.
pub(crate) fn is_for_worker(method: &str) -> bool {
    !matches!(method, REFERENCES | WORKSPACE_SYMBOL | WAIT_FOR_INDEX)
}

/// Error codes of Lean's server (measured on 4.35).
pub(crate) mod code {
    /// The document is not open in the server.
    pub(crate) const FILE_CLOSED: i64 = -32801;
    /// The request was cancelled.
    pub(crate) const CANCELLED: i64 = -32800;
    /// The worker of the document died.
    pub(crate) const WORKER_CRASHED: i64 = -32902;
    /// The worker of the document ended because the document was closed or reopened.
    pub(crate) const WORKER_EXITED: i64 = -32901;
    /// The server does not know the method.
    pub(crate) const UNKNOWN_METHOD: i64 = -32601;
    /// The worker does not know the session of a remote procedure call.
    pub(crate) const RPC_NEEDS_RECONNECT: i64 = -32900;
}
