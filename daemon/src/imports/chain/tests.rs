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
