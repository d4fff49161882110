//! What a text run at a place has to say, found out by really editing the file and running `lean` on it.
//!
//! Nothing here knows how the daemon runs texts: the places are marked in template files, the edit is made as a
//! person would make it, and the judge is the `lean` program on the edited file.

mod compare;
mod corpus;
mod edit;
mod template;
mod texts;
mod truth;

pub use compare::{Difference, compare};
pub use corpus::{File, fixture_files};
pub use edit::{Edited, Spot};
pub use template::{Ask, Kind, SiteId, Template};
pub use texts::{COMMANDS, INCOMPLETE, TACTICS};
pub use truth::{Judge, Outcome, Truth};
