//! The server with a scripted daemon behind it: what goes out, what comes back, and when.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::needless_pass_by_value,
    reason = "helpers of tests: a failure is a panic, and values are made for one use"
)]

mod cancel;
mod display;
mod forward;
mod leave;
mod process;
mod stage;
