//! Prints what lean-beam adds to what Lean takes. See `docs/benchmarks.md`.

fn main() -> std::process::ExitCode {
    lean_beam_tests::bench::main(std::env::args().skip(1))
}
