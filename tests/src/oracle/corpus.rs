//! The Lean files of the fixtures, for tests that ask all over them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::template::Template;
use crate::{must::Must, programs::repository};

/// A file by its name and text.
pub type File = (String, String);

/// All of them: the plain files, and the templates of the oracle without their marks.
///
/// # Panics
/// A file cannot be read.
pub fn fixture_files() -> Vec<File> {
    let plain = in_folder("tests/fixtures/corpus");
    let plain = plain
        .iter()
        .map(|path| (name_of(path), fs::read_to_string(path).must("read")));
    let marked = in_folder("tests/fixtures/oracle");
    let marked = marked.iter().map(|path| {
        let template = Template::read(path);
        (format!("marked_{}", template.name), template.base())
    });
    plain.chain(marked).collect()
}

fn in_folder(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(repository().join(folder)).must("list a folder");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.must("list a folder").path())
        .collect();
    paths.sort();
    paths
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().must("have a name");
    name.to_str().must("have a plain name").to_owned()
}
