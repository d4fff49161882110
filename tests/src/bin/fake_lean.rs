//! A scripted Lean server.
fn main() {}
