//! What can be open while a command is read.

use super::{steps::Rules, words::Head};

/// Something that is open.
#[derive(Debug)]
pub(super) enum Frame {
    /// A sequence of tactics; `tactic` is the one that is being read.
    Block {
        block: usize,
        column: usize,
        tactic: Option<Tactic>,
    },
    /// `by`, under its block.
    Proof { node: usize },
    /// An opening bracket; `tactics` if it holds a block rather than terms.
    Bracket(Bracket),
    /// Alternatives after `match … with` and its like.
    Arms(Arms),
    /// `if`, until its `else`.
    If { tactics: bool },
    /// `fun`, `∀` and their like, until their arrow or comma.
    Binder,
}

/// An opening bracket.
#[derive(Debug)]
pub(super) struct Bracket {
    pub(super) close: &'static str,
    /// True if it holds a block rather than terms.
    pub(super) tactics: bool,
    /// Set in the list of a `rw`.
    pub(super) rules: Option<Rules>,
}

/// Alternatives, each after a `|`.
#[derive(Debug)]
pub(super) struct Arms {
    /// Column of the first `|`.
    pub(super) column: Option<usize>,
    /// What stands in an alternative.
    pub(super) body: Body,
    /// False until `with`.
    pub(super) open: bool,
    /// True until the `=>` of the present alternative has come.
    pub(super) waiting: bool,
    /// The present alternative, if it is followed by a block.
    pub(super) arm: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    Terms,
    /// A block after `=>`.
    Tactics,
    /// A block after `|`.
    Choices,
}

/// The tactic that is being read.
#[derive(Debug)]
pub(super) struct Tactic {
    pub(super) whole: usize,
    /// One side of `<;>`; `None` right after that.
    pub(super) part: Option<usize>,
    /// A node over the whole tactic that shows the goal that it works on alone.
    pub(super) focus: Option<usize>,
    /// The argument that is being read, and the rule or argument before it.
    pub(super) step: Option<usize>,
    pub(super) head: Head,
    /// Whether `=>`, `:`, `:=`, `with` have come at its own level.
    pub(super) arrow: bool,
    pub(super) colon: bool,
    pub(super) assigned: bool,
    pub(super) with: bool,
    /// How many `let`s of a term still wait for their `;`.
    pub(super) lets: usize,
}

impl Tactic {
    pub(super) fn new(whole: usize, part: usize, head: Head) -> Self {
        Self {
            whole,
            part: Some(part),
            focus: None,
            step: None,
            head,
            arrow: false,
            colon: false,
            assigned: false,
            with: false,
            lets: 0,
        }
    }
}

/// A block that the next token starts, if it stands right.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) block: usize,
    /// The least column that it may start at.
    pub(super) least: usize,
}
