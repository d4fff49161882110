//! Running texts without editing the file: one at a time, many at once, and searching with handles.

mod candidates;
mod plain;
mod single;
mod tree;

use self::plain::PlainProber;
use super::{options::Options, served::Pair, table::Table};
use crate::probing::Prober;

pub(super) async fn measure(options: &Options) -> Vec<Table> {
    vec![
        single::measure(options).await,
        candidates::measure(options).await,
        tree::measure(options).await,
    ]
}

/// The file on both sides, with the place where texts run.
struct Bench {
    // Before the world in `pair`, whose end must find nothing running.
    plain: PlainProber,
    pair: Pair,
    prober: Prober,
}

impl Bench {
    /// Opens a file in both, read to its end by Lean on either side.
    async fn open(file: &ProbeFile) -> Self {
        let mut pair = Pair::start().await;
        let path = pair.raw_project.path(NAME);
        pair.raw.open(&path, &file.text());
        let plain = PlainProber::start(&pair, &file.kept());
        let prober = Prober::open(&pair.project, NAME, &file.text()).await;
        pair.wait_for_verdict(NAME).await;
        Self {
            pair,
            plain,
            prober,
        }
    }
}

const NAME: &str = "Probe.lean";
/// Theorems above the place.
const ABOVE: usize = 100;

/// A file with a theorem that texts run in, and so many theorems behind it.
struct ProbeFile {
    behind: usize,
}

impl ProbeFile {
    /// Everything up to the place.
    fn kept(&self) -> String {
        let above: String = (0..ABOVE)
            .map(|number| format!("theorem above_{number} : {number} = {number} := rfl\n"))
            .collect();
        format!("{above}theorem place (p q : Prop) (h : p ∧ q) : q ∧ p := by\n  ")
    }

    fn text(&self) -> String {
        let behind: String = (0..self.behind)
            .map(|number| format!("theorem behind_{number} (p q : Prop) (h : p ∧ q) : q ∧ p := by\n  exact ⟨h.right, h.left⟩\n"))
            .collect();
        format!("{}exact ⟨h.right, h.left⟩\n{behind}", self.kept())
    }

    /// Line and column of the place.
    fn place() -> (u32, u32) {
        (ABOVE as u32 + 1, 2)
    }
}
