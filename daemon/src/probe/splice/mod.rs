//! Where in a file a text can run, and the document that runs it there. Pure text: no Lean, no files.

mod candidates;
mod command;
mod document;
mod layout;
mod lexer;
mod outline;
mod place;
mod shape;
mod state;

pub(crate) use candidates::{Completed, completed, tactic_candidates, tactics_near};
pub(crate) use command::{command_candidates, command_start, is_behind_command};
pub(crate) use document::{Splice, splice_command, splice_tactic};
pub(crate) use layout::layout_candidates;
pub(crate) use place::{Place, mentions_sorry, place_of};
pub(crate) use shape::{Beginning, closes_too_much, is_blank};

/// A way to continue a tactic block: the file up to `offset`, then the text in a block at `column`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Insertion {
    /// Byte offset where the kept part of the file ends.
    pub(crate) offset: usize,
    /// Column of the block in characters, as Lean counts columns.
    pub(crate) column: usize,
    /// How the text follows the kept part.
    pub(crate) form: Form,
    /// A tactic that stands before the text in place of a part of the file's own, such as the first rules
    /// of a `rw`; mostly empty.
    pub(crate) lead: String,
    /// What stands after the text, where Lean needs it to know what is to be proved, such as the type in
    /// `(by … : type)`; mostly empty.
    pub(crate) tail: String,
}

/// Places for a tactic text, likeliest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Candidates {
    pub(crate) insertions: Vec<Insertion>,
    /// The file cut off there may run for ever: something around it runs it again until it fails.
    pub(crate) in_loop: bool,
}

/// How a text follows what is kept of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Form {
    /// On a new line.
    OwnLine,
    /// On the line that the kept part ends in, after other code; what follows is joined with `; `.
    Here,
    /// On the line that the kept part ends in, which is blank so far.
    HereBlank,
}
