//! The socket: accepting, reading one request, writing its events and its final line. Knows nothing of Lean.

mod codec;
mod connection;
mod decode;
mod dispatch;
mod listener;

pub(crate) use listener::{Bound, adopt, bind, is_answered, run};
