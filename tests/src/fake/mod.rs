//! A scripted Lean server, in a process of its own, so that pipes, signals and crashes are real.
//!
//! The daemon starts the program `fake_lean` in place of `lean`. Without a scenario it behaves as a good
//! Lean server whose diagnostics stand in the text: a line with `ERROR:`, `WARN:` or `INFO:` gives a
//! diagnostic with the rest of the line as its message. A [`Scenario`] makes it misbehave.

mod answers;
mod document;
mod elaborate;
mod faults;
mod log;
mod output;
mod pending;
mod program;
mod rules;
pub mod scenario;
mod server;
mod timeline;
mod worker;

pub use log::{Entry, LogEntry, read_log};
pub use program::run;
pub use scenario::Scenario;

/// Names the file that holds the scenario. It is read anew at each start.
pub const SCENARIO_VARIABLE: &str = "FAKE_LEAN_SCENARIO";

/// Names the file to which everything received and done is appended, one [`LogEntry`] a line.
pub const LOG_VARIABLE: &str = "FAKE_LEAN_LOG";
