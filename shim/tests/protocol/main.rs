//! Every rule of the protocol as its own case, on the pure core: no process, no socket, no clock.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::needless_pass_by_value,
    reason = "helpers of tests: a failure is a panic, and values are made for one use"
)]

mod calls;
mod families;
mod golden;
mod random;
mod support;
