//! `document_symbols` and `workspace_symbols`: what a file and a project declare.

use futures_util::FutureExt as _;
use lean_beam_proto::{
    BeamResult,
    op::{
        DocumentSymbol, DocumentSymbolsParams, DocumentSymbolsResult, WorkspaceSymbol,
        WorkspaceSymbolsParams, WorkspaceSymbolsResult,
    },
    text::Range,
};

use super::{
    OpContext,
    header::refuse_failed_header,
    index::{UNINDEXED_SHOWN, announce_builds, settle_others, unindexed, wait_for_index},
    navigate::range_from_lean,
    places::{Places, checked_limit, line_before},
    question::{AboutVersion, Unanswered, ask},
    rank::rank,
};
use crate::{
    goals::declaring_keyword,
    lsp::{
        DocumentQuestion, LspDocumentSymbol, LspWorkspaceSymbol, SymbolQuery, method,
        symbol_location,
    },
    text::DocumentText,
    workspace::DocumentAt,
};

/// How many symbols of a document are listed at most; all are counted.
const DOCUMENT_SHOWN: usize = 5_000;
/// How many symbols of a workspace are listed without a limit, and with any limit.
const WORKSPACE_SHOWN: (usize, usize) = (50, 500);
/// Lean stops its own search here.
const LEAN_STOPS_AT: usize = 100;
/// A declaration whose keyword is not known.
const DECLARATION: &str = "declaration";

impl AboutVersion for DocumentSymbolsParams {
    fn document(&self) -> (&str, u64) {
        (&self.path, self.version)
    }
}

pub(super) async fn document_symbols(
    context: &OpContext<'_>,
    params: DocumentSymbolsParams,
) -> BeamResult<DocumentSymbolsResult> {
    ask(context, &params, |document, params| {
        document_symbols_of(document, params).boxed()
    })
    .await
}

async fn document_symbols_of(
    document: &DocumentAt,
    params: &DocumentSymbolsParams,
) -> Result<DocumentSymbolsResult, Unanswered> {
    let uri = &document.path.uri;
    let answer: Option<Vec<LspDocumentSymbol>> = document
        .session
        .request(uri, method::DOCUMENT_SYMBOL, &DocumentQuestion::new(uri))
        .await?;
    let found = answer.unwrap_or_default();
    if found.is_empty() {
        refuse_failed_header(document).await?;
    }
    let total = found.iter().map(count).sum();
    let mut left = DOCUMENT_SHOWN;
    let symbols = shown(found, &document.text, &mut left);
    Ok(DocumentSymbolsResult {
        version: params.version,
        symbols,
        total,
        truncated: total > DOCUMENT_SHOWN,
    })
}

fn count(symbol: &LspDocumentSymbol) -> usize {
    1 + symbol.children.iter().flatten().map(count).sum::<usize>()
}

fn shown(
    symbols: Vec<LspDocumentSymbol>,
    text: &DocumentText,
    left: &mut usize,
) -> Vec<DocumentSymbol> {
    let mut shown_symbols = Vec::new();
    for symbol in symbols {
        if *left == 0 {
            break;
        }
        *left -= 1;
        let range = range_from_lean(text, symbol.range);
        let selection_range = range_from_lean(text, symbol.selection_range);
        shown_symbols.push(DocumentSymbol {
            kind: kind_of(text, range, selection_range).to_owned(),
            name: symbol.name,
            range,
            selection_range,
            children: shown(symbol.children.unwrap_or_default(), text, left),
        });
    }
    shown_symbols
}

/// The keyword before the name, or the keyword that stands for a name.
fn kind_of(text: &DocumentText, range: Range, selection_range: Range) -> &'static str {
    let start = text.offset(range.start).ok();
    let end = text.offset(selection_range.end).ok();
    let before = start
        .zip(end)
        .and_then(|(start, end)| text.as_str().get(start..end));
    before.and_then(declaring_keyword).unwrap_or(DECLARATION)
}

pub(super) async fn workspace_symbols(
    context: &OpContext<'_>,
    params: WorkspaceSymbolsParams,
) -> BeamResult<WorkspaceSymbolsResult> {
    let (default, most) = WORKSPACE_SHOWN;
    let limit = checked_limit(params.limit, default, most)?;
    context.workspace()?.check_config().await?;
    let session = context.workspace()?.server().await?;
    announce_builds(context, &session).await?;
    let ready = wait_for_index(&session, None).await;
    ready.map_err(super::error::server_error)?;
    let unfinished = settle_others(context, &session, None).await?;
    let query = SymbolQuery {
        query: &params.query,
    };
    let found: Option<Vec<LspWorkspaceSymbol>> = session
        .request_about(None, method::WORKSPACE_SYMBOL, &query)
        .await
        .map_err(super::error::server_error)?;
    let found = found.unwrap_or_default();
    let total = found.len();
    let symbols = best(context, found, &params.query, limit).await?;
    let mut unindexed = unindexed(context, unfinished).await?;
    let index_complete = unindexed.is_empty();
    unindexed.truncate(UNINDEXED_SHOWN);
    Ok(WorkspaceSymbolsResult {
        truncated: symbols.len() < total || total == LEAN_STOPS_AT,
        symbols,
        total,
        index_complete,
        unindexed,
    })
}

async fn best(
    context: &OpContext<'_>,
    found: Vec<LspWorkspaceSymbol>,
    query: &str,
    limit: usize,
) -> BeamResult<Vec<WorkspaceSymbol>> {
    let mut places = Places::new(context)?;
    let mut ranked: Vec<_> = found
        .into_iter()
        .map(|symbol| {
            let place = symbol_location(&symbol);
            let (_, outside_root) = places.path_of(&place.uri);
            (rank(&symbol.name, query, outside_root), symbol.name, place)
        })
        .collect();
    // Stable, so that Lean's own order decides between equals.
    ranked.sort_by_key(|entry| entry.0);
    let mut symbols = Vec::new();
    for (_, name, place) in ranked.into_iter().take(limit) {
        let location = places.location(place).await;
        let text = places.text(&location.uri).await;
        let kind = text
            .as_deref()
            .and_then(|text| line_before(text, location.range.start))
            .and_then(declaring_keyword);
        symbols.push(WorkspaceSymbol {
            name,
            kind: kind.unwrap_or(DECLARATION).to_owned(),
            path: location.path,
            range: location.range,
            outside_root: location.outside_root,
        });
    }
    Ok(symbols)
}
