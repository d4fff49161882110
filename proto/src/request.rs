//! The one line that a client sends.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::version::ClientInfo;

/// A request as it stands on the wire: one JSON object on one line.
///
/// Decoded in two steps: the envelope first, then, once protocol and `op` are known to fit, `params`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Envelope {
    /// Wire protocol of the client. Frozen.
    pub protocol: u32,
    /// Name of the operation. Frozen.
    pub op: String,
    /// Its parameters, an object. Absent means `{}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub params: Option<Box<RawValue>>,
    /// The client program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientInfo>,
    /// The project that the operation is about, where it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<WorkspaceRef>,
    /// How long the client wants to wait, in milliseconds from the arrival of the request. Absent: for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<u64>,
    /// A name of the client's own for this request, by which `cancel` finds it. The daemon makes one up
    /// when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

/// Names a project by its root directory.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkspaceRef {
    /// Absolute path of the project root: the directory that holds `lakefile.lean`, `lakefile.toml` or `lean-toolchain`.
    pub root: String,
}

/// Only what is frozen, for reading a request of any protocol.
#[derive(Debug, Deserialize)]
pub struct FrozenEnvelope {
    /// Wire protocol of the client.
    pub protocol: u32,
    /// Name of the operation.
    pub op: String,
}
