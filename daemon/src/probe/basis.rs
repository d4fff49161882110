//! Where a text is put, and the proof that this is the right place.

use std::{sync::Arc, time::Duration};

use lean_beam_proto::{
    BeamResult,
    text::{Diagnostic, Position, Severity},
};

use super::{
    baseline::{BASELINE_LIMIT, Fit, NOTHING, run_baseline},
    completion::Completion,
    lane::RunReport,
    probes::{Probes, Target},
    refusal,
    splice::{
        Beginning, Insertion, Splice, command_candidates, command_start, completed,
        is_behind_command, is_blank, layout_candidates, splice_command, splice_tactic,
        tactic_candidates, tactics_near,
    },
    verdict::Noise,
};
use crate::{
    goals::{GoalState, goals_at},
    text::DocumentText,
};

/// How long a baseline may take inside `repeat`, where a text that succeeds is mostly run for ever.
const LOOP_LIMIT: Duration = Duration::from_secs(5);
/// Near a refused position, how many tactics are tried, and how many are named.
const NEAR_TRIED: usize = 4;
const NEAR_SHOWN: usize = 2;
/// A command that does nothing. It ends the command before it, so that Lean has that one done already when
/// the text comes; and behind a syntax error, where Lean skips everything up to the next command, it keeps a
/// text that is none from vanishing without a word.
const RESUME: &str = "/-! -/";
/// No grammar has a token that begins with this.
const NO_TOKEN: &str = "\u{1}";

/// A place that was found right.
#[derive(Debug)]
pub(crate) struct Basis {
    pub(crate) place: BasisPlace,
    /// The state at the place; `None` among commands.
    pub(crate) state: Option<GoalState>,
    pub(crate) noise: Noise,
    /// For texts that fail because of what is cut off behind them.
    pub(super) completion: Completion,
}

/// Where the text goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BasisPlace {
    /// Into a tactic block.
    Proof(Insertion),
    /// After a command.
    Commands {
        /// Byte offset of its end.
        offset: usize,
        /// Its syntax is wrong, so that Lean skips what comes behind it.
        skipping: bool,
    },
}

impl Basis {
    /// The probe document for `steps` at this place.
    pub(crate) fn splice(&self, text: &DocumentText, steps: &[&str]) -> Splice {
        match &self.place {
            BasisPlace::Proof(insertion) => splice_steps(text, insertion, steps),
            BasisPlace::Commands { offset, skipping } => {
                let mut placed = Vec::with_capacity(2 * steps.len());
                for (index, step) in steps.iter().enumerate() {
                    // What is no command may go on with the one before it, as a term or a constructor
                    // does; what was accepted before does not leave Lean skipping.
                    if (*skipping && index == 0) || Beginning::of(step).is_apart() {
                        placed.push(RESUME);
                    }
                    placed.push(step);
                }
                splice_command(text, *offset, &placed)
            }
        }
    }

    /// The place after the command that ends at `offset`; `skipping` as in [`BasisPlace::Commands`].
    pub(super) fn among_commands(offset: usize, skipping: bool, noise: Noise) -> Self {
        Self {
            place: BasisPlace::Commands { offset, skipping },
            state: None,
            noise,
            completion: Completion::default(),
        }
    }

    /// A place after all of the file, for asking about what the file declares, whatever is wrong in it.
    pub(crate) fn at_end_of(text: &DocumentText) -> Self {
        Self::among_commands(text.as_str().len(), true, Noise::everything())
    }

    /// What has to be elaborated before the next step begins: the file up to here and the steps so far.
    pub(crate) fn base(&self, text: &DocumentText, steps: &[&str]) -> Arc<DocumentText> {
        let splice = match &self.place {
            BasisPlace::Proof(_) if steps.is_empty() => self.splice(text, &[NOTHING]),
            _ => self.splice(text, steps),
        };
        Arc::new(DocumentText::new(splice.text.as_str()))
    }

    /// Byte offset of the end of what is kept of the file: what comes after does not matter.
    pub(crate) fn offset(&self) -> usize {
        match &self.place {
            BasisPlace::Proof(insertion) => insertion.offset,
            BasisPlace::Commands { offset, .. } => *offset,
        }
    }
}

/// The probe document for `steps` in a tactic block.
pub(super) fn splice_steps(text: &DocumentText, insertion: &Insertion, steps: &[&str]) -> Splice {
    // Nothing at all is no tactic; it is meant to change nothing.
    let steps: Vec<&str> = steps
        .iter()
        .map(|step| if is_blank(step) { NOTHING } else { step })
        .collect();
    splice_tactic(text, insertion, &steps)
}

/// Finds the place for a text at `position`: the tactic block whose state there is what Lean shows for the
/// user's own document, or the end of the command where there is no proof.
///
/// Lean shows the state at the end of a proof in the empty lines behind it, too. Who writes a command there
/// means a command.
///
/// # Errors
/// `invalidParams` inside comments and strings, and where no candidate fits; `contentModified` when the
/// document changes meanwhile; else what kept Lean from answering.
pub(super) async fn find_basis(
    probes: &Probes,
    target: &Target<'_>,
    position: Position,
    beginning: Beginning,
) -> BeamResult<Basis> {
    refusal::refuse_comments(target, position)?;
    let shown = goals_at(target.session, target.uri, target.text.to_lean(position)).await;
    match shown.map_err(|error| refusal::target_error(target, error))? {
        Some(shown) if !means_a_command(target, position, beginning, &shown) => {
            proof_basis(probes, target, position, &shown).await
        }
        _ => command_basis(probes, target, position).await,
    }
}

fn means_a_command(
    target: &Target<'_>,
    position: Position,
    beginning: Beginning,
    shown: &GoalState,
) -> bool {
    let is_possible = match beginning {
        Beginning::Command | Beginning::NoTactic => true,
        Beginning::Hash => shown.goals.is_empty(),
        Beginning::Unsure => false,
    };
    is_possible && is_behind_command(target.text, position)
}

async fn proof_basis(
    probes: &Probes,
    target: &Target<'_>,
    position: Position,
    shown: &GoalState,
) -> BeamResult<Basis> {
    let candidates = tactic_candidates(target.text, position);
    let limit = if candidates.in_loop {
        LOOP_LIMIT
    } else {
        BASELINE_LIMIT
    };
    let mut search = Search {
        probes,
        target,
        limit,
        shown,
        unreached: None,
    };
    if let Some(basis) = search.first_fit(&candidates.insertions).await? {
        return Ok(basis);
    }
    // A term that is cut off may not be elaborated at all.
    let mut completions: Vec<Insertion> = Vec::new();
    for insertion in &candidates.insertions {
        let complete = completed(target.text, insertion).map(|complete| complete.insertion);
        let is_new =
            |one: &Insertion| !completions.contains(one) && !candidates.insertions.contains(one);
        completions.extend(complete.filter(is_new));
    }
    if let Some(basis) = search.first_fit(&completions).await? {
        return Ok(basis);
    }
    // Of tactics that are not known, nothing is known but their lines; they may run anything again and again.
    search.limit = LOOP_LIMIT;
    let by_layout = layout_candidates(target.text, position);
    if let Some(basis) = search.first_fit(&by_layout).await? {
        return Ok(basis);
    }
    Err(match search.unreached {
        Some(error) => refusal::unreached(target, position, &error),
        None => {
            let near = usable_near(probes, target, position).await;
            refusal::no_place(target.text, position, &near)
        }
    })
}

/// Starts of tactics around a refused position where texts can be run.
async fn usable_near(probes: &Probes, target: &Target<'_>, position: Position) -> Vec<Position> {
    let mut usable = Vec::new();
    for near in tactics_near(target.text, position, NEAR_TRIED) {
        let shown = goals_at(target.session, target.uri, target.text.to_lean(near)).await;
        let Ok(Some(shown)) = shown else { continue };
        let mut search = Search {
            probes,
            target,
            limit: LOOP_LIMIT,
            shown: &shown,
            unreached: None,
        };
        let insertions = tactic_candidates(target.text, near).insertions;
        if let Ok(Some(_)) = search.first_fit(&insertions).await {
            usable.push(near);
        }
        if usable.len() == NEAR_SHOWN {
            break;
        }
    }
    usable
}

/// The search for the place that shows what Lean shows.
struct Search<'a> {
    probes: &'a Probes,
    target: &'a Target<'a>,
    limit: Duration,
    shown: &'a GoalState,
    /// What keeps Lean from getting to a place that would have fitted.
    unreached: Option<Diagnostic>,
}

impl Search<'_> {
    async fn first_fit(&mut self, insertions: &[Insertion]) -> BeamResult<Option<Basis>> {
        for insertion in insertions {
            if let Some(basis) = self.try_place(insertion).await? {
                return Ok(Some(basis));
            }
        }
        Ok(None)
    }

    /// The basis at `insertion`, if its state is the one that Lean shows.
    async fn try_place(&mut self, insertion: &Insertion) -> BeamResult<Option<Basis>> {
        let text = self.target.text;
        let splice = splice_tactic(text, insertion, &[NOTHING]);
        let report = run(self.probes, self.target, &splice, self.limit).await?;
        let fit = Fit::of(&report, &splice, &self.shown.rendered);
        tracing::debug!(
            ?insertion,
            ?fit,
            found = report.state.as_ref().map(|state| state.rendered.as_str()),
            wanted = self.shown.rendered,
            "a place was tried"
        );
        match fit {
            Fit::Yes => Ok(Some(Basis {
                place: BasisPlace::Proof(insertion.clone()),
                noise: Noise::of_baseline(&report, &splice),
                state: report.state,
                completion: Completion::of(text, insertion),
            })),
            Fit::Unreached(error) => {
                let start = command_start(text, insertion.offset);
                let is_of_command = |error: &Diagnostic| error.range.start >= start;
                self.unreached = self.unreached.take().or(error.filter(is_of_command));
                Ok(None)
            }
            Fit::No => Ok(None),
        }
    }
}

async fn command_basis(
    probes: &Probes,
    target: &Target<'_>,
    position: Position,
) -> BeamResult<Basis> {
    for offset in command_candidates(target.text, position) {
        let splice = splice_command(target.text, offset, &[]);
        let report = run(probes, target, &splice, BASELINE_LIMIT).await?;
        if report.header_failed {
            return Err(refusal::header_failed(target));
        }
        if !is_cut_off(&report, target, offset) {
            let noise = Noise::of_baseline(&report, &splice);
            let skipping = has_errors(&report) && is_skipping(probes, target, offset).await?;
            return Ok(Basis::among_commands(offset, skipping, noise));
        }
    }
    Err(refusal::no_place(target.text, position, &[]))
}

/// True when the file was cut in the middle of a command: Lean then misses something at the very end.
fn is_cut_off(report: &RunReport, target: &Target<'_>, offset: usize) -> bool {
    let end = target.text.position(offset);
    let at_end = |position: Position| position.line >= end.line;
    report.diagnostics.iter().any(|diagnostic| {
        diagnostic.severity == Severity::Error
            && at_end(diagnostic.range.start)
            && diagnostic.message.contains("unexpected end of input")
    })
}

fn has_errors(report: &RunReport) -> bool {
    let is_error = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
    report.diagnostics.iter().any(is_error)
}

/// True where Lean says nothing about what cannot be read: it skips all of that up to the next command.
async fn is_skipping(probes: &Probes, target: &Target<'_>, offset: usize) -> BeamResult<bool> {
    let splice = splice_command(target.text, offset, &[NO_TOKEN]);
    let report = run(probes, target, &splice, BASELINE_LIMIT).await?;
    let mut errors = report
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error);
    Ok(!errors.any(|error| splice.in_last_step(error.range.start)))
}

async fn run(
    probes: &Probes,
    target: &Target<'_>,
    splice: &Splice,
    limit: Duration,
) -> BeamResult<RunReport> {
    let report = run_baseline(probes, target.uri, target.display, splice, limit).await?;
    report.ok_or_else(|| refusal::endless(target, limit))
}
