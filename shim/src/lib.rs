//! The MCP server of lean-beam: a thin shim between an MCP client on standard input and output and the
//! daemon that owns Lean.
//!
//! [`protocol`] is pure: lines in, effects out. [`serve`] carries the effects out.

#![forbid(unsafe_code)]

pub mod bound;
mod call;
pub mod jsonrpc;
pub mod protocol;
mod server;
mod stdio;
pub mod tools;

pub use server::serve;
