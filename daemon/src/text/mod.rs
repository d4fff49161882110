//! Text as the protocol counts it. The one place that knows lines, UTF-16 columns, URIs and edits.

mod document;
mod edit;
mod uri;

pub(crate) use document::{DocumentText, PositionError};
pub(crate) use edit::minimal_edit;
pub(crate) use uri::file_uri;
