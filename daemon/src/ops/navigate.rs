//! Questions about a position that need no execution.

use futures_util::FutureExt as _;
use lean_beam_proto::{
    BeamResult,
    op::{HoverResult, PositionParams},
    text::{Position, Range},
};
use serde::de::DeserializeOwned;

use super::{
    OpContext,
    question::{Unanswered, ask, position_in},
};
use crate::{
    lsp::{Hover, LspRange, TextDocumentPosition, hover_markdown, method},
    session::SessionError,
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
    Ok(HoverResult {
        version: params.version,
        contents: answer.as_ref().map(hover_markdown),
        range: answer
            .and_then(|hover| hover.range)
            .map(|range| range_from_lean(&document.text, range)),
    })
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
    let position =
        |position: crate::lsp::LspPosition| Position::new(position.line, position.character);
    text.our_range(Range::new(position(range.start), position(range.end)))
}
