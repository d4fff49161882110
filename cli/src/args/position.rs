//! How positions are written.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use lean_beam_proto::BeamError;

use crate::position::Place;

/// How positions are written, for `--help`.
pub(crate) const POSITION_HELP: &str = "\
Positions:
  Main.lean:3:7             line and column from 1, as editors and `sync` show them
  Main.lean 2 6             line and character from 0, as in the protocol
  Main.lean:3 --anchor foo  the first character of `foo` on that line
Columns count UTF-16 units. Without --version the file is read from disk first.";

/// A position in a file.
#[derive(Debug, Clone, Args)]
pub(crate) struct PositionArgs {
    /// The Lean file, or FILE:LINE:COLUMN counted from 1
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// Line, counted from 0
    pub(crate) line: Option<u32>,
    /// UTF-16 column, counted from 0
    #[arg(requires = "line", conflicts_with = "anchor")]
    pub(crate) character: Option<u32>,
    #[command(flatten)]
    pub(crate) pin: PinArgs,
}

/// What else may fix a position.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct PinArgs {
    /// Text that stands once on the line; the position is its first character
    #[arg(long, value_name = "TEXT")]
    pub(crate) anchor: Option<String>,
    /// Ask about this version of the file and no other
    #[arg(long, value_name = "N")]
    pub(crate) version: Option<u64>,
}

impl PositionArgs {
    /// The file and the place in it.
    ///
    /// # Errors
    /// `invalidInput` when the position is missing or written wrongly.
    pub(crate) fn place(&self) -> Result<Place, BeamError> {
        let has_anchor = self.pin.anchor.is_some();
        Place::parse(&self.file, self.line, self.character, has_anchor)
    }
}
