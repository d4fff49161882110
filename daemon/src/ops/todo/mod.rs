//! `todo` and `code_action_resolve`: what is left to do in a stretch of a file.

mod actions;
mod collect;
mod draft;
mod overlap;
mod sorries;

pub(super) use actions::resolve as code_action_resolve;

use futures_util::{FutureExt as _, StreamExt as _, stream};
use lean_beam_proto::{
    BeamError, BeamResult, ErrorCode,
    op::{TodoItem, TodoKind, TodoParams, TodoResult, TodoSuggest},
    text::{Position, Range},
};
use serde_json::json;

use super::tactic_state::{range_of, wait_for_messages};
use super::{
    OpContext,
    header::refuse_failed_header,
    places::Places,
    position::locate,
    question::{AboutVersion, Unanswered, ask},
};
use crate::{goals::commands_around, workspace::DocumentAt};
use draft::Draft;

/// How many items are listed at most; all are counted.
const SHOWN: usize = 300;
/// For how many items Lean is asked at once about the state.
const ASKED_AT_ONCE: usize = 16;

/// What is asked, with what it depends on besides the parameters.
struct TodoQuestion {
    params: TodoParams,
    /// Lean collects its messages before it reports them.
    collected: bool,
}

impl AboutVersion for TodoQuestion {
    fn document(&self) -> (&str, u64) {
        (&self.params.path, self.params.version)
    }
}

/// The first items, how many there are, and where.
struct Found {
    document: DocumentAt,
    range: Range,
    items: Vec<(TodoItem, Option<actions::Offer>)>,
    total: usize,
    /// Lean was asked about all of it.
    complete: bool,
}

pub(super) async fn todo(context: &OpContext<'_>, params: TodoParams) -> BeamResult<TodoResult> {
    let question = TodoQuestion {
        params,
        collected: context.services.config.lean.report_delay_ms > 0,
    };
    let found = ask(context, &question, |document, question| {
        found_in(document, question).boxed()
    })
    .await?;
    let mut places = Places::new(context)?.with_document(&found.document);
    let mut items = Vec::with_capacity(found.items.len());
    for (mut item, offer) in found.items {
        if let Some(offer) = offer {
            item.code_action = Some(offer.into_code_action(&mut places).await);
        }
        items.push(item);
    }
    Ok(TodoResult {
        version: question.params.version,
        range: found.range,
        truncated: items.len() < found.total || !found.complete,
        items,
        total: found.total,
    })
}

async fn found_in(document: &DocumentAt, question: &TodoQuestion) -> Result<Found, Unanswered> {
    let range = asked_range(document, &question.params)?;
    let text = document.text.as_str();
    let bytes = range_bytes(document, range)?;
    // Messages about a part of a command may come when the command is finished.
    let commands = range_of(document, &commands_around(text, bytes));
    wait_for_messages(document, commands, question.collected).await?;
    let wanted = &question.params.kinds;
    let mut drafts = collect::drafts(document, range, wanted);
    let mut complete = true;
    if wanted.contains(&TodoKind::Sorry) {
        drafts.extend(sorries::drafts(document, range, commands).await?);
    }
    if wanted.contains(&TodoKind::CodeAction) {
        let (offered, is_all) = actions::drafts(document, range, commands).await?;
        drafts.extend(offered);
        complete = is_all;
    }
    // Without a message of Lean's, nothing shows that Lean has seen the text at all.
    if drafts.iter().all(|draft| draft.diagnostic.is_none()) {
        refuse_failed_header(document).await?;
    }
    drafts.sort_by_key(Draft::order);
    let total = drafts.len();
    drafts.truncate(SHOWN);
    let suggest = question.params.suggest == TodoSuggest::Basic;
    let items: Vec<_> = stream::iter(drafts)
        .map(|draft| draft.into_item(document, suggest))
        .buffered(ASKED_AT_ONCE)
        .collect()
        .await;
    Ok(Found {
        document: document.clone(),
        range,
        items: items.into_iter().collect::<Result<_, _>>()?,
        total,
        complete,
    })
}

fn asked_range(document: &DocumentAt, params: &TodoParams) -> BeamResult<Range> {
    let at = |line, character| locate(&document.text, line, Some(character), None);
    let start = at(params.start_line, params.start_character)?;
    let end = at(params.end_line, params.end_character)?;
    if end < start {
        return Err(backwards(start, end));
    }
    Ok(Range::new(start, end))
}

fn backwards(start: Position, end: Position) -> BeamError {
    BeamError::new(
        ErrorCode::InvalidParams,
        format!(
            "the range ends at line {}, column {}, before its start at line {}, column {}",
            end.line, end.character, start.line, start.character
        ),
    )
    .with_hint("`end_line` and `end_character` name the first position after the range.")
    .with_data(json!({ "start": start, "end": end }))
}

fn range_bytes(document: &DocumentAt, range: Range) -> BeamResult<std::ops::Range<usize>> {
    let offset = |position| {
        document
            .text
            .offset(position)
            .map_err(|error| BeamError::internal(format!("a checked position: {error:?}")))
    };
    Ok(offset(range.start)?..offset(range.end)?)
}
