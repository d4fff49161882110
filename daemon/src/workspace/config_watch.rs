//! Whether the project is still set up as it was when its servers started.

use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use lean_beam_proto::{BeamError, BeamResult, ErrorCode};
use serde_json::json;

use crate::imports::{is_settled, stamp_of};

/// The files that decide how Lean is started and what it is told.
const FILES: [&str; 4] = [
    "lakefile.lean",
    "lakefile.toml",
    "lake-manifest.json",
    "lean-toolchain",
];

/// The one of them that Lake writes itself where there is none.
const MANIFEST: usize = 2;
/// How far the clock of a file system may be behind.
const CLOCK_SLACK: Duration = Duration::from_millis(50);

/// Remembers the project's configuration from its first use on.
#[derive(Debug)]
pub(crate) struct ConfigWatch {
    root: PathBuf,
    // Held for single look-ups only, never while files are read.
    state: Mutex<State>,
}

#[derive(Debug, Default, Clone)]
struct State {
    known: Option<Known>,
    lake: Option<LakeStart>,
    /// How often everything was forgotten: what was read before that is no news.
    forgotten: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Known {
    /// What the files were when they were last read; while they are that, nothing is read again.
    stamps: Vec<Option<String>>,
    /// False when that was so soon after a change that the stamps may not show the next one.
    settled: bool,
    contents: Vec<Option<u64>>,
}

/// The time in which Lake sets the project up for a server.
#[derive(Debug, Clone, Copy)]
struct LakeStart {
    began: SystemTime,
    /// `None` while it is at it.
    ended: Option<SystemTime>,
}

impl ConfigWatch {
    pub(crate) fn new(root: PathBuf) -> Self {
        Self {
            root,
            state: Mutex::default(),
        }
    }

    /// Compares the files with what they were. Touches the file system.
    ///
    /// # Errors
    /// `workspaceConfigChanged` naming the files, until [`ConfigWatch::forget`] or until they are again what
    /// they were.
    pub(crate) fn check(&self) -> BeamResult<()> {
        let before = self.lock().clone();
        let now = Known::read(&self.root, before.known.as_ref());
        let changed = before.changed(&now, &self.root.join(FILES[MANIFEST]));
        if !changed.is_empty() {
            return Err(self.drifted(&changed));
        }
        let mut state = self.lock();
        if state.forgotten == before.forgotten {
            state.known = Some(now);
        }
        Ok(())
    }

    /// Lake begins to set the project up. A manifest that appears by [`ConfigWatch::lake_is_ready`] is its own
    /// work and no change.
    pub(crate) fn lake_starts(&self) {
        self.lock().lake = Some(LakeStart {
            began: SystemTime::now(),
            ended: None,
        });
    }

    /// Lake has set the project up.
    pub(crate) fn lake_is_ready(&self) {
        if let Some(lake) = &mut self.lock().lake {
            lake.ended.get_or_insert_with(SystemTime::now);
        }
    }

    /// The servers are stopped and what was known is dropped: the next ones start with what is there then.
    pub(crate) fn forget(&self) {
        let mut state = self.lock();
        *state = State {
            forgotten: state.forgotten + 1,
            ..State::default()
        };
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn drifted(&self, changed: &[&str]) -> BeamError {
        let message = format!(
            "the configuration of {} changed since its Lean server started: {}",
            self.root.display(),
            changed.join(", ")
        );
        BeamError::new(ErrorCode::WorkspaceConfigChanged, message)
            .with_hint("Drop the workspace (`drop_workspace`, `lean-beam drop`); the next call starts it with the new configuration.")
            .with_data(json!({ "root": self.root, "changed": changed }))
    }
}

impl State {
    /// The files that are not what they were, by name.
    fn changed(&self, now: &Known, manifest: &Path) -> Vec<&'static str> {
        let Some(known) = &self.known else {
            return Vec::new();
        };
        let is_own = |file: usize| {
            file == MANIFEST && known.contents[file].is_none() && self.lake_made(manifest)
        };
        (0..FILES.len())
            .filter(|file| known.contents[*file] != now.contents[*file] && !is_own(*file))
            .map(|file| FILES[file])
            .collect()
    }

    fn lake_made(&self, manifest: &Path) -> bool {
        let made = fs::metadata(manifest).and_then(|metadata| metadata.modified());
        let (Some(lake), Ok(made)) = (self.lake, made) else {
            return false;
        };
        made + CLOCK_SLACK >= lake.began && lake.ended.is_none_or(|ended| made <= ended)
    }
}

impl Known {
    /// The files as they are now; those of `before` where nothing can have changed.
    fn read(root: &Path, before: Option<&Self>) -> Self {
        let paths = FILES.map(|name| root.join(name));
        let stamps: Vec<_> = paths.iter().map(|path| stamp_of(path)).collect();
        if let Some(before) = before.filter(|before| before.settled && before.stamps == stamps) {
            return before.clone();
        }
        Self {
            stamps,
            settled: paths.iter().all(|path| is_settled(path)),
            contents: paths.iter().map(|path| content_hash(path)).collect(),
        }
    }
}

fn content_hash(path: &Path) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    fs::read(path).ok()?.hash(&mut hasher);
    Some(hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct World {
        directory: tempfile::TempDir,
        watch: ConfigWatch,
    }

    impl World {
        /// A project with all of the files but the one to be made.
        fn without(absent: &str) -> Self {
            let directory = tempfile::tempdir().unwrap();
            let watch = ConfigWatch::new(directory.path().to_owned());
            let world = Self { directory, watch };
            for name in FILES.iter().filter(|name| **name != absent) {
                world.write(name, "old");
            }
            world.watch.check().unwrap();
            world
        }

        fn write(&self, name: &str, text: &str) {
            fs::write(self.directory.path().join(name), text).unwrap();
        }

        fn changed(&self) -> serde_json::Value {
            let error = self.watch.check().unwrap_err();
            assert_eq!(error.code, ErrorCode::WorkspaceConfigChanged);
            error.data.unwrap()["changed"].clone()
        }
    }

    #[test]
    fn each_file_is_named_when_it_is_made_changed_or_removed_until_a_drop() {
        for name in FILES {
            let world = World::without(name);
            world.write(name, "new");
            assert_eq!(world.changed(), json!([name]), "made");
            assert_eq!(world.changed(), json!([name]), "still");
            world.watch.forget();
            world.watch.check().unwrap();
            // Of the same size, and within one tick of the clock.
            world.write(name, "NEW");
            assert_eq!(world.changed(), json!([name]), "changed");
            world.watch.forget();
            world.watch.check().unwrap();
            fs::remove_file(world.directory.path().join(name)).unwrap();
            assert_eq!(world.changed(), json!([name]), "removed");
        }
    }

    #[test]
    fn several_changes_are_named_together() {
        let world = World::without("lakefile.toml");
        world.write("lakefile.toml", "x");
        world.write("lean-toolchain", "y");
        assert_eq!(world.changed(), json!(["lakefile.toml", "lean-toolchain"]));
    }

    #[test]
    fn a_manifest_that_lake_makes_while_it_starts_is_no_change_and_a_later_one_is() {
        let world = World::without("lake-manifest.json");
        world.watch.lake_starts();
        world.write("lake-manifest.json", "{}");
        world.watch.check().unwrap();
        world.watch.lake_is_ready();
        world.watch.check().unwrap();
        world.write("lake-manifest.json", "{ }");
        assert_eq!(world.changed(), json!(["lake-manifest.json"]));

        let later = World::without("lake-manifest.json");
        later.watch.lake_starts();
        later.watch.lake_is_ready();
        let manifest = later.directory.path().join("lake-manifest.json");
        fs::write(&manifest, "{}").unwrap();
        let file = fs::File::options().write(true).open(&manifest).unwrap();
        file.set_modified(SystemTime::now() + Duration::from_secs(1))
            .unwrap();
        assert_eq!(later.changed(), json!(["lake-manifest.json"]));
    }

    #[test]
    fn a_file_that_was_only_touched_or_put_back_has_not_changed() {
        let directory = tempfile::tempdir().unwrap();
        let toolchain = directory.path().join("lean-toolchain");
        fs::write(&toolchain, "a").unwrap();
        let watch = ConfigWatch::new(directory.path().to_owned());
        watch.check().unwrap();
        fs::remove_file(&toolchain).unwrap();
        assert!(watch.check().is_err());
        fs::write(&toolchain, "a").unwrap();
        watch.check().unwrap();
    }
}
