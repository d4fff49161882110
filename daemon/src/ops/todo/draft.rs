//! An item before Lean was asked what is to be proved there.

use lean_beam_proto::{
    op::{ProofState, TodoItem, TodoKind},
    text::{Diagnostic, Position, Range, Severity},
};

use super::super::tactic_state::first_shown;
use super::actions::Offer;
use crate::{
    goals::{Spot, goals_at, target_at, term_goal_at},
    session::SessionError,
    workspace::DocumentAt,
};

/// A tactic that looks for a proof of the main goal.
const SEARCH: &str = "exact?";

/// One thing that is left to do.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) kind: TodoKind,
    pub(super) range: Range,
    pub(super) diagnostic: Option<Diagnostic>,
    pub(super) place: Place,
    pub(super) offer: Option<Offer>,
}

/// Where something can be tried, and what is to be shown of it.
#[derive(Debug)]
pub(super) enum Place {
    /// Before the tactic at this byte offset, which is what is to be replaced.
    Tactic(usize),
    /// For the term at this byte offset; the tactic around it, if any, is where a text can be run.
    Term {
        /// Where the term starts.
        term: usize,
        /// Where a tactic can be put before the one that holds it.
        tactic: Option<usize>,
    },
    /// Behind the last tactic of a block.
    End(Vec<Spot>),
    /// Among commands.
    Command(Position),
}

impl Place {
    /// The place for what stands at a byte offset: a tactic, a part of one, or something outside of proofs.
    pub(super) fn at(document: &DocumentAt, bytes: std::ops::Range<usize>) -> Self {
        let target = target_at(document.text.as_str(), bytes.start);
        match target {
            Some(target) if target.basis.start == bytes.start && !target.is_block => {
                Self::Tactic(target.run_at)
            }
            target => Self::Term {
                term: bytes.start,
                tactic: target.map(|target| target.run_at),
            },
        }
    }
}

impl Draft {
    /// In the order of the file; what is more exact first where the start is the same.
    pub(super) fn order(&self) -> (Position, Position, TodoKind) {
        (self.range.start, self.range.end, self.kind)
    }

    /// Asks Lean for the state. `suggest`: with a text that is worth a try.
    pub(super) async fn into_item(
        self,
        document: &DocumentAt,
        suggest: bool,
    ) -> Result<(TodoItem, Option<Offer>), SessionError> {
        let wants_state = self.kind != TodoKind::Diagnostic
            || self
                .diagnostic
                .as_ref()
                .is_some_and(|diagnostic| diagnostic.severity == Severity::Error);
        let (run_at_position, proof_state) = if wants_state {
            self.place.state(document).await?
        } else {
            (self.place.position(document), None)
        };
        let is_open = proof_state
            .as_ref()
            .is_some_and(|state| !state.goals.is_empty());
        let run_at_text = suggest
            .then(|| self.suggestion(document, run_at_position, is_open))
            .flatten();
        let shows = self.kind == TodoKind::Diagnostic;
        let item = TodoItem {
            kind: self.kind,
            range: self.range,
            run_at_position,
            run_at_text,
            message: self
                .diagnostic
                .as_ref()
                .map(|diagnostic| diagnostic.message.clone()),
            severity: self
                .diagnostic
                .as_ref()
                .map(|diagnostic| diagnostic.severity),
            diagnostic: self.diagnostic.filter(|_| shows),
            code_action: None,
            proof_state,
        };
        Ok((item, self.offer))
    }

    fn suggestion(&self, document: &DocumentAt, run_at: Position, is_open: bool) -> Option<String> {
        match (&self.kind, &self.place, &self.offer) {
            (TodoKind::CodeAction, Place::Tactic(_), Some(offer)) => {
                offer.replacement_at(document, run_at)
            }
            (TodoKind::Sorry, Place::Tactic(_), _) | (TodoKind::IncompleteProof, _, _) => {
                is_open.then(|| SEARCH.to_owned())
            }
            (
                TodoKind::Hole,
                Place::Term {
                    tactic: Some(_), ..
                },
                _,
            ) => Some(SEARCH.to_owned()),
            _ => None,
        }
    }
}

impl Place {
    fn position(&self, document: &DocumentAt) -> Position {
        let at = |offset: usize| document.text.position(offset);
        match self {
            Self::Tactic(offset) => at(*offset),
            Self::Term { term, tactic } => at(tactic.unwrap_or(*term)),
            Self::End(spots) => spots
                .first()
                .map_or(Position::new(0, 0), |spot| at(spot.offset)),
            Self::Command(position) => *position,
        }
    }

    async fn state(
        &self,
        document: &DocumentAt,
    ) -> Result<(Position, Option<ProofState>), SessionError> {
        let uri = &document.path.uri;
        let lean = |position| document.text.to_lean(position);
        let position = self.position(document);
        let state = match self {
            Self::Tactic(_) => goals_at(&document.session, uri, lean(position))
                .await?
                .map(ProofState::from),
            Self::Term { term, .. } => {
                let term = lean(document.text.position(*term));
                let goal = term_goal_at(&document.session, uri, term).await?;
                goal.map(|found| ProofState::of_goals(vec![found.goal], found.rendered))
            }
            Self::End(spots) => match first_shown(document, spots).await? {
                Some((offset, state)) => {
                    return Ok((document.text.position(offset), Some(state.into())));
                }
                None => None,
            },
            Self::Command(_) => None,
        };
        Ok((position, state))
    }
}
