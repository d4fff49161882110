//! The MCP server as a process, with the daemon and Lean behind it.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod client;
mod crowd;
mod faults;
mod feedback;
mod navigate;
mod requests;
mod save;
mod session;
mod tools;
