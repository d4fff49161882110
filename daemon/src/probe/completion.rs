//! A second look at a text that failed without an error of its own.
//!
//! Behind a text the file is cut off, so that a run costs what the text costs. A proof inside a term loses the
//! rest of the term by that. Mostly Lean does not mind; but where the rest decides what the term proves, Lean
//! complains about the term as soon as the text works, or keeps back what it would say about the text.

use std::sync::atomic::{AtomicBool, Ordering};

use lean_beam_proto::BeamResult;
use tokio::sync::OnceCell;

use super::{
    baseline::{BASELINE_LIMIT, NOTHING, run_baseline, shows},
    basis::{BasisPlace, splice_steps},
    probes::{Probes, TextRun},
    splice::{Insertion, completed},
    verdict::Noise,
};

/// The place of a basis with the rest of its term, for texts that need it.
#[derive(Debug, Default)]
pub(crate) struct Completion {
    /// Found when it is first needed; `None` where there is none.
    found: OnceCell<Option<Complete>>,
    /// A text needed it: so will others.
    is_preferred: AtomicBool,
}

/// A place with the rest of its term.
#[derive(Debug)]
pub(super) struct Complete {
    pub(super) insertion: Insertion,
    pub(super) noise: Noise,
}

impl Completion {
    /// What texts are to be run with from the start.
    pub(super) fn preferred(&self) -> Option<&Complete> {
        self.found
            .get()?
            .as_ref()
            .filter(|_| self.is_preferred.load(Ordering::Relaxed))
    }

    /// It explained what could not be explained without it.
    pub(super) fn prefer(&self) {
        self.is_preferred.store(true, Ordering::Relaxed);
    }

    /// The place with the rest of its term, where there is a rest and the state is the same with it.
    ///
    /// # Errors
    /// What kept Lean from answering; the next call asks again.
    pub(super) async fn find(
        &self,
        probes: &Probes,
        run: &TextRun<'_>,
    ) -> BeamResult<Option<&Complete>> {
        let found = self.found.get_or_try_init(|| look_for(probes, run)).await?;
        Ok(found.as_ref())
    }
}

async fn look_for(probes: &Probes, run: &TextRun<'_>) -> BeamResult<Option<Complete>> {
    let (BasisPlace::Proof(insertion), Some(state)) = (&run.basis.place, &run.basis.state) else {
        return Ok(None);
    };
    let Some(insertion) = completed(run.text, insertion) else {
        return Ok(None);
    };
    let splice = splice_steps(run.text, &insertion, &[NOTHING]);
    let report = run_baseline(probes, run.uri, run.display, &splice, BASELINE_LIMIT).await?;
    let report = report.filter(|report| shows(report, &splice, &state.rendered));
    tracing::debug!(?insertion, fits = report.is_some(), "a place was completed");
    Ok(report.map(|report| Complete {
        noise: Noise::of_baseline(&report, &splice),
        insertion,
    }))
}
