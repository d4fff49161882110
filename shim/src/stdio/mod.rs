//! Standard input and output: one thread that reads lines, one that writes them, nothing else touches
//! either.

mod reader;
mod writer;

pub(crate) use reader::{Input, spawn_reader};
pub(crate) use writer::{Delivery, Outgoing, WriterEvent, spawn_writer};
