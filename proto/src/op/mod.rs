//! One params struct and one result struct per operation, shared by daemon, command line and MCP server.

/// A struct of parameters about one position of one version of a file, with fields of its own behind those
/// that all of them have.
macro_rules! position_params {
    ($(#[$meta:meta])* $name:ident { $($fields:tt)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub struct $name {
            /// The Lean file, relative to the root or absolute.
            pub path: String,
            /// The document version that the position refers to, from `update` or `sync`.
            pub version: u64,
            /// Zero-based line.
            pub line: u32,
            /// Zero-based column in UTF-16 code units. May be left out when `anchor` is given.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub character: Option<u32>,
            /// Text that occurs exactly once on the line; the position is its first character.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub anchor: Option<String>,
            $($fields)*
        }
    };
}

mod control;
mod documents;
mod goals;
mod navigate;
mod probe;
mod save;
mod symbols;
mod todo;

pub use control::*;
pub use documents::*;
pub use goals::*;
pub use navigate::*;
pub use probe::*;
pub use save::*;
pub use symbols::*;
pub use todo::*;

use serde::{Serialize, de::DeserializeOwned};

/// Ties an operation's name to the types of its parameters and its result.
pub trait Operation {
    /// Name on the wire, snake_case.
    const NAME: &'static str;
    /// What the operation is about.
    const SCOPE: Scope;
    /// True when repeating it on a new daemon cannot change anything that a client relies on.
    const OBSERVATIONAL: bool;
    /// Its parameters.
    type Params: Serialize + DeserializeOwned + Send + 'static;
    /// Its result.
    type Output: Serialize + DeserializeOwned + Send + 'static;
}

/// Whether an operation is about the daemon or about one project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The daemon as a whole; a `workspace` in the envelope is not looked at.
    Daemon,
    /// One project; the envelope must name it.
    Workspace,
}

/// Declares the marker types of operations.
macro_rules! operations {
    ($($(#[$meta:meta])* $marker:ident = $name:literal, $scope:ident, observational: $observational:literal, $params:ty => $output:ty;)*) => {
        $(
            $(#[$meta])*
            #[derive(Debug, Clone, Copy)]
            pub enum $marker {}

            impl Operation for $marker {
                const NAME: &'static str = $name;
                const SCOPE: Scope = Scope::$scope;
                const OBSERVATIONAL: bool = $observational;
                type Params = $params;
                type Output = $output;
            }
        )*

        /// Names of all operations, in the order of the documentation.
        pub const OPERATIONS: &[&str] = &[$($name),*];

        /// What an operation is about, by its name.
        pub fn scope_of(name: &str) -> Option<Scope> {
            match name {
                $($name => Some(Scope::$scope),)*
                _ => None,
            }
        }
    };
}

operations! {
    /// Answers at once. Frozen.
    Ping = "ping", Daemon, observational: true, Empty => Empty;
    /// What the daemon is doing. Frozen: the field `busy` keeps its meaning for ever.
    Status = "status", Daemon, observational: true, Empty => crate::status::DaemonStatus;
    /// Stops the daemon and every Lean process. Frozen.
    Shutdown = "shutdown", Daemon, observational: false, ShutdownParams => ShutdownResult;
    /// Counters since the start or the last reset.
    Stats = "stats", Daemon, observational: true, Empty => crate::status::StatsResult;
    /// Sets the counters to zero.
    ResetStats = "reset_stats", Daemon, observational: false, Empty => Empty;
    /// Cancels a request in flight.
    Cancel = "cancel", Daemon, observational: false, CancelParams => CancelResult;
    /// The documents that a workspace keeps.
    OpenFiles = "open_files", Workspace, observational: true, Empty => OpenFilesResult;
    /// Reads a file from disk into the mirror.
    Update = "update", Workspace, observational: false, UpdateParams => UpdateResult;
    /// Reads a file from disk and waits for Lean's verdict on exactly that text.
    Sync = "sync", Workspace, observational: false, SyncParams => SyncResult;
    /// As `sync`, with a fresh Lean worker that loads all imports again.
    Refresh = "refresh", Workspace, observational: false, SyncParams => SyncResult;
    /// Makes a module's artifacts, after a clean verdict.
    Save = "save", Workspace, observational: false, SaveParams => SaveResult;
    /// As `save`, then closes the document.
    CloseSave = "close_save", Workspace, observational: false, SaveParams => CloseSaveResult;
    /// Closes a document.
    Close = "close", Workspace, observational: false, CloseParams => CloseResult;
    /// What Lean says about the name or the syntax at a position.
    Hover = "hover", Workspace, observational: true, PositionParams => HoverResult;
    /// Runs a text at a position, keeping nothing.
    RunAt = "run_at", Workspace, observational: true, RunAtParams => RunResult;
    /// As `run_at`, and gives a handle to go on from.
    RunAtHandle = "run_at_handle", Workspace, observational: false, RunAtParams => RunResult;
    /// Runs a text after those of a handle; the handle stays.
    RunWith = "run_with", Workspace, observational: false, RunWithParams => RunResult;
    /// As `run_with`; the handle ends, on failure too.
    RunWithLinear = "run_with_linear", Workspace, observational: false, RunWithParams => RunResult;
    /// Ends a handle.
    Release = "release", Workspace, observational: false, ReleaseParams => ReleaseResult;
    /// Tries many texts in the same state.
    Try = "try", Workspace, observational: true, TryParams => TryResult;
    /// Which axioms a declaration rests on.
    CheckAxioms = "check_axioms", Workspace, observational: true, CheckAxiomsParams => CheckAxiomsResult;
    /// What is to be proved before or after a tactic.
    Goals = "goals", Workspace, observational: true, GoalsParams => GoalsResult;
    /// What is expected of a term.
    TermGoal = "term_goal", Workspace, observational: true, PositionParams => TermGoalResult;
    /// The signatures of what is applied at a position.
    SignatureHelp = "signature_help", Workspace, observational: true, PositionParams => SignatureHelpResult;
    /// Where the name at a position is defined.
    Definition = "definition", Workspace, observational: true, PositionParams => DefinitionResult;
    /// Where the name at a position is used.
    References = "references", Workspace, observational: true, ReferencesParams => ReferencesResult;
    /// What a file declares.
    DocumentSymbols = "document_symbols", Workspace, observational: true, DocumentSymbolsParams => DocumentSymbolsResult;
    /// What the project and its imports declare, by name.
    WorkspaceSymbols = "workspace_symbols", Workspace, observational: true, WorkspaceSymbolsParams => WorkspaceSymbolsResult;
    /// How the text before a position can go on.
    Completions = "completions", Workspace, observational: true, CompletionsParams => CompletionsResult;
    /// What is left to do in a stretch of a file.
    Todo = "todo", Workspace, observational: true, TodoParams => TodoResult;
    /// The edit of a code action.
    CodeActionResolve = "code_action_resolve", Workspace, observational: true, CodeActionResolveParams => CodeActionResolveResult;
    /// Stops a workspace's Lean processes and forgets its documents.
    DropWorkspace = "drop_workspace", Workspace, observational: false, Empty => DropWorkspaceResult;
}
