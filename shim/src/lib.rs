//! The MCP server of lean-beam: a thin shim between an MCP client on standard input and output and the
//! daemon that owns Lean.
//!
//! [`protocol`] is pure: lines in, effects out. [`serve`] carries the effects out.

#![forbid(unsafe_code)]

mod args;
pub mod bound;
mod call;
pub mod jsonrpc;
mod project;
pub mod protocol;
mod self_check;
mod server;
mod stdio;
pub mod tools;

pub use args::Args;
pub use self_check::{Verdict, self_check};
pub use server::{serve, serve_in};
