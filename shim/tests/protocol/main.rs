//! Every rule of the protocol as its own case, on the pure core: no process, no socket, no clock.

mod calls;
mod families;
mod golden;
mod random;
mod support;
