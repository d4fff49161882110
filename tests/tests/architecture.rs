//! The dependency rules of `docs/architecture.md`, held against the code.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use lean_beam_tests::{must::Must, programs::repository};

/// The crates by folder, with the crates of ours that each may depend on.
const CRATES: [(&str, &[&str]); 5] = [
    ("proto", &[]),
    ("daemon", &["lean-beam-proto"]),
    ("shim", &["lean-beam-proto"]),
    ("cli", &["lean-beam-proto"]),
    ("tests", &["lean-beam-proto"]),
];

fn manifest(folder: &str) -> toml::Table {
    let path = repository().join(folder).join("Cargo.toml");
    let text = fs::read_to_string(path).must("read a manifest");
    text.parse().must("understand a manifest")
}

#[test]
fn the_protocol_is_described_with_all_its_operations() {
    let text = fs::read_to_string(repository().join("docs/protocol.md")).must("read a document");
    let rows: Vec<_> = text
        .lines()
        .filter_map(|line| line.strip_prefix("| "))
        .filter_map(|line| line.split('|').next())
        .collect();
    for operation in lean_beam_proto::op::OPERATIONS {
        let quoted = format!("`{operation}`");
        assert!(
            rows.iter().any(|row| row.contains(&quoted)),
            "docs/protocol.md has no row for {operation}"
        );
    }
}

/// All dependencies of a manifest, of whatever kind and for whatever system.
fn dependencies(table: &toml::Table) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (key, value) in table {
        let Some(inner) = value.as_table() else {
            continue;
        };
        match key.as_str() {
            "dependencies" | "dev-dependencies" | "build-dependencies" => {
                found.extend(inner.keys().cloned());
            }
            "target" => {
                for system in inner.values().filter_map(toml::Value::as_table) {
                    found.extend(dependencies(system));
                }
            }
            _ => {}
        }
    }
    found
}

/// Every Rust file below a folder of the repository, with its text without comments.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![repository().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).must("list a folder") {
            let path = entry.must("list a folder").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).must("read a source file");
                let relative = path
                    .strip_prefix(repository())
                    .must("stay in the repository");
                found.push((relative.to_owned(), without_comments(&text)));
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "there is no source in {folder}");
    found
}

fn without_comments(text: &str) -> String {
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| [line, "\n"])
        .collect()
}

/// The modules at the top of the crate that a source names through `crate::`.
fn named_modules(source: &str) -> BTreeSet<String> {
    source
        .split("crate::")
        .skip(1)
        .flat_map(|rest| match rest.strip_prefix('{') {
            Some(group) => members(group),
            None => vec![identifier(rest)],
        })
        .collect()
}

/// The first names of the members of a `{…}` group, after its opening brace.
fn members(group: &str) -> Vec<String> {
    let mut depth = 1;
    let mut found = Vec::new();
    let mut start = 0;
    for (at, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 || (depth == 1 && character == ',') {
            found.push(identifier(group[start..at].trim_start()));
            start = at + 1;
        }
        if depth == 0 {
            break;
        }
    }
    found.retain(|name| !name.is_empty());
    found
}

fn identifier(text: &str) -> String {
    text.chars()
        .take_while(|character| character.is_alphanumeric() || *character == '_')
        .collect()
}

/// The layers of the daemon from top to bottom, as the documentation lists them.
fn layers() -> BTreeMap<String, usize> {
    let text = fs::read_to_string(repository().join("docs/architecture.md"))
        .must("read the documentation");
    let (_, after) = text
        .split_once("Inside the daemon, each folder may use only what stands below it:")
        .must("find the layers in the documentation");
    let rows = after
        .lines()
        .skip_while(|line| !line.starts_with('|'))
        .skip(2);
    let mut layers = BTreeMap::new();
    for (depth, row) in rows.take_while(|line| line.starts_with('|')).enumerate() {
        let first_cell = row.split('|').nth(1).must("read a row");
        for name in first_cell.split('`').skip(1).step_by(2) {
            layers.insert(name.trim_end_matches('/').to_owned(), depth);
        }
    }
    assert!(layers.len() > 8, "{layers:?}");
    layers
}

/// The module at the top of the daemon that a file belongs to.
fn layer_of(path: &Path) -> String {
    let below = path
        .strip_prefix("daemon/src")
        .must("be a file of the daemon");
    let first = below.iter().next().must("have a name");
    first.to_string_lossy().trim_end_matches(".rs").to_owned()
}

#[test]
fn crates_depend_on_proto_alone() {
    let ours: BTreeSet<String> = CRATES
        .iter()
        .map(|(folder, _)| {
            manifest(folder)["package"]["name"]
                .as_str()
                .must("have a name")
                .to_owned()
        })
        .collect();
    for (folder, allowed) in CRATES {
        let used = dependencies(&manifest(folder));
        let of_ours: Vec<_> = used.intersection(&ours).map(String::as_str).collect();
        assert_eq!(of_ours, allowed, "in {folder}/Cargo.toml");
    }
}

#[test]
fn every_crate_of_the_workspace_is_under_these_rules() {
    let members = manifest("")["workspace"]["members"].clone();
    let members: BTreeSet<_> = members
        .as_array()
        .must("list the crates")
        .iter()
        .filter_map(toml::Value::as_str)
        .map(str::to_owned)
        .collect();
    let known: BTreeSet<_> = CRATES
        .iter()
        .map(|(folder, _)| (*folder).to_owned())
        .collect();
    assert_eq!(members, known);
}

#[test]
fn inside_the_daemon_each_layer_uses_only_what_stands_below_it() {
    let layers = layers();
    let mut wrong = Vec::new();
    for (path, source) in sources("daemon/src") {
        let layer = layer_of(&path);
        let depth = layers
            .get(&layer)
            .must(&format!("find the layer {layer} in docs/architecture.md"));
        for used in named_modules(&source) {
            // Items of the crate itself, such as macros, are no modules.
            let Some(used_depth) = layers.get(&used) else {
                continue;
            };
            if used_depth < depth {
                wrong.push(format!("{} uses {used}", path.display()));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn every_layer_in_the_documentation_exists() {
    let existing: BTreeSet<_> = sources("daemon/src")
        .iter()
        .map(|(path, _)| layer_of(path))
        .collect();
    let documented: BTreeSet<_> = layers().into_keys().collect();
    assert_eq!(documented, existing);
}

/// The files of a folder whose code contains `text`.
fn files_with(folder: &str, text: &str) -> Vec<PathBuf> {
    let found = sources(folder);
    found
        .into_iter()
        .filter(|(_, source)| source.contains(text))
        .map(|(path, _)| path)
        .collect()
}

#[test]
fn the_standards_own_types_are_named_in_two_files_only() {
    let named: Vec<_> = CRATES
        .iter()
        .filter(|(folder, _)| *folder != "tests")
        .flat_map(|(folder, _)| files_with(&format!("{folder}/src"), "lsp_types"))
        .collect();
    assert!((1..=2).contains(&named.len()), "{named:?}");
    assert!(
        named.iter().all(|path| path.starts_with("daemon/src/lsp")),
        "{named:?}"
    );
    let manifests: Vec<_> = CRATES
        .iter()
        .filter(|(folder, _)| dependencies(&manifest(folder)).contains("lsp-types"))
        .map(|(folder, _)| *folder)
        .collect();
    assert_eq!(manifests, ["daemon"]);
}

#[test]
fn unsafe_code_is_in_one_file() {
    let files: Vec<_> = CRATES
        .iter()
        .filter(|(folder, _)| *folder != "tests")
        .flat_map(|(folder, _)| files_with(&format!("{folder}/src"), "unsafe {"))
        .collect();
    assert_eq!(files, [Path::new("daemon/src/process/spawn.rs")]);
}

#[test]
fn only_the_guardian_waits_for_any_child() {
    let files: Vec<_> = files_with("daemon/src", "waitpid(None")
        .into_iter()
        .chain(files_with("daemon/src", "from_raw(-1)"))
        .collect();
    assert_eq!(files, [Path::new("daemon/src/process/guardian.rs")]);
}

#[test]
fn names_behind_crate_are_read_from_paths_and_from_groups() {
    let source = "use crate::{a::{b, c}, d, e::f};\nfn x() { crate::g::h(); let y: crate::i; }";
    let names: Vec<_> = named_modules(source).into_iter().collect();
    assert_eq!(names, ["a", "d", "e", "g", "i"]);
}
