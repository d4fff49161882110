//! Who is speaking: the protocol number, the build and the process behind an answer.

use serde::{Deserialize, Serialize};

/// Number of the wire protocol, raised only when something breaks that is not frozen.
///
/// Frozen for ever are the envelope's `protocol` and `op`, the lines' `event`, `response` and
/// `identity`, the shape of errors, and the operations `ping`, `status` and `shutdown`: any client
/// can recognise and stop any daemon.
pub const PROTOCOL: u32 = 1;

/// Version of this package, for people. Compatibility is decided by [`PROTOCOL`] alone.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Name of this build: `LEAN_BEAM_BUILD` at build time (the installer passes the commit), else `dev`.
pub const BUILD: &str = match option_env!("LEAN_BEAM_BUILD") {
    Some(build) => build,
    None => "dev",
};

/// Which process answered. Every final line carries it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Identity {
    /// Package version of the answering process.
    pub version: String,
    /// Wire protocol that it speaks.
    pub protocol: u32,
    /// Build of the answering process, as [`BUILD`].
    pub build: String,
    /// Its process id.
    pub pid: u32,
    /// When it started, in milliseconds since the Unix epoch.
    pub started_ms: u64,
}

impl Identity {
    /// The identity of this very process, which started at `started_ms`.
    pub fn of_this_process(started_ms: u64) -> Self {
        Self {
            version: VERSION.to_owned(),
            protocol: PROTOCOL,
            build: BUILD.to_owned(),
            pid: std::process::id(),
            started_ms,
        }
    }
}

/// Name and version of a client program, shown in `status` and in logs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientInfo {
    /// Program name, such as `lean-beam` or `lean-beam-mcp`.
    pub name: String,
    /// Program version.
    pub version: String,
}

impl ClientInfo {
    /// A client of this package's version.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: VERSION.to_owned(),
        }
    }
}
