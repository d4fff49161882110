//! Where the programs under test are, and where real Lean is.

use std::{
    path::{Path, PathBuf},
    sync::OnceLock,
};

use crate::{must::Must, process};

/// Names a `lean` program for the tests to use.
pub const TEST_LEAN_VARIABLE: &str = "LEAN_BEAM_TEST_LEAN";

/// The program `name` of this build.
///
/// # Panics
/// It has not been built; the message says how to.
pub fn built(name: &str) -> PathBuf {
    let program = target_directory().join(name);
    assert!(
        program.is_file(),
        "{} is missing: run `cargo build --workspace` before the tests",
        program.display()
    );
    program
}

/// The `lean` program that end-to-end tests use.
///
/// `LEAN_BEAM_TEST_LEAN` when set, else the portable Lean, which is built on first use.
///
/// # Panics
/// There is none and none could be built; the message says what to run.
pub fn real_lean() -> &'static Path {
    static LEAN: OnceLock<PathBuf> = OnceLock::new();
    LEAN.get_or_init(find_real_lean)
}

fn find_real_lean() -> PathBuf {
    let lean = match std::env::var_os(TEST_LEAN_VARIABLE) {
        Some(given) => PathBuf::from(given),
        None => portable_lean(),
    };
    assert!(
        lean.is_file(),
        "there is no Lean at {}: run `sh install/portable-lean.sh --print`, or set {TEST_LEAN_VARIABLE} to a `lean` program",
        lean.display()
    );
    lean
}

/// Asks the installer, which answers at once when it has built the toolchain before.
fn portable_lean() -> PathBuf {
    let script = repository().join("install/portable-lean.sh");
    let output = process::command("sh")
        .arg(&script)
        .arg("--print")
        .output()
        .must("run sh install/portable-lean.sh");
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "`sh install/portable-lean.sh --print` failed; run it to see why, or set {TEST_LEAN_VARIABLE} to a `lean` program\n{stdout}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let toolchain = stdout.lines().last().must("read where the toolchain is");
    Path::new(toolchain.trim()).join("bin/lean")
}

/// The top of the repository.
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .must("find the repository")
}

/// The folder with the programs of the build that this test belongs to: the test itself is in `deps` below it.
fn target_directory() -> PathBuf {
    let own = std::env::current_exe().must("find the own program");
    let mut folder = own.parent().must("find the target folder");
    if folder.ends_with("deps") || folder.ends_with("examples") {
        folder = folder.parent().must("find the target folder");
    }
    folder.to_owned()
}
