//! Lean, Lake and the project's toolchain.

use std::{
    fs,
    path::{Path, PathBuf},
};

use lean_beam_proto::programs::{FoundBy, LAKE_VARIABLE, LEAN_VARIABLE, Located, locate};
use serde_json::json;

use super::{ask::ask, finding::Finding};
use crate::commands::demo::{Lean, version_number};

const LEAN: &str = "lean";
const LAKE: &str = "lake";
const TOOLCHAIN: &str = "toolchain";

/// What is known of Lean.
#[derive(Debug)]
pub(super) struct Examined {
    /// What to say.
    pub(super) findings: Vec<Finding>,
    /// The Lean that works, behind any version manager.
    pub(super) lean: Option<Lean>,
}

/// Looks at the programs as the daemon would find them for `root`.
pub(super) async fn examine(root: Option<&Path>) -> Examined {
    let directory = root.unwrap_or(Path::new("/"));
    let mut findings = vec![toolchain(root)];
    let (finding, lean) = lean(directory).await;
    findings.push(finding);
    findings.push(lake(root, directory).await);
    Examined { findings, lean }
}

fn toolchain(root: Option<&Path>) -> Finding {
    let Some(root) = root else {
        return Finding::note(TOOLCHAIN, "no project here; give --root to look at one");
    };
    let data = json!({ "root": root });
    match fs::read_to_string(root.join("lean-toolchain")) {
        Ok(text) if !text.trim().is_empty() => {
            let name = text.trim();
            Finding::ok(TOOLCHAIN, format!("{name} for {}", root.display()))
                .data(json!({ "root": root, "toolchain": name }))
        }
        _ => Finding::warning(
            TOOLCHAIN,
            format!(
                "{} has no lean-toolchain: elan will use its default",
                root.display()
            ),
        )
        .remedy("Write the version that the project is made for into lean-toolchain.")
        .data(data),
    }
}

async fn lean(directory: &Path) -> (Finding, Option<Lean>) {
    let found = match locate("lean", LEAN_VARIABLE) {
        Ok(found) => found,
        Err(looked) => return (missing(LEAN, LEAN_VARIABLE, &looked), None),
    };
    let answer = ask(&found.path, ["--version"], directory).await;
    let version = answer.and_then(|text| {
        version_number(&text).ok_or_else(|| format!("{} is no Lean", found.path.display()))
    });
    let version = match version {
        Ok(version) => version,
        Err(fault) => return (broken(LEAN, LEAN_VARIABLE, &fault, directory), None),
    };
    let program = behind(&found.path, directory).await;
    let finding = Finding::ok(LEAN, format!("Lean {version}, {}", place(&found, "lean"))).data(
        json!({ "version": version, "program": found.path, "toolchain_program": program, "found_by": by(&found, "lean") }),
    );
    let lean = Lean {
        program,
        version,
        portable: false,
    };
    (finding, Some(lean))
}

async fn lake(root: Option<&Path>, directory: &Path) -> Finding {
    let has_lakefile = root.is_some_and(|root| {
        ["lakefile.lean", "lakefile.toml"]
            .iter()
            .any(|name| root.join(name).is_file())
    });
    let found = match locate("lake", LAKE_VARIABLE) {
        Ok(found) => found,
        Err(looked) if has_lakefile => {
            let mut finding = missing(LAKE, LAKE_VARIABLE, &looked);
            finding.message = format!("the project has a lakefile, but {}", finding.message);
            return finding;
        }
        Err(_) => return Finding::note(LAKE, "not found; only projects with a lakefile need it"),
    };
    match ask(&found.path, ["--version"], directory).await {
        Ok(text) => {
            let version = text.lines().next().unwrap_or_default().trim().to_owned();
            Finding::ok(LAKE, format!("{version}, {}", place(&found, "lake"))).data(
                json!({ "version": version, "program": found.path, "found_by": by(&found, "lake") }),
            )
        }
        Err(fault) if has_lakefile => broken(LAKE, LAKE_VARIABLE, &fault, directory),
        Err(fault) => Finding::warning(LAKE, fault)
            .remedy("Only projects with a lakefile need it; reinstall the toolchain to have it."),
    }
}

/// A version manager would choose again in another directory; the toolchain behind it does not.
async fn behind(program: &Path, directory: &Path) -> PathBuf {
    let prefix = ask(program, ["--print-prefix"], directory).await;
    let behind = PathBuf::from(prefix.unwrap_or_default().trim()).join("bin/lean");
    if behind.is_absolute() && behind.is_file() {
        behind
    } else {
        program.to_owned()
    }
}

fn missing(check: &'static str, variable: &str, looked: &[String]) -> Finding {
    Finding::problem(
        check,
        format!("`{check}` is not found (looked for {})", looked.join(", ")),
    )
    .remedy(format!(
        "Install Lean with elan, or set {variable} to the full path of `{check}`; a daemon that runs already needs `lean-beam restart` to see it."
    ))
    .data(json!({ "looked_for": looked, "variable": variable }))
}

fn broken(check: &'static str, variable: &str, fault: &str, directory: &Path) -> Finding {
    Finding::problem(check, fault.to_owned())
        .remedy(format!(
            "Run `{check} --version` in {} to see it fail. Mend that toolchain (elan: `elan toolchain install NAME`), or set {variable} to another `{check}`.",
            directory.display()
        ))
        .data(json!({ "variable": variable }))
}

fn place(found: &Located, name: &str) -> String {
    format!("{} (from {})", found.path.display(), by(found, name))
}

fn by(found: &Located, name: &str) -> String {
    match found.by {
        FoundBy::Variable if name == "lean" => LEAN_VARIABLE.to_owned(),
        FoundBy::Variable => LAKE_VARIABLE.to_owned(),
        FoundBy::Path => "PATH".to_owned(),
        FoundBy::Elan => "elan's directory".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::State;
    use super::*;

    #[tokio::test]
    async fn a_lakefile_makes_a_missing_lake_a_problem() {
        // What is not found anywhere is the same for both; only the project differs.
        let looked = ["lake on PATH".to_owned()];
        let finding = missing(LAKE, LAKE_VARIABLE, &looked);
        assert_eq!(finding.state, State::Problem);
        assert!(finding.message.contains("lake on PATH"));
        assert!(finding.remedy.unwrap().contains(LAKE_VARIABLE));
    }

    #[test]
    fn the_toolchain_is_that_of_the_root() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(toolchain(Some(root.path())).state, State::Warning);
        fs::write(root.path().join("lean-toolchain"), "x:y\n").unwrap();
        let finding = toolchain(Some(root.path()));
        assert_eq!(finding.state, State::Ok);
        assert_eq!(finding.data.unwrap()["toolchain"], "x:y");
        assert_eq!(toolchain(None).state, State::Note);
    }
}
