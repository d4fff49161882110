//! `completions`: how the text before a position can go on.

use futures_util::{FutureExt as _, future::join_all};
use lean_beam_proto::{
    BeamResult,
    op::{Completion, CompletionsParams, CompletionsResult},
};

use super::{
    OpContext,
    header::refuse_failed_header,
    places::{checked_limit, line_before},
    position::locate,
    question::{AboutVersion, Unanswered, ask},
    rank::by_fit,
};
use crate::{
    lsp::{
        CompletionAnswer, LspCompletion, TextDocumentPosition, completion_data, completion_items,
        completion_kind, completion_text, documentation_text, method,
    },
    workspace::DocumentAt,
};

/// How many completions are listed without a limit, and with any limit.
const SHOWN: (usize, usize) = (50, 500);
/// For how many Lean is asked about the type.
const RESOLVED: usize = 20;

impl AboutVersion for CompletionsParams {
    fn document(&self) -> (&str, u64) {
        (&self.path, self.version)
    }
}

pub(super) async fn completions(
    context: &OpContext<'_>,
    params: CompletionsParams,
) -> BeamResult<CompletionsResult> {
    ask(context, &params, |document, params| {
        completions_of(document, params).boxed()
    })
    .await
}

async fn completions_of(
    document: &DocumentAt,
    params: &CompletionsParams,
) -> Result<CompletionsResult, Unanswered> {
    let (default, most) = SHOWN;
    let limit = checked_limit(params.limit, default, most)?;
    let anchor = params.anchor.as_deref();
    let position = locate(&document.text, params.line, params.character, anchor)?;
    let uri = &document.path.uri;
    let question = TextDocumentPosition::new(uri, document.text.to_lean(position));
    let answer: Option<CompletionAnswer> = document
        .session
        .request(uri, method::COMPLETION, &question)
        .await?;
    let mut found = answer.map(completion_items).unwrap_or_default();
    if found.is_empty() {
        refuse_failed_header(document).await?;
    }
    let total = found.len();
    let before = line_before(&document.text, position).unwrap_or_default();
    by_fit(&mut found, before, completion_text);
    found.truncate(limit);
    let described = found
        .iter()
        .enumerate()
        .map(|(number, item)| described(document, item, number < RESOLVED));
    Ok(CompletionsResult {
        version: params.version,
        truncated: found.len() < total,
        items: join_all(described)
            .await
            .into_iter()
            .collect::<Result<_, _>>()?,
        total,
    })
}

async fn described(
    document: &DocumentAt,
    item: &LspCompletion,
    resolve: bool,
) -> Result<Completion, Unanswered> {
    let mut said = item.clone();
    if resolve && item.detail.is_none() && completion_data(item).is_some() {
        said = document
            .session
            .request(&document.path.uri, method::RESOLVE_COMPLETION, item)
            .await?;
    }
    Ok(Completion {
        label: completion_text(item).to_owned(),
        kind: completion_kind(item).to_owned(),
        detail: said.detail,
        documentation: said.documentation.map(documentation_text),
    })
}
