//! What setup changed in each file, so that removing can give back every byte.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::change::Change;

/// The records of all files, by path.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Records {
    #[serde(skip)]
    file: PathBuf,
    files: BTreeMap<PathBuf, Record>,
}

/// What was put in place of what, in one place of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Record {
    /// True when there was no such file.
    created: bool,
    /// What was there before: between the first and the last byte that changed.
    removed: String,
    /// What is there instead.
    inserted: String,
    /// Directories that did not exist, innermost first.
    directories: Vec<PathBuf>,
}

/// What a file was like before, as far as can be told.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Former {
    /// It had this text.
    Text(String),
    /// It did not exist.
    Absent,
}

impl Records {
    /// Those in the state directory. Unreadable ones are as good as none.
    pub(super) fn load(state_dir: &Path) -> Self {
        let file = state_dir.join("registrations.json");
        let text = fs::read_to_string(&file).unwrap_or_default();
        Self {
            file,
            ..serde_json::from_str(&text).unwrap_or_default()
        }
    }

    /// Remembers a change that is about to be made. A second change of a file that is known already makes the
    /// first one unknown: what was there before it cannot be told any more.
    pub(super) fn note(&mut self, change: &Change) {
        let Some(after) = &change.after else {
            self.files.remove(&change.path);
            return;
        };
        if self.files.remove(&change.path).is_some() {
            return;
        }
        let before = change.before.as_deref().unwrap_or_default();
        let (prefix, suffix) = common(before, after);
        let record = Record {
            created: change.before.is_none(),
            removed: before[prefix..before.len() - suffix].to_owned(),
            inserted: after[prefix..after.len() - suffix].to_owned(),
            directories: missing_directories(&change.path),
        };
        self.files.insert(change.path.clone(), record);
    }

    /// What `path`, which now has the text `now`, was like before setup changed it. `None` when the place that
    /// was changed does not look as it was left.
    pub(super) fn former(&self, path: &Path, now: &str) -> Option<Former> {
        let record = self.files.get(path)?;
        if record.created && now == record.inserted {
            return Some(Former::Absent);
        }
        let mut places = now.match_indices(&record.inserted);
        let (at, _) = places.next()?;
        if record.created || record.inserted.is_empty() || places.next().is_some() {
            return None;
        }
        let mut text = now.to_owned();
        text.replace_range(at..at + record.inserted.len(), &record.removed);
        Some(Former::Text(text))
    }

    /// The directories that were made for `path`, innermost first.
    pub(super) fn directories(&self, path: &Path) -> Vec<PathBuf> {
        let record = self.files.get(path);
        record.map_or_else(Vec::new, |record| record.directories.clone())
    }

    /// Forgets about `path`.
    pub(super) fn forget(&mut self, path: &Path) {
        self.files.remove(path);
    }

    /// Writes the records.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn save(&self) -> io::Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        let before = super::change::read(&self.file)?;
        if self.files.is_empty() {
            return match before {
                Some(_) => fs::remove_file(&self.file),
                None => Ok(()),
            };
        }
        match Change::of(&self.file, Some(text))? {
            Some(change) => change.apply(),
            None => Ok(()),
        }
    }
}

fn missing_directories(path: &Path) -> Vec<PathBuf> {
    path.ancestors()
        .skip(1)
        .take_while(|directory| !directory.exists())
        .map(Path::to_owned)
        .collect()
}

/// How many bytes both texts have in common at their beginning and, behind that, at their end.
fn common(one: &str, other: &str) -> (usize, usize) {
    let prefix: usize = one
        .chars()
        .zip(other.chars())
        .take_while(|(one, other)| one == other)
        .map(|(character, _)| character.len_utf8())
        .sum();
    let suffix = one[prefix..]
        .chars()
        .rev()
        .zip(other[prefix..].chars().rev())
        .take_while(|(one, other)| one == other)
        .map(|(character, _)| character.len_utf8())
        .sum();
    (prefix, suffix)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(path: &Path, before: Option<&str>, after: &str) -> Change {
        Change {
            path: path.to_owned(),
            before: before.map(str::to_owned),
            after: Some(after.to_owned()),
        }
    }

    #[test]
    fn what_was_left_alone_is_given_back_also_where_the_rest_changed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a/b/file");
        let mut records = Records::load(directory.path());
        records.note(&change(&path, Some("{ }"), "{ x }"));
        records.save().unwrap();
        let records = Records::load(directory.path());
        assert_eq!(
            records.former(&path, "{ x }"),
            Some(Former::Text("{ }".to_owned()))
        );
        assert_eq!(
            records.former(&path, "// more\n{ x }"),
            Some(Former::Text("// more\n{ }".to_owned()))
        );
        assert_eq!(records.former(&path, "{ y }"), None);
        assert_eq!(records.directories(&path).len(), 2);
    }

    #[test]
    fn a_file_that_was_made_goes_only_as_it_was_made() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let mut records = Records::load(directory.path());
        records.note(&change(&path, None, "{ x }"));
        assert_eq!(records.former(&path, "{ x }"), Some(Former::Absent));
        assert_eq!(records.former(&path, "{ x, y }"), None);
        records.forget(&path);
        records.save().unwrap();
        assert!(!directory.path().join("registrations.json").exists());
    }

    #[test]
    fn after_a_second_change_nothing_is_known() {
        let path = Path::new("/nonexistent/file");
        let mut records = Records::default();
        records.note(&change(path, Some("a"), "ab"));
        records.note(&change(path, Some("ab"), "abc"));
        assert_eq!(records.former(path, "abc"), None);
    }
}
