//! What the daemon tells about itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::version::Identity;

/// Result of `status`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DaemonStatus {
    /// The daemon.
    pub identity: Identity,
    /// True while it works for a client other than the one that asks. Frozen.
    pub busy: bool,
    /// How long it has been running, in milliseconds.
    pub uptime_ms: u64,
    /// False when the program on disk is no longer the one that runs; absent when that cannot be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime_current: Option<bool>,
    /// Path of its program file.
    pub program: String,
    /// Path of its socket.
    pub socket: String,
    /// Path of its log file.
    pub log_file: String,
    /// Path of the configuration file, present only when there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_file: Option<String>,
    /// Resident memory of the daemon itself, in bytes, where the system tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resident_bytes: Option<u64>,
    /// The environment variables that decide which Lean is used, as the daemon got them.
    pub environment: BTreeMap<String, String>,
    /// Limits in force.
    pub limits: Limits,
    /// The workspaces, sorted by root.
    pub workspaces: Vec<WorkspaceStatus>,
    /// Requests in flight, oldest first, without the one that asks.
    pub requests: Vec<RequestStatus>,
}

/// Limits in force. Times in milliseconds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Limits {
    /// A daemon that nobody used for this long leaves.
    pub daemon_idle_ms: u64,
    /// A workspace that nobody used for this long is unloaded.
    pub workspace_idle_ms: u64,
    /// Longest request line, in bytes.
    pub request_bytes: usize,
    /// Longest answer line, in bytes.
    pub response_bytes: usize,
    /// Most requests that may be in flight at once.
    pub requests: usize,
    /// Largest Lean file, in bytes.
    pub file_bytes: u64,
    /// A document that nobody used for this long is closed in Lean.
    pub document_idle_ms: u64,
    /// Documents that a workspace keeps open in Lean.
    pub open_documents: usize,
    /// Workspaces that keep a Lean server.
    pub workspaces: usize,
    /// Lanes of a workspace.
    pub lanes: usize,
    /// Lanes of one document.
    pub lanes_per_document: usize,
    /// Private memory of all Lean processes, in bytes.
    pub lean_memory_bytes: u64,
    /// Private memory of one Lean worker, in bytes.
    pub worker_memory_bytes: u64,
    /// A worker larger than this, in bytes, that has doubled since its document was first complete is let go at a
    /// quiet moment.
    pub recycle_memory_bytes: u64,
    /// A lane that nobody used for this long is closed.
    pub lane_idle_ms: u64,
    /// Threads of each Lean process; absent where Lean decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lean_threads: Option<u32>,
}

/// One project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkspaceStatus {
    /// Canonical root.
    pub root: String,
    /// Content of `lean-toolchain`, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub toolchain: Option<String>,
    /// The command line of its Lean server.
    pub command: Vec<String>,
    /// Name and version that the Lean server gives for itself, once it is up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// What its Lean server is doing.
    pub state: SessionState,
    /// Why there is no server, where `state` says that there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Documents that Lean has open.
    pub open_documents: usize,
    /// Documents known, open or not.
    pub documents: usize,
    /// Milliseconds since a request last used it.
    pub idle_ms: u64,
    /// Its processes.
    pub processes: Vec<ProcessStatus>,
}

/// State of a Lean server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionState {
    /// Not needed yet, or unloaded.
    Stopped,
    /// Unloaded, and still ending.
    Stopping,
    /// Started, has not answered `initialize` yet.
    Starting,
    /// Working.
    Running,
    /// It died; the next request starts a new one.
    Crashed,
    /// It died too often and is left alone until `drop_workspace` or a pause.
    GivenUp,
    /// A state of a later version.
    #[serde(other)]
    Unknown,
}

/// One process of a Lean server's tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessStatus {
    /// Process id.
    pub pid: u32,
    /// What it is: `server`, `worker`, or the program's name; with `probe ` before it for texts that are run, with
    /// `build ` for a save.
    pub kind: String,
    /// The document of a worker, where it can be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Resident memory in bytes.
    pub resident_bytes: u64,
}

/// One request in flight.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestStatus {
    /// The name by which `cancel` finds it.
    pub request_id: String,
    /// Its operation.
    pub op: String,
    /// The client program, where it said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The root that it is about, where it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// The document that it is about, where it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// How long it has been in flight, in milliseconds.
    pub age_ms: u64,
}

/// Result of `stats`: counters since `since_ms`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StatsResult {
    /// When counting began, in milliseconds since the Unix epoch.
    pub since_ms: u64,
    /// Connections accepted.
    pub connections: u64,
    /// Connections that ended without a request that could be understood.
    pub malformed: u64,
    /// Limits in force.
    #[serde(default)]
    pub limits: Limits,
    /// By operation.
    pub operations: BTreeMap<String, OperationStats>,
    /// By workspace, for those that are loaded.
    pub workspaces: Vec<WorkspaceStats>,
}

/// Counters of one operation. Times in microseconds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OperationStats {
    /// Requests that ended, one way or the other.
    pub count: u64,
    /// Those that ended well.
    pub ok: u64,
    /// Those that did not, by error code.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub errors: BTreeMap<String, u64>,
    /// Time spent on all of them.
    pub total_us: u64,
    /// The longest.
    pub max_us: u64,
}

/// Counters of one workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkspaceStats {
    /// Canonical root.
    pub root: String,
    /// Lean servers started.
    pub servers_started: u64,
    /// Lean servers that died on their own.
    pub server_crashes: u64,
    /// Workers (one per document) that died on their own.
    pub worker_crashes: u64,
    /// Documents opened in Lean.
    pub documents_opened: u64,
    /// Edits passed on to Lean.
    pub edits: u64,
    /// Requests sent to Lean.
    pub lean_requests: u64,
    /// Of those, answers thrown away because an edit overtook them.
    pub overtaken: u64,
    /// Of those, requests given up by their client.
    pub cancelled: u64,
    /// Documents let go for room, memory or their age; they are opened again when they are needed.
    #[serde(default)]
    pub documents_evicted: u64,
    /// Of those, documents whose worker only grew.
    #[serde(default)]
    pub workers_recycled: u64,
    /// Workers stopped because they passed their memory ceiling.
    #[serde(default)]
    pub workers_over_ceiling: u64,
    /// Times that the servers were stopped because nobody used them, or others needed the room.
    #[serde(default)]
    pub unloads: u64,
    /// Speculation.
    pub probes: ProbeStats,
}

/// Counters of a workspace's speculation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProbeStats {
    /// Lanes that are open now.
    pub lanes: usize,
    /// Lanes that run a text now.
    pub busy_lanes: usize,
    /// Texts that wait for a lane now.
    pub waiting: usize,
    /// Handles that are alive now.
    pub handles: usize,
    /// Texts run, those that find places included.
    pub runs: u64,
    /// Runs that were stopped because they took too long.
    pub timeouts: u64,
    /// Runs whose worker died.
    pub crashes: u64,
    /// Runs that nobody waited for any more.
    pub cancelled: u64,
    /// Times that a lane was made ready before it was asked for.
    pub warm_ups: u64,
    /// Lanes closed for room, memory or their age.
    #[serde(default)]
    pub evicted: u64,
    /// Lanes whose worker was stopped because it passed its memory ceiling.
    #[serde(default)]
    pub over_ceiling: u64,
}
