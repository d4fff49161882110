//! A second look at a text that failed, where what is cut off behind it may be the reason.
//!
//! Behind a text the file is cut off, so that a run costs what the text costs. A proof inside a term loses the
//! rest of the term by that. Mostly Lean does not mind; but where the rest decides what the term proves, Lean
//! complains about the term as soon as the text works, or keeps back what it would say about the text. And names
//! that are declared behind a proof, in `where` or later in `mutual`, are not there without it.

use std::sync::atomic::{AtomicBool, Ordering};

use lean_beam_proto::{BeamError, op::TryStatus};
use tokio::sync::OnceCell;

use super::{
    baseline::{BASELINE_LIMIT, Fit, NOTHING, run_baseline},
    basis::splice_steps,
    probes::{Probes, TextRun},
    splice::{Completed, Insertion, completed},
    verdict::{Noise, Verdict},
};
use crate::text::DocumentText;

/// The place of a basis with what is behind its proof, for texts that need it.
#[derive(Debug, Default)]
pub(crate) struct Completion {
    candidate: Option<Completed>,
    /// Checked when it is first needed; `None` where there is none that fits.
    found: OnceCell<Option<Complete>>,
    /// A text needed it: so will others.
    is_preferred: AtomicBool,
}

/// A place with what is behind its proof.
#[derive(Debug)]
pub(super) struct Complete {
    pub(super) insertion: Insertion,
    pub(super) noise: Noise,
}

impl Completion {
    /// For a text at `insertion`.
    pub(super) fn of(text: &DocumentText, insertion: &Insertion) -> Self {
        Self {
            candidate: completed(text, insertion),
            ..Self::default()
        }
    }

    /// True if `verdict` may be due to what is cut off.
    pub(super) fn may_change(&self, verdict: &Verdict) -> bool {
        let declares = |complete: &Completed| complete.declares;
        verdict.status == TryStatus::Failed
            && (verdict.is_unexplained || self.candidate.as_ref().is_some_and(declares))
    }

    /// What texts are to be run with from the start.
    pub(super) fn preferred(&self) -> Option<&Complete> {
        self.found
            .get()?
            .as_ref()
            .filter(|_| self.is_preferred.load(Ordering::Relaxed))
    }

    /// It made a difference.
    pub(super) fn prefer(&self) {
        self.is_preferred.store(true, Ordering::Relaxed);
    }

    /// The place with what is behind its proof, where there is something and the state is the same with it.
    ///
    /// # Errors
    /// Why that is still not known; the next call asks again.
    pub(super) async fn find(
        &self,
        probes: &Probes,
        run: &TextRun<'_>,
    ) -> Result<Option<&Complete>, Unchecked> {
        let found = self.found.get_or_try_init(|| self.check(probes, run));
        Ok(found.await?.as_ref())
    }

    async fn check(
        &self,
        probes: &Probes,
        run: &TextRun<'_>,
    ) -> Result<Option<Complete>, Unchecked> {
        let (Some(candidate), Some(state)) = (&self.candidate, &run.basis.state) else {
            return Ok(None);
        };
        let insertion = candidate.insertion.clone();
        let splice = splice_steps(run.text, &insertion, &[NOTHING]);
        let limit = run
            .limit
            .map_or(BASELINE_LIMIT, |limit| limit.min(BASELINE_LIMIT));
        let report = run_baseline(probes, run.uri, run.display, &splice, limit)
            .await
            .map_err(Unchecked::Failed)?
            .ok_or(Unchecked::Late)?;
        let fits = Fit::of(&report, &splice, &state.rendered).is_yes();
        tracing::debug!(?insertion, fits, "a place was completed");
        Ok(fits.then(|| Complete {
            noise: Noise::of_baseline(&report, &splice),
            insertion,
        }))
    }
}

/// Why it is still not known whether there is a place that fits.
#[derive(Debug)]
pub(super) enum Unchecked {
    /// There was not the time for it.
    Late,
    Failed(BeamError),
}
