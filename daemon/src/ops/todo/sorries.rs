//! Where a proof is given up.

use lean_beam_proto::{op::TodoKind, text::Range};

use super::super::tactic_state::range_of;
use super::{
    draft::{Draft, Place},
    overlap::overlaps,
};
use crate::{
    goals::words,
    lsp::{LspRange, SemanticTokens, SemanticTokensQuestion, method},
    session::SessionError,
    workspace::DocumentAt,
};

/// What stands for a missing proof in a term, which Lean leaves without a mark.
const IN_TERMS: [&str; 1] = ["sorry"];
/// The same, and tactics, for servers that mark nothing.
const ANYWHERE: [&str; 2] = ["sorry", "admit"];

/// What stands for a missing proof in `asked`, which `commands` holds whole.
///
/// # Errors
/// As [`crate::session::SessionHandle::request`].
pub(super) async fn drafts(
    document: &DocumentAt,
    asked: Range,
    commands: Range,
) -> Result<Vec<Draft>, SessionError> {
    let mut found = match marked(document, commands).await? {
        Some(found) => found
            .into_iter()
            .chain(written(document, &IN_TERMS))
            .collect(),
        None => written(document, &ANYWHERE),
    };
    found.sort();
    found.dedup();
    let draft = |range: Range| {
        let start = document.text.offset(range.start).ok()?;
        let end = document.text.offset(range.end).ok()?;
        Some(Draft {
            kind: TodoKind::Sorry,
            range,
            diagnostic: None,
            place: Place::at(document, start..end),
            offer: None,
        })
    };
    let within = found.into_iter().filter(|range| overlaps(*range, asked));
    Ok(within.filter_map(draft).collect())
}

/// What Lean marks; `None` for a server that marks nothing.
async fn marked(
    document: &DocumentAt,
    commands: Range,
) -> Result<Option<Vec<Range>>, SessionError> {
    let session = &document.session;
    let Some(sorry_type) = session.state().sorry_type else {
        return Ok(None);
    };
    let uri = &document.path.uri;
    let range = LspRange::new(
        document.text.to_lean(commands.start),
        document.text.to_lean(commands.end),
    );
    let question = SemanticTokensQuestion::new(uri, range);
    let answer: Result<Option<SemanticTokens>, _> = session
        .request(uri, method::SEMANTIC_TOKENS, &question)
        .await;
    match answer {
        Err(SessionError::Refused(error)) if error.code == method::code::UNKNOWN_METHOD => Ok(None),
        answer => Ok(answer?.map(|tokens| {
            let found = tokens.of_type(sorry_type).into_iter();
            found.map(|range| document.text.our_range(range)).collect()
        })),
    }
}

/// These words where they stand in code.
fn written(document: &DocumentAt, wanted: &[&str]) -> Vec<Range> {
    words(document.text.as_str(), wanted)
        .map(|bytes| range_of(document, &bytes))
        .collect()
}
