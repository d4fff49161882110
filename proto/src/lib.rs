//! What lean-beam's daemon and its clients agree on.
//!
//! The daemon, the command line and the MCP server depend on this crate and never on each other. It
//! knows nothing of the language server protocol nor of Lean processes.

#![forbid(unsafe_code)]

#[cfg(feature = "client")]
pub mod client;
pub mod error;
pub mod event;
#[cfg(feature = "feedback")]
pub mod feedback;
pub mod frame;
pub mod incidents;
pub mod lock;
pub mod op;
pub mod paths;
pub mod programs;
pub mod ready;
pub mod request;
pub mod response;
pub mod status;
pub mod text;
pub mod version;

pub use error::{BeamError, BeamResult, ErrorCode};
pub use version::{BUILD, ClientInfo, Identity, PROTOCOL, VERSION};
