//! Whatever happens to a file, Lean has its text, edit by edit, as it is on disk.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use lean_beam_tests::{
    fake::{Scenario, scenario::Shape},
    must::Must,
    raw_lean::RawLean,
    world::{Beam, Project},
};
use proptest::{
    collection::vec,
    prelude::*,
    sample::select,
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use serde_json::json;

/// What texts are made of: every kind of line end, and characters of every width.
const PIECES: [&str; 14] = [
    "\n", "\r\n", "\r", "\n", " ", "a", "é", "∀", "😀", "\u{2028}", "\u{feff}", "\t", "ERROR: x",
    "word",
];

/// A change of a text: how far in and how long, in thousandths of its length, and what comes instead.
#[derive(Debug, Clone)]
struct Splice {
    start: usize,
    length: usize,
    new: String,
}

fn piece_text(count: usize) -> impl Strategy<Value = String> {
    vec(select(&PIECES[..]), 0..count).prop_map(|pieces| pieces.concat())
}

fn splice() -> impl Strategy<Value = Splice> {
    (0..=1000_usize, 0..=300_usize, piece_text(6)).prop_map(|(start, length, new)| Splice {
        start,
        length,
        new,
    })
}

impl Splice {
    fn apply(&self, text: &str) -> String {
        let characters: Vec<char> = text.chars().collect();
        let start = characters.len() * self.start / 1000;
        let end = (start + characters.len() * self.length / 1000).min(characters.len());
        let before: String = characters[..start].iter().collect();
        let after: String = characters[end..].iter().collect();
        before + &self.new + &after
    }
}

/// The same values in each run.
fn values<T: std::fmt::Debug>(strategy: impl Strategy<Value = T>, count: usize) -> Vec<T> {
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    (0..count)
        .map(|_| {
            strategy
                .new_tree(&mut runner)
                .must("make a value")
                .current()
        })
        .collect()
}

#[tokio::test]
async fn after_any_edit_lean_has_the_text_on_disk() {
    for incremental_sync in [true, false] {
        let scenario = Scenario {
            shape: Shape {
                incremental_sync,
                ..Shape::default()
            },
            ..Scenario::default()
        };
        let beam = Beam::fake(scenario);
        let project = beam.project();
        let mut text = "word\nERROR: x\r\nlast".to_owned();
        for splice in values(splice(), 200) {
            text = splice.apply(&text);
            project.write("A.lean", &text);
            let result = project.sync("A.lean").await.must("sync an odd text");
            let (version, at_lean) = beam.record().texts("A.lean").pop().must("find the text");
            assert_eq!(at_lean, text, "after {splice:?}");
            assert_eq!(u64::try_from(version).ok(), Some(result.version));
        }
        assert_eq!(beam.record().violations(), Vec::<String>::new());
    }
}

/// Pieces that mean something to real Lean.
const LEAN_PIECES: [&str; 12] = [
    "\n",
    "\r\n",
    "\r",
    "\n\n",
    "#check nope\n",
    "#check Nat\r\n",
    "example : 1 = 1 := rfl\n",
    "/- 😀 -/ ",
    "-- é\n",
    "theorem x : 1 = 2 := by\n  skip\n",
    "  ",
    "/-",
];

#[tokio::test]
async fn edits_of_odd_texts_are_judged_as_if_lean_had_read_the_whole_text() {
    let beam = Beam::real();
    let project = beam.project();
    let mut raw = RawLean::start_real(project.root()).await;
    let path = project.write("A.lean", "");
    raw.open(&path, "");
    let splices = (
        0..=1000_usize,
        0..=300_usize,
        vec(select(&LEAN_PIECES[..]), 0..4),
    )
        .prop_map(|(start, length, new)| Splice {
            start,
            length,
            new: new.concat(),
        });
    let mut text = String::new();
    for splice in values(splices, 60) {
        text = splice.apply(&text);
        project.write("A.lean", &text);
        raw.change(&path, &json!([{"text": text}]));
        let wanted: Vec<_> = raw
            .verdict(&path)
            .await
            .iter()
            .map(|one| one["message"].as_str().must("read a message").to_owned())
            .collect();
        assert_eq!(
            messages(&project).await,
            wanted,
            "of {text:?} after {splice:?}"
        );
    }
}

async fn messages(project: &Project) -> Vec<String> {
    let result = project.sync("A.lean").await.must("sync an odd text");
    let items = result.diagnostics.items.must("get the items");
    items.into_iter().map(|item| item.message).collect()
}
