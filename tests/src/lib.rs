//! Harness of the tests of lean-beam as a whole.
//!
//! A test makes a [`Beam`](world::Beam), a private world with its own daemon, real or scripted Lean, and asks
//! it through the real clients. `docs/testing.md` shows how.

#![forbid(unsafe_code)]

pub mod bench;
pub mod fake;
pub mod framing;
pub mod lab;
pub mod lake;
pub mod lean_text;
pub mod must;
pub mod oracle;
pub mod probing;
pub mod process;
pub mod programs;
pub mod questions;
pub mod raw_lean;
pub mod raw_socket;
pub mod wait;
pub mod world;
