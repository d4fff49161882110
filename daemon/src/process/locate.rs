//! Finding programs. Agent clients pass on little more than HOME and PATH, so more must not be needed.

use std::{
    env, fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

/// Names the `lean` program, before any search.
pub(crate) const LEAN_VARIABLE: &str = "LEAN_BEAM_LEAN";
/// Names the `lake` program, before any search.
pub(crate) const LAKE_VARIABLE: &str = "LEAN_BEAM_LAKE";

/// Where a program is, or everywhere it was looked for.
pub(crate) type Located = Result<PathBuf, Vec<String>>;

/// Finds `name`: the variable, then `PATH`, then elan's directories.
pub(crate) fn locate(name: &str, variable: &str) -> Located {
    if let Some(given) = non_empty(variable) {
        let path = PathBuf::from(given);
        // A given path is final: silently using another program would hide the mistake.
        return if path.is_absolute() && is_executable(&path) {
            Ok(path)
        } else {
            Err(vec![format!("{variable}={}", path.display())])
        };
    }
    let mut looked = vec![format!("{name} on PATH")];
    let on_path = non_empty("PATH").map(|path| {
        env::split_paths(&path)
            .map(|directory| directory.join(name))
            .collect::<Vec<_>>()
    });
    if let Some(found) = on_path
        .into_iter()
        .flatten()
        .find(|path| path.is_absolute() && is_executable(path))
    {
        return Ok(found);
    }
    for directory in elan_directories() {
        let path = directory.join(name);
        if is_executable(&path) {
            return Ok(path);
        }
        looked.push(path.display().to_string());
    }
    Err(looked)
}

fn elan_directories() -> Vec<PathBuf> {
    let elan = non_empty("ELAN_HOME").map(|home| PathBuf::from(home).join("bin"));
    let home = non_empty("HOME").map(|home| PathBuf::from(home).join(".elan/bin"));
    let mut directories: Vec<_> = elan.into_iter().chain(home).collect();
    directories.dedup();
    directories
}

fn non_empty(variable: &str) -> Option<std::ffi::OsString> {
    env::var_os(variable).filter(|value| !value.is_empty())
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path)
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}
