//! Questions about a position that need no execution.

use lean_beam_proto::{
    BeamResult,
    op::{HoverResult, PositionParams},
    text::{Position, Range},
};
use serde::de::DeserializeOwned;

use super::{
    OpContext,
    error::{Rounds, session_error},
    position::locate,
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
    let (document, answer) = ask_at::<Option<Hover>>(context, &params, method::HOVER).await?;
    Ok(HoverResult {
        version: params.version,
        contents: answer.as_ref().map(hover_markdown),
        range: answer
            .and_then(|hover| hover.range)
            .map(|range| range_from_lean(&document.text, range)),
    })
}

/// Asks Lean about one position of one version. An answer that an edit overtook is asked for again, which
/// ends in `contentModified` unless the text is the same.
async fn ask_at<R: DeserializeOwned>(
    context: &OpContext<'_>,
    params: &PositionParams,
    method: &'static str,
) -> BeamResult<(DocumentAt, R)> {
    let path = context.document(&params.path).await?;
    let mut rounds = Rounds::default();
    loop {
        let document = context.workspace()?.lookup(&path, params.version).await?;
        context.observed.set(&document);
        let position = locate(
            &document.text,
            params.line,
            params.character,
            params.anchor.as_deref(),
        )?;
        let request = TextDocumentPosition::new(&path.uri, document.text.to_lean(position));
        match document.session.request(&path.uri, method, &request).await {
            Ok(answer) => return Ok((document, answer)),
            Err(SessionError::Overtaken) => rounds.next(&document)?,
            Err(error) => return Err(session_error(&document, error).await),
        }
    }
}

fn range_from_lean(text: &DocumentText, range: LspRange) -> Range {
    let position =
        |position: crate::lsp::LspPosition| Position::new(position.line, position.character);
    text.our_range(Range::new(position(range.start), position(range.end)))
}
