//! `references`: where a name is used, in all modules that Lean knows of.

use futures_util::FutureExt as _;
use lean_beam_proto::{
    BeamResult,
    op::{ReferencesParams, ReferencesResult},
};

use super::{
    OpContext,
    header::refuse_failed_header,
    index::{UNINDEXED_SHOWN, announce_builds, settle_others, unindexed, wait_for_index},
    places::Places,
    position::locate,
    question::{AboutVersion, Unanswered, ask},
};
use crate::{
    lsp::{FoundLocation, ReferencesAnswer, ReferencesQuestion, method},
    workspace::DocumentAt,
};

/// How many uses are listed at most; all are counted.
const SHOWN: usize = 1_000;

impl AboutVersion for ReferencesParams {
    fn document(&self) -> (&str, u64) {
        (&self.path, self.version)
    }
}

pub(super) async fn references(
    context: &OpContext<'_>,
    params: ReferencesParams,
) -> BeamResult<ReferencesResult> {
    // The name must be a name before anything is waited for.
    let document = ask(context, &params, |document, params| {
        indexed(document, params).boxed()
    })
    .await?;
    announce_builds(context, &document.session).await?;
    let unfinished = settle_others(context, &document.session, Some(&document.path.uri)).await?;
    let (document, mut found) = ask(context, &params, |document, params| {
        references_of(document, params).boxed()
    })
    .await?;
    let mut unindexed = unindexed(context, unfinished).await?;
    let complete = unindexed.is_empty();
    unindexed.truncate(UNINDEXED_SHOWN);
    let asked = &document.path.uri;
    found.sort_by(|left, right| order(left, asked).cmp(&order(right, asked)));
    found.dedup();
    let total = found.len();
    let mut places = Places::new(context)?.with_document(&document);
    let mut locations = Vec::new();
    for found in found.into_iter().take(SHOWN) {
        locations.push(places.location(found).await);
    }
    Ok(ReferencesResult {
        version: params.version,
        truncated: locations.len() < total,
        locations,
        total,
        complete,
        unindexed,
    })
}

/// The asked file first, then by name and place.
fn order<'a>(found: &'a FoundLocation, asked: &str) -> (bool, &'a str, u32, u32) {
    let start = found.range.start;
    (found.uri != asked, &found.uri, start.line, start.character)
}

async fn indexed(
    document: &DocumentAt,
    params: &ReferencesParams,
) -> Result<DocumentAt, Unanswered> {
    let anchor = params.anchor.as_deref();
    locate(&document.text, params.line, params.character, anchor)?;
    wait_for_index(
        &document.session,
        Some((&document.path.uri, document.version)),
    )
    .await?;
    Ok(document.clone())
}

async fn references_of(
    document: &DocumentAt,
    params: &ReferencesParams,
) -> Result<(DocumentAt, Vec<FoundLocation>), Unanswered> {
    let uri = &document.path.uri;
    let anchor = params.anchor.as_deref();
    let position = locate(&document.text, params.line, params.character, anchor)?;
    // Another version may have been opened since the first wait.
    wait_for_index(&document.session, Some((uri, document.version))).await?;
    let position = document.text.to_lean(position);
    let question = ReferencesQuestion::new(uri, position, params.include_declaration);
    let answer: Option<ReferencesAnswer> = document
        .session
        .request(uri, method::REFERENCES, &question)
        .await?;
    let found = answer
        .map(ReferencesAnswer::into_locations)
        .unwrap_or_default();
    if found.is_empty() {
        refuse_failed_header(document).await?;
    }
    Ok((document.clone(), found))
}
