//! Questions about a position that need no execution.

use futures_util::FutureExt as _;
use lean_beam_proto::{
    BeamResult,
    op::{DefinitionResult, HoverResult, PositionParams, Signature, SignatureHelpResult},
    text::Range,
};
use serde::de::DeserializeOwned;

use super::{
    OpContext,
    header::refuse_failed_header,
    places::Places,
    question::{Unanswered, ask, position_in},
};
use crate::{
    lsp::{
        DefinitionAnswer, FoundLocation, Hover, LspRange, SignatureAnswer, TextDocumentPosition,
        definition_locations, documentation_text, hover_markdown, method, range_of,
    },
    text::DocumentText,
    workspace::DocumentAt,
};

pub(super) async fn hover(
    context: &OpContext<'_>,
    params: PositionParams,
) -> BeamResult<HoverResult> {
    ask(context, &params, |document, params| {
        hover_of(document, params).boxed()
    })
    .await
}

async fn hover_of(
    document: &DocumentAt,
    params: &PositionParams,
) -> Result<HoverResult, Unanswered> {
    let answer: Option<Hover> = about(document, params, method::HOVER).await?;
    if answer.is_none() {
        refuse_failed_header(document).await?;
    }
    Ok(HoverResult {
        version: params.version,
        contents: answer.as_ref().map(hover_markdown),
        range: answer
            .and_then(|hover| hover.range)
            .map(|range| range_from_lean(&document.text, range)),
    })
}

pub(super) async fn signature_help(
    context: &OpContext<'_>,
    params: PositionParams,
) -> BeamResult<SignatureHelpResult> {
    ask(context, &params, |document, params| {
        signatures_of(document, params).boxed()
    })
    .await
}

async fn signatures_of(
    document: &DocumentAt,
    params: &PositionParams,
) -> Result<SignatureHelpResult, Unanswered> {
    let answer: Option<SignatureAnswer> = about(document, params, method::SIGNATURE_HELP).await?;
    let (signatures, active_signature) = answer
        .map(|answer| (answer.signatures, answer.active_signature))
        .unwrap_or_default();
    if signatures.is_empty() {
        refuse_failed_header(document).await?;
    }
    Ok(SignatureHelpResult {
        version: params.version,
        signatures: signatures
            .into_iter()
            .map(|signature| Signature {
                label: signature.label,
                documentation: signature.documentation.map(documentation_text),
            })
            .collect(),
        active_signature,
    })
}

pub(super) async fn definition(
    context: &OpContext<'_>,
    params: PositionParams,
) -> BeamResult<DefinitionResult> {
    let (document, found) = ask(context, &params, |document, params| {
        definitions_of(document, params).boxed()
    })
    .await?;
    let mut places = Places::new(context)?.with_document(&document);
    let mut locations = Vec::new();
    for found in found {
        let location = places.location(found).await;
        if !locations.contains(&location) {
            locations.push(location);
        }
    }
    Ok(DefinitionResult {
        version: params.version,
        locations,
    })
}

async fn definitions_of(
    document: &DocumentAt,
    params: &PositionParams,
) -> Result<(DocumentAt, Vec<FoundLocation>), Unanswered> {
    let answer: Option<DefinitionAnswer> = about(document, params, method::DEFINITION).await?;
    let found = answer.map(definition_locations).unwrap_or_default();
    if found.is_empty() {
        refuse_failed_header(document).await?;
    }
    Ok((document.clone(), found))
}

/// One request of Lean's about one position.
async fn about<R: DeserializeOwned>(
    document: &DocumentAt,
    params: &PositionParams,
    method: &'static str,
) -> Result<R, Unanswered> {
    let uri = &document.path.uri;
    let position = position_in(document, params)?;
    let request = TextDocumentPosition::new(uri, document.text.to_lean(position));
    Ok(document.session.request(uri, method, &request).await?)
}

/// A range of Lean's as we count it.
pub(super) fn range_from_lean(text: &DocumentText, range: LspRange) -> Range {
    text.our_range(range_of(range))
}
