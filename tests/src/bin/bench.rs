//! Prints how fast and how large lean-beam is, beside a plain client of Lean: see the module `bench` of this crate.

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    lean_beam_tests::bench::run(quick).await;
}
