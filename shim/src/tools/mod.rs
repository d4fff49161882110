//! The tools: what they are called, what they take, and how they are described.

mod arguments;
mod describe;
mod display;
mod fields;
mod input;
mod naming;
mod schema;
mod table;
mod tool;

pub use arguments::Arguments;
pub(crate) use arguments::invalid;
pub use describe::{description, list};
pub use display::{Display, Liveness};
pub use input::Input;
pub use naming::{tool_of, with_tool_names};
pub use schema::{NotFlat, Schema, Shape};
pub use table::{TOOLS, find};
pub use tool::{Action, DEFAULT_DEADLINE, Fault, Forward, Hints, Parameters, Tool, Wait};
