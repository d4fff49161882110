//! What a client without lean-beam would do for the same answers.

use std::{path::PathBuf, time::Instant};

use super::super::{
    raw::{RawLean, Reporting},
    served::Pair,
};

/// A plain client that runs texts in a copy of the file cut off at the place, in a Lean server of its own, as
/// a careful tool would: the text in brackets, something behind it to ask for the goals, one edit per text.
pub(super) struct PlainProber {
    lean: RawLean,
    path: PathBuf,
    kept: String,
    /// Line of the place.
    line: u32,
}

impl PlainProber {
    /// Starts its server. Its document opens with the first text.
    pub(super) fn start(pair: &Pair, kept: &str) -> Self {
        let root = pair.raw_project.root();
        let path = pair.raw_project.path("Copy.lean");
        let line = kept.matches('\n').count();
        Self {
            lean: RawLean::start(&pair.beam, root, Reporting::OURS),
            path,
            kept: kept.to_owned(),
            line: u32::try_from(line).unwrap_or(u32::MAX),
        }
    }

    /// Runs the last of `steps` behind the others: when verdict and goals were there.
    pub(super) fn run(&mut self, steps: &[String]) -> Instant {
        let mut text = self.kept.clone();
        for step in steps {
            text.push_str("(\n   ");
            text.push_str(step);
            text.push_str("\n  )\n  ");
        }
        text.push_str("skip\n");
        self.lean.put(&self.path, &text);
        let lines = u32::try_from(3 * steps.len()).unwrap_or(u32::MAX);
        self.lean.goals(&self.path, (self.line + lines, 3));
        self.lean.verdict(&self.path)
    }
}
