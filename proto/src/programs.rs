//! Finding Lean's programs, in one order for the daemon that starts them and for `doctor` that explains.
//!
//! Agent clients pass on little more than HOME and PATH, so more must not be needed.

use std::{
    env,
    ffi::OsString,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

/// Names the `lean` program, before any search.
pub const LEAN_VARIABLE: &str = "LEAN_BEAM_LEAN";
/// Names the `lake` program, before any search.
pub const LAKE_VARIABLE: &str = "LEAN_BEAM_LAKE";

/// A program that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// Its file, an absolute path.
    pub path: PathBuf,
    /// What led to it.
    pub by: FoundBy,
}

/// What led to a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoundBy {
    /// The variable that names it.
    Variable,
    /// `PATH`.
    Path,
    /// A directory of elan's.
    Elan,
}

/// Finds `name`: the variable, then `PATH`, then elan's directories (`$ELAN_HOME/bin`, `$HOME/.elan/bin`).
/// A variable that is set is final: silently using another program would hide a mistake in it.
///
/// # Errors
/// Everywhere it was looked for.
pub fn locate(name: &str, variable: &str) -> Result<Located, Vec<String>> {
    locate_in(name, variable, |name| env::var_os(name))
}

/// As [`locate`], in the environment that `lookup` gives instead of our own.
///
/// # Errors
/// Everywhere it was looked for.
pub fn locate_in(
    name: &str,
    variable: &str,
    lookup: impl Fn(&str) -> Option<OsString>,
) -> Result<Located, Vec<String>> {
    let lookup = |name: &str| lookup(name).filter(|value| !value.is_empty());
    if let Some(given) = lookup(variable) {
        let path = PathBuf::from(given);
        return if path.is_absolute() && is_executable(&path) {
            Ok(Located {
                path,
                by: FoundBy::Variable,
            })
        } else {
            Err(vec![format!("{variable}={}", path.display())])
        };
    }
    let path = lookup("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path).map(|directory| (directory.join(name), FoundBy::Path));
    let elan: Vec<_> = elan_directories(lookup)
        .into_iter()
        .map(|directory| directory.join(name))
        .collect();
    let in_elan = elan.iter().map(|path| (path.clone(), FoundBy::Elan));
    on_path
        .chain(in_elan)
        .find(|(path, _)| path.is_absolute() && is_executable(path))
        .map(|(path, by)| Located { path, by })
        .ok_or_else(|| {
            let elan = elan.iter().map(|path| path.display().to_string());
            std::iter::once(format!("{name} on PATH"))
                .chain(elan)
                .collect()
        })
}

fn elan_directories(lookup: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let elan = lookup("ELAN_HOME").map(|home| PathBuf::from(home).join("bin"));
    let home = lookup("HOME").map(|home| PathBuf::from(home).join(".elan/bin"));
    let mut directories: Vec<_> = elan.into_iter().chain(home).collect();
    directories.dedup();
    directories
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path)
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(directory: &Path, name: &str, mode: u32) -> PathBuf {
        let path = directory.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn the_variable_goes_before_path_and_path_before_elan() {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path();
        let given = program(base, "given", 0o755);
        let on_path = program(base, "bin/lean", 0o755);
        let in_elan = program(base, "home/.elan/bin/lean", 0o755);
        let find = |names: &[&str]| {
            let found = locate_in("lean", LEAN_VARIABLE, |name| {
                let value = match name {
                    LEAN_VARIABLE => given.clone(),
                    "PATH" => base.join("bin"),
                    "HOME" => base.join("home"),
                    _ => return None,
                };
                names.contains(&name).then(|| value.into_os_string())
            });
            found.map(|found| (found.path, found.by))
        };
        let all = [LEAN_VARIABLE, "PATH", "HOME"];
        assert_eq!(find(&all), Ok((given.clone(), FoundBy::Variable)));
        assert_eq!(find(&all[1..]), Ok((on_path, FoundBy::Path)));
        assert_eq!(find(&all[2..]), Ok((in_elan, FoundBy::Elan)));
        assert_eq!(find(&[]), Err(vec!["lean on PATH".to_owned()]));
    }

    #[test]
    fn a_variable_that_names_no_program_is_not_passed_over() {
        let directory = tempfile::tempdir().unwrap();
        program(directory.path(), "lean", 0o755);
        let plain = program(directory.path(), "plain", 0o644);
        for wrong in [plain, PathBuf::from("lean"), PathBuf::from("/nonexistent")] {
            let looked = locate_in("lean", LEAN_VARIABLE, |name| match name {
                LEAN_VARIABLE => Some(wrong.clone().into_os_string()),
                "PATH" => Some(directory.path().as_os_str().to_owned()),
                _ => None,
            })
            .unwrap_err();
            assert_eq!(
                looked,
                [format!("{LEAN_VARIABLE}={}", wrong.display())],
                "only the variable counts"
            );
        }
    }
}
