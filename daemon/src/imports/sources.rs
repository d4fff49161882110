//! Where a project's sources are: below its root, and where its lakefile says.

use std::{
    cmp::Reverse,
    fs,
    path::{Component, Path, PathBuf},
};

use super::artifact::module_of_path;

/// The directories that names of modules count from.
///
/// Lake alone knows them for sure: a lakefile is a program. What it names in plain text is enough to find the
/// sources; a directory too many does no harm, because a module is looked for in all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SourceRoots {
    root: PathBuf,
    /// Relative to the root, the deepest first, the root itself last.
    directories: Vec<PathBuf>,
}

impl SourceRoots {
    /// Reads the lakefile, if there is one. Touches the file system.
    pub(crate) fn read(root: &Path) -> Self {
        let named = lakefile_text(root).map_or_else(Vec::new, |lakefile| match lakefile {
            Lakefile::Lean(text) => named_in_lean(&text),
            Lakefile::Toml(text) => named_in_toml(&text),
        });
        // One that is not there yet may come without a change of the lakefile.
        let mut directories = named;
        directories.push(PathBuf::new());
        directories.sort_by_key(|directory| Reverse(directory.components().count()));
        directories.dedup();
        Self {
            root: root.to_owned(),
            directories,
        }
    }

    /// The source of a module of the project, relative to the root. Touches the file system.
    pub(crate) fn source_of(&self, module: &str) -> Option<PathBuf> {
        let relative = format!("{}.lean", module.replace('.', "/"));
        self.directories
            .iter()
            .map(|directory| directory.join(&relative))
            .find(|source| self.root.join(source).is_file())
    }

    /// The modules that a file of the project may be, likeliest first; none when a part of its path is no
    /// identifier.
    pub(crate) fn modules_of(&self, path: &Path) -> Vec<String> {
        self.below(path).filter_map(module_of_path).collect()
    }

    /// The path of a file of the project, relative to each of the directories that it is below.
    pub(crate) fn below<'a>(&self, path: &'a Path) -> impl Iterator<Item = &'a Path> {
        let relative = path.strip_prefix(&self.root).ok();
        self.directories
            .iter()
            .filter_map(move |directory| relative?.strip_prefix(directory).ok())
    }
}

enum Lakefile {
    Lean(String),
    Toml(String),
}

/// Lake prefers the program to the table.
fn lakefile_text(root: &Path) -> Option<Lakefile> {
    let read = |name: &str| fs::read_to_string(root.join(name)).ok();
    read("lakefile.lean")
        .map(Lakefile::Lean)
        .or_else(|| read("lakefile.toml").map(Lakefile::Toml))
}

/// The package's `srcDir`, and below it those of its libraries and programs.
fn named_in_toml(text: &str) -> Vec<PathBuf> {
    let Ok(table) = text.parse::<toml::Table>() else {
        return Vec::new();
    };
    let source = |table: &toml::Table| Some(table.get("srcDir")?.as_str()?.to_owned());
    let package = source(&table);
    let targets = ["lean_lib", "lean_exe"]
        .into_iter()
        .filter_map(|kind| table.get(kind)?.as_array())
        .flatten()
        .filter_map(|target| source(target.as_table()?));
    below_package(package.as_deref(), &targets.collect::<Vec<_>>())
}

/// The same, as far as it stands there as plain strings: `srcDir := "src"`, or `"a" / "b"`.
fn named_in_lean(text: &str) -> Vec<PathBuf> {
    let text = without_comments(text);
    let mut package = None;
    let mut targets = Vec::new();
    let mut in_package = false;
    for line in text.lines() {
        let words =
            || line.split(|character: char| !(character.is_alphanumeric() || character == '_'));
        if let Some(kind) =
            words().find(|word| matches!(*word, "package" | "lean_lib" | "lean_exe"))
        {
            in_package = kind == "package";
        }
        for directory in line.split("srcDir").skip(1).filter_map(assigned_path) {
            if in_package {
                package = Some(directory);
            } else {
                targets.push(directory);
            }
        }
    }
    below_package(package.as_deref(), &targets)
}

/// What follows `:=` when it consists of strings, with `/` between them.
fn assigned_path(text: &str) -> Option<String> {
    let mut rest = text.trim_start().strip_prefix(":=")?;
    let mut parts = Vec::new();
    loop {
        let (part, behind) = rest.trim_start().strip_prefix('"')?.split_once('"')?;
        parts.push(part);
        match behind.trim_start().strip_prefix('/') {
            Some(more) => rest = more,
            None => return Some(parts.join("/")),
        }
    }
}

fn below_package(package: Option<&str>, targets: &[String]) -> Vec<PathBuf> {
    let package = package.unwrap_or_default();
    let targets = targets.iter().map(|target| Path::new(package).join(target));
    std::iter::once(PathBuf::from(package))
        .chain(targets)
        .filter_map(|directory| plain(&directory))
        .collect()
}

/// The path without `.`; `None` for one that leads out of the project.
fn plain(path: &Path) -> Option<PathBuf> {
    let parts = path.components();
    parts
        .filter(|part| *part != Component::CurDir)
        .map(|part| matches!(part, Component::Normal(_)).then_some(part))
        .collect()
}

/// The text of a Lean file without its comments. Strings are left as they are.
fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    let mut depth = 0_usize;
    while let Some(character) = rest.chars().next() {
        let length = if rest.starts_with("/-") {
            depth += 1;
            2
        } else if depth > 0 && rest.starts_with("-/") {
            depth -= 1;
            2
        } else if depth > 0 {
            character.len_utf8()
        } else if rest.starts_with("--") {
            rest.find('\n').unwrap_or(rest.len())
        } else {
            let length = if character == '"' {
                string_length(rest)
            } else {
                character.len_utf8()
            };
            kept.push_str(&rest[..length]);
            length
        };
        rest = &rest[length..];
    }
    kept
}

/// How many bytes the string literal takes that `text` starts with.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    let end = text.char_indices().skip(1).find(|(_, character)| {
        let ends = *character == '"' && !escaped;
        escaped = *character == '\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A project with a lakefile and directories.
    fn project(lakefile: (&str, &str), directories: &[&str]) -> (tempfile::TempDir, SourceRoots) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(lakefile.0), lakefile.1).unwrap();
        for directory in directories {
            fs::create_dir_all(folder.path().join(directory)).unwrap();
        }
        let roots = SourceRoots::read(folder.path());
        (folder, roots)
    }

    fn directories(roots: &SourceRoots) -> Vec<&str> {
        let directories = roots.directories.iter();
        directories.map(|path| path.to_str().unwrap()).collect()
    }

    #[test]
    fn sources_are_below_the_root_unless_a_lakefile_says_otherwise() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(directories(&SourceRoots::read(folder.path())), [""]);
        for lakefile in [
            (
                "lakefile.toml",
                "name = \"demo\"\n[[lean_lib]]\nname = \"Demo\"\n",
            ),
            ("lakefile.toml", "no = toml ["),
            ("lakefile.lean", "package demo\nlean_lib Demo\n"),
        ] {
            let (_folder, roots) = project(lakefile, &["src"]);
            assert_eq!(directories(&roots), [""], "{lakefile:?}");
        }
    }

    #[test]
    fn a_table_names_the_directories_of_its_package_and_targets() {
        let text = "\
name = \"demo\"
srcDir = \"./lean\"
[[lean_lib]]
name = \"Demo\"
[[lean_lib]]
name = \"Tests\"
srcDir = \"tests\"
[[lean_exe]]
name = \"app\"
srcDir = \"gone\"
[[lean_exe]]
name = \"tool\"
srcDir = \"../outside\"
";
        let (_folder, roots) = project(("lakefile.toml", text), &["lean/tests"]);
        assert_eq!(directories(&roots), ["lean/tests", "lean/gone", "lean", ""]);
    }

    #[test]
    fn a_program_names_them_in_plain_strings() {
        let text = "\
import Lake
open Lake DSL
/- package old where srcDir := \"old\" -/
package demo where
  version := v!\"0.1.0\"
  srcDir := \"lean\" -- srcDir := \"other\"
@[default_target] lean_lib Demo { srcDir := \"a\" / \"b\" }
lean_lib Computed where
  srcDir := __dir__ / \"c\"
lean_exe app where
  root := `Main
  srcDir := \"app\"
";
        let (_folder, roots) = project(
            ("lakefile.lean", text),
            &["lean/a/b", "lean/app", "lean/c", "old", "other", "c"],
        );
        assert_eq!(directories(&roots), ["lean/a/b", "lean/app", "lean", ""]);
    }

    #[test]
    fn a_module_is_found_where_its_source_is_and_a_source_may_be_several() {
        let text = "srcDir = \"src\"\n[[lean_lib]]\nname = \"Demo\"\n";
        let (folder, roots) = project(("lakefile.toml", text), &["src/Demo"]);
        fs::write(folder.path().join("src/Demo/A.lean"), "").unwrap();
        fs::write(folder.path().join("Top.lean"), "").unwrap();
        let source = |module| roots.source_of(module);
        assert_eq!(source("Demo.A"), Some(PathBuf::from("src/Demo/A.lean")));
        assert_eq!(source("Top"), Some(PathBuf::from("Top.lean")));
        assert_eq!(source("Demo"), None);
        let modules = |path| roots.modules_of(&folder.path().join(path));
        assert_eq!(modules("src/Demo/A.lean"), ["Demo.A", "src.Demo.A"]);
        assert_eq!(modules("Top.lean"), ["Top"]);
        assert!(modules("src/Demo/a-b.lean").is_empty());
        assert!(roots.modules_of(Path::new("/elsewhere/A.lean")).is_empty());
    }

    #[test]
    fn comments_go_and_strings_stay() {
        assert_eq!(without_comments("a /- b /- c -/ d -/ e"), "a  e");
        assert_eq!(without_comments("a -- b\nc"), "a \nc");
        assert_eq!(without_comments("\"-- /-\\\"\" -- b"), "\"-- /-\\\"\" ");
        assert_eq!(without_comments("\"open -- b"), "\"open -- b");
    }
}
