//! The MCP server of lean-beam: a thin shim between an MCP client on standard input and output and the
//! daemon that owns Lean.
//!
//! [`protocol`] is the protocol, pure: lines in, effects out. Everything with side effects is around it.

#![forbid(unsafe_code)]

pub mod bound;
pub mod jsonrpc;
pub mod protocol;
pub mod tools;
