//! Placeholder entry point, replaced by the crate's real one.
fn main() {}
