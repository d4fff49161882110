//! The project's own modules that a file imports, directly and transitively.

use std::{
    collections::HashMap,
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use super::{
    artifact::{ArtifactPaths, SaveTrace, is_settled, module_of_path, stamp_of},
    header::imports_of,
};

/// Longest chain that is followed; a longer one is a fault of the walk.
const MOST_MODULES: usize = 100_000;

/// Who makes a project's artifacts, and so who knows whether they are current.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Our own saves, or `lean -o` by hand: we judge by traces and times.
    Plain,
    /// Lake: it judges itself whenever a document is opened.
    Lake,
}

/// The local import chain of one text, as it was on disk in one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Chain {
    /// The modules, each after those that it imports.
    pub(crate) modules: Vec<ChainModule>,
    /// Names of those that the file itself imports.
    pub(crate) direct: Vec<String>,
    /// Changes whenever a source or an artifact of the chain does.
    pub(crate) signature: u64,
    /// A module that imports itself by way of the others, from its first to its last name.
    pub(crate) cycle: Option<Vec<String>>,
}

/// One module of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChainModule {
    pub(crate) name: String,
    /// Path of the source, relative to the root.
    pub(crate) path: String,
    /// Why what Lean would load is not what the source says.
    pub(crate) stale: Option<StaleReason>,
}

/// Why an artifact is not current.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StaleReason {
    /// There is none.
    NotBuilt,
    /// The source changed since.
    SourceChanged,
    /// One of its imports changed since, or is not current itself.
    ImportChanged,
}

impl StaleReason {
    /// The wire form.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::NotBuilt => "notBuilt",
            Self::SourceChanged => "sourceChanged",
            Self::ImportChanged => "importChanged",
        }
    }
}

/// Remembers what the sources of a project import, as long as they do not change.
#[derive(Debug, Default)]
pub(crate) struct ImportGraph {
    // Held for single look-ups only. Used on threads for blocking work.
    sources: Mutex<HashMap<PathBuf, Arc<Source>>>,
}

#[derive(Debug)]
struct Source {
    stamp: String,
    /// False when it was read so soon after a change that its stamp may not show the next one.
    settled: bool,
    hash: u64,
    imports: Vec<String>,
}

impl ImportGraph {
    /// The chain of a text whose file is `path`. Touches the file system.
    pub(crate) fn chain(&self, root: &Path, layout: Layout, path: &Path, text: &str) -> Chain {
        let mut walk = Walk {
            graph: self,
            root,
            layout,
            done: HashMap::new(),
            trail: Vec::new(),
            chain: Chain::default(),
        };
        walk.trail.extend(module_of_path(root, path));
        let direct = imports_of(text);
        for module in &direct {
            walk.visit(module);
        }
        walk.chain.direct = direct
            .into_iter()
            .filter(|module| walk.done.contains_key(module))
            .collect();
        walk.chain.signature = walk.signature();
        walk.chain
    }

    fn source(&self, path: &Path) -> Option<Arc<Source>> {
        let stamp = stamp_of(path)?;
        let known = self
            .sources
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(path)
            .cloned();
        if let Some(known) = known.filter(|known| known.settled && known.stamp == stamp) {
            return Some(known);
        }
        let settled = is_settled(path);
        let bytes = fs::read(path).ok()?;
        let hash = xxhash_rust::xxh3::xxh3_64(&bytes);
        let source = Arc::new(Source {
            stamp,
            settled,
            hash,
            imports: imports_of(&String::from_utf8_lossy(&bytes)),
        });
        self.sources
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(path.to_owned(), Arc::clone(&source));
        Some(source)
    }
}

/// One walk over a chain.
struct Walk<'a> {
    graph: &'a ImportGraph,
    root: &'a Path,
    layout: Layout,
    /// Modules that were visited, with what importers would load of them.
    done: HashMap<String, Loaded>,
    /// From the file to the module under way, for finding cycles.
    trail: Vec<String>,
    chain: Chain,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Loaded {
    source_hash: u64,
    olean: Option<String>,
    stale: bool,
}

impl Walk<'_> {
    /// Visits a module after everything that it imports. Modules without a source below the root are not ours.
    fn visit(&mut self, module: &str) {
        if self.done.contains_key(module) || self.done.len() >= MOST_MODULES {
            return;
        }
        if let Some(start) = self.trail.iter().position(|name| name == module) {
            let cycle = self.trail[start..]
                .iter()
                .cloned()
                .chain([module.to_owned()])
                .collect();
            self.chain.cycle.get_or_insert(cycle);
            return;
        }
        let relative = format!("{}.lean", module.replace('.', "/"));
        let Some(source) = self.graph.source(&self.root.join(&relative)) else {
            return;
        };
        self.trail.push(module.to_owned());
        for import in &source.imports {
            self.visit(import);
        }
        self.trail.pop();
        let artifacts = ArtifactPaths::of(self.root, module);
        let olean = stamp_of(&artifacts.olean);
        let stale = if self.layout == Layout::Plain {
            self.staleness(&source, &relative, &artifacts, olean.as_deref())
        } else {
            None
        };
        self.done.insert(
            module.to_owned(),
            Loaded {
                source_hash: source.hash,
                olean,
                stale: stale.is_some(),
            },
        );
        self.chain.modules.push(ChainModule {
            name: module.to_owned(),
            path: relative,
            stale,
        });
    }

    fn staleness(
        &self,
        source: &Source,
        relative: &str,
        artifacts: &ArtifactPaths,
        olean: Option<&str>,
    ) -> Option<StaleReason> {
        let Some(olean) = olean else {
            return Some(StaleReason::NotBuilt);
        };
        let imports = source
            .imports
            .iter()
            .filter_map(|import| Some((import, self.done.get(import)?)));
        match SaveTrace::read(&artifacts.trace).filter(|trace| trace.olean == olean) {
            Some(trace) => {
                let changed = |(import, loaded): (&String, &Loaded)| {
                    loaded.stale || trace.imports.get(import) != loaded.olean.as_ref()
                };
                if trace.source_hash != format!("{:016x}", source.hash) {
                    return Some(StaleReason::SourceChanged);
                }
                imports
                    .into_iter()
                    .any(changed)
                    .then_some(StaleReason::ImportChanged)
            }
            // Made by hand: only times tell.
            None => {
                let built = modified(&artifacts.olean);
                if modified(&self.root.join(relative)) > built {
                    return Some(StaleReason::SourceChanged);
                }
                let changed = |(import, loaded): (&String, &Loaded)| {
                    loaded.stale || modified(&ArtifactPaths::of(self.root, import).olean) > built
                };
                imports
                    .into_iter()
                    .any(changed)
                    .then_some(StaleReason::ImportChanged)
            }
        }
    }

    fn signature(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for module in &self.chain.modules {
            module.name.hash(&mut hasher);
            self.done.get(&module.name).hash(&mut hasher);
        }
        hasher.finish()
    }
}

fn modified(path: &Path) -> Option<std::time::SystemTime> {
    fs::metadata(path)
        .and_then(|metadata| metadata.modified())
        .ok()
}

impl Chain {
    /// The modules that have to be saved, in order.
    pub(crate) fn stale(&self) -> impl Iterator<Item = &ChainModule> {
        self.modules.iter().filter(|module| module.stale.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct World {
        _directory: tempfile::TempDir,
        root: PathBuf,
        graph: ImportGraph,
    }

    impl World {
        fn new(files: &[(&str, &str)]) -> Self {
            let directory = tempfile::tempdir().unwrap();
            let world = Self {
                root: directory.path().canonicalize().unwrap(),
                _directory: directory,
                graph: ImportGraph::default(),
            };
            files
                .iter()
                .for_each(|(path, text)| world.write(path, text));
            world
        }

        fn write(&self, path: &str, text: &str) {
            let path = self.root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            // Another inode each time, so that the stamp differs however coarse the clock is.
            let fresh = path.with_extension("new");
            fs::write(&fresh, text).unwrap();
            fs::rename(fresh, path).unwrap();
        }

        fn chain(&self, path: &str) -> Chain {
            let text = fs::read_to_string(self.root.join(path)).unwrap();
            self.graph
                .chain(&self.root, Layout::Plain, &self.root.join(path), &text)
        }

        /// What a save does, with the source standing in for the artifact.
        fn save(&self, module: &str) {
            let path = format!("{}.lean", module.replace('.', "/"));
            let text = fs::read(self.root.join(&path)).unwrap();
            let artifacts = ArtifactPaths::of(&self.root, module);
            self.write(
                artifacts
                    .olean
                    .strip_prefix(&self.root)
                    .unwrap()
                    .to_str()
                    .unwrap(),
                &String::from_utf8_lossy(&text),
            );
            let imports = imports_of(&String::from_utf8_lossy(&text))
                .into_iter()
                .filter_map(|import| {
                    Some((
                        import.clone(),
                        stamp_of(&ArtifactPaths::of(&self.root, &import).olean)?,
                    ))
                })
                .collect();
            let trace = SaveTrace {
                source_hash: format!("{:016x}", xxhash_rust::xxh3::xxh3_64(&text)),
                olean: stamp_of(&artifacts.olean).unwrap(),
                imports,
            };
            fs::write(&artifacts.trace, serde_json::to_vec(&trace).unwrap()).unwrap();
        }

        fn stale(&self, path: &str) -> Vec<(String, StaleReason)> {
            self.chain(path)
                .stale()
                .map(|module| (module.name.clone(), module.stale.unwrap()))
                .collect()
        }
    }

    fn three() -> World {
        World::new(&[
            ("A.lean", "import B\nimport Elsewhere"),
            ("B.lean", "import Sub.C"),
            ("Sub/C.lean", "def c := 1"),
        ])
    }

    #[test]
    fn modules_come_after_what_they_import_and_strangers_are_left_out() {
        let chain = three().chain("A.lean");
        assert_eq!(
            chain
                .modules
                .iter()
                .map(|module| module.name.as_str())
                .collect::<Vec<_>>(),
            ["Sub.C", "B"]
        );
        assert_eq!(chain.direct, ["B"]);
    }

    #[test]
    fn the_plan_followed_in_order_ends_current_after_any_change() {
        let world = three();
        assert_eq!(
            world.stale("A.lean"),
            [
                ("Sub.C".to_owned(), StaleReason::NotBuilt),
                ("B".to_owned(), StaleReason::NotBuilt)
            ]
        );
        for edited in ["none", "Sub/C.lean", "B.lean", "Sub/C.lean"] {
            if edited != "none" {
                let text = fs::read_to_string(world.root.join(edited)).unwrap();
                world.write(edited, &format!("{text}\n-- more"));
                assert!(
                    !world.stale("A.lean").is_empty(),
                    "after an edit of {edited}"
                );
            }
            for (module, _) in world.stale("A.lean") {
                world.save(&module);
            }
            assert!(
                world.stale("A.lean").is_empty(),
                "after the plan for {edited}"
            );
        }
    }

    #[test]
    fn an_import_that_was_saved_alone_leaves_its_importer_stale() {
        let world = three();
        world.save("Sub.C");
        world.save("B");
        let before = world.chain("A.lean").signature;
        world.write("Sub/C.lean", "def c := 2");
        world.save("Sub.C");
        assert_eq!(
            world.stale("A.lean"),
            [("B".to_owned(), StaleReason::ImportChanged)]
        );
        assert_ne!(world.chain("A.lean").signature, before);
    }

    #[test]
    fn an_edit_in_place_within_one_tick_of_the_clock_is_seen() {
        let world = three();
        let path = world.root.join("Sub/C.lean");
        let before = world.chain("A.lean").signature;
        let time = fs::metadata(&path).unwrap().modified().unwrap();
        fs::write(&path, "def c := 2").unwrap();
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(time).unwrap();
        assert_ne!(world.chain("A.lean").signature, before);
    }

    #[test]
    fn a_cycle_is_named_and_ends_the_walk() {
        let world = World::new(&[
            ("A.lean", "import B"),
            ("B.lean", "import C"),
            ("C.lean", "import B"),
        ]);
        assert_eq!(world.chain("A.lean").cycle.unwrap(), ["B", "C", "B"]);
        let own = World::new(&[("A.lean", "import B"), ("B.lean", "import A")]);
        assert_eq!(own.chain("A.lean").cycle.unwrap(), ["A", "B", "A"]);
    }
}
