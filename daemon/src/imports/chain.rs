//! The project's own modules that a file imports, directly and transitively.

use std::{
    collections::HashMap,
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{
    artifact::{ArtifactPaths, SaveTrace, is_settled, stamp_of},
    header::imports_of,
    sources::SourceRoots,
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

/// Remembers where the sources of a project are and what they import, as long as they do not change.
#[derive(Debug, Default)]
pub(crate) struct ImportGraph {
    // Held for single look-ups only. Used on threads for blocking work.
    sources: Mutex<HashMap<PathBuf, Arc<Source>>>,
    roots: Mutex<Option<KnownRoots>>,
}

#[derive(Debug, Clone)]
struct KnownRoots {
    /// Stamps of the lakefiles that they were read from.
    stamps: [Option<String>; 2],
    roots: Arc<SourceRoots>,
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
        let roots = self.source_roots(root);
        let mut walk = Walk {
            graph: self,
            root,
            roots: &roots,
            layout,
            done: HashMap::new(),
            trail: Vec::new(),
            chain: Chain::default(),
        };
        walk.trail.extend(roots.modules_of(path).into_iter().next());
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

    /// Where the sources of the project are. Touches the file system.
    pub(crate) fn source_roots(&self, root: &Path) -> Arc<SourceRoots> {
        let lakefiles = ["lakefile.lean", "lakefile.toml"].map(|name| root.join(name));
        let stamps = [stamp_of(&lakefiles[0]), stamp_of(&lakefiles[1])];
        let known = self.lock_roots().clone();
        if let Some(known) = known.filter(|known| known.stamps == stamps) {
            return known.roots;
        }
        let settled = lakefiles.iter().all(|lakefile| is_settled(lakefile));
        let roots = Arc::new(SourceRoots::read(root));
        if settled {
            *self.lock_roots() = Some(KnownRoots {
                stamps,
                roots: Arc::clone(&roots),
            });
        }
        roots
    }

    fn lock_roots(&self) -> MutexGuard<'_, Option<KnownRoots>> {
        self.roots.lock().unwrap_or_else(PoisonError::into_inner)
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
    roots: &'a SourceRoots,
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
        let Some(relative) = self.roots.source_of(module) else {
            return;
        };
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
            path: relative.display().to_string(),
            stale,
        });
    }

    fn staleness(
        &self,
        source: &Source,
        relative: &Path,
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
mod tests;
