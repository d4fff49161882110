//! The edits that Lean offers. They are shown and resolved, never applied.

use futures_util::{FutureExt as _, future::join_all};
use lean_beam_proto::{
    BeamError, BeamResult, ErrorCode,
    op::{
        CodeAction, CodeActionResolveParams, CodeActionResolveResult, DocumentEdit, TextEdit,
        TodoKind,
    },
    text::{Position, Range},
};
use serde_json::{Value, json};

use super::{
    super::{
        OpContext,
        navigate::range_from_lean,
        places::Places,
        question::{AboutVersion, Unanswered, ask},
    },
    draft::{Draft, Place},
    overlap::overlaps,
};
use crate::{
    lsp::{
        CodeActionAnswer, CodeActionQuestion, FoundEdit, LspRange, OfferedAction, action_document,
        action_to_resolve, method,
    },
    session::SessionError,
    workspace::DocumentAt,
};

/// For how many messages Lean is asked what it offers.
const ASKED: usize = 256;

/// An action that Lean offers, with its edits by Lean's count.
#[derive(Debug, PartialEq)]
pub(crate) struct Offer {
    title: String,
    kind: Option<String>,
    is_preferred: bool,
    edits: Option<Vec<FoundEdit>>,
    data: Option<Value>,
}

impl From<OfferedAction> for Offer {
    fn from(action: OfferedAction) -> Self {
        Self {
            title: action.title().to_owned(),
            kind: action.kind().map(str::to_owned),
            is_preferred: action.is_preferred(),
            edits: action.edits(),
            data: action.data().cloned(),
        }
    }
}

impl Offer {
    /// The first change in a document.
    fn change_in(&self, document: &DocumentAt) -> Option<(Range, &str)> {
        let own = |edit: &&FoundEdit| edit.uri == document.path.uri;
        let edit = self.edits.as_ref()?.iter().find(own)?;
        let (range, new_text) = edit.edits.first()?;
        Some((range_from_lean(&document.text, *range), new_text))
    }

    /// What it would write in place of the tactic at `position`, where that is all that it does.
    pub(super) fn replacement_at(
        &self,
        document: &DocumentAt,
        position: Position,
    ) -> Option<String> {
        let changes: usize = self
            .edits
            .iter()
            .flatten()
            .map(|edit| edit.edits.len())
            .sum();
        let (range, new_text) = self.change_in(document)?;
        (changes == 1 && range.start == position).then(|| new_text.to_owned())
    }

    /// Our form of it.
    pub(super) async fn into_code_action(self, places: &mut Places) -> CodeAction {
        let mut edit = None;
        for found in self.edits.into_iter().flatten() {
            edit.get_or_insert_with(Vec::new)
                .push(document_edit(found, places).await);
        }
        CodeAction {
            title: self.title,
            kind: self.kind,
            is_preferred: self.is_preferred,
            edit,
            data: self.data,
        }
    }
}

async fn document_edit(found: FoundEdit, places: &mut Places) -> DocumentEdit {
    let mut edits = Vec::with_capacity(found.edits.len());
    for (range, new_text) in found.edits {
        let range = places.range(&found.uri, range).await;
        edits.push(TextEdit { range, new_text });
    }
    DocumentEdit {
        path: places.path_of(&found.uri).0,
        uri: found.uri,
        version: found.version,
        edits,
    }
}

/// Everything that Lean offers in `asked`, and whether that is all: for the range itself, and for each message in
/// `commands`, which are the whole commands that it touches, because Lean asks only one command at a time. An offer may
/// reach further than its message.
pub(super) async fn drafts(
    document: &DocumentAt,
    asked: Range,
    commands: Range,
) -> Result<(Vec<Draft>, bool), SessionError> {
    let messages = message_ranges(document, commands);
    let is_all = messages.len() <= ASKED;
    let others = messages.into_iter().filter(|range| *range != asked);
    let ranges: Vec<_> = std::iter::once(asked).chain(others.take(ASKED)).collect();
    let answers = join_all(ranges.iter().map(|range| offers(document, *range))).await;
    let mut drafts: Vec<Draft> = Vec::new();
    for (asked_about, answer) in ranges.iter().zip(answers) {
        for offer in answer? {
            let range = offer
                .change_in(document)
                .map_or(*asked_about, |(range, _)| range);
            let is_known = drafts.iter().any(|known| {
                known
                    .offer
                    .as_ref()
                    .is_some_and(|known| known.is_same_as(&offer))
            });
            if !is_known && overlaps(range, asked) {
                drafts.push(draft(document, range, offer));
            }
        }
    }
    Ok((drafts, is_all))
}

impl Offer {
    /// The same change, whatever question it answered.
    fn is_same_as(&self, other: &Self) -> bool {
        self.title == other.title && self.edits == other.edits
    }
}

fn draft(document: &DocumentAt, range: Range, offer: Offer) -> Draft {
    let start = document.text.offset(range.start).ok();
    let end = document.text.offset(range.end).ok();
    Draft {
        kind: TodoKind::CodeAction,
        range,
        diagnostic: None,
        place: match start.zip(end) {
            Some((start, end)) => Place::at(document, start..end),
            None => Place::Command(range.start),
        },
        offer: Some(offer),
    }
}

fn message_ranges(document: &DocumentAt, commands: Range) -> Vec<Range> {
    let snapshot = document.watch.borrow();
    let mut ranges: Vec<_> = snapshot
        .diagnostics
        .iter()
        .map(|diagnostic| diagnostic.range)
        .filter(|range| overlaps(*range, commands))
        .collect();
    ranges.sort();
    ranges.dedup();
    ranges
}

async fn offers(document: &DocumentAt, range: Range) -> Result<Vec<Offer>, SessionError> {
    let uri = &document.path.uri;
    let range = LspRange::new(
        document.text.to_lean(range.start),
        document.text.to_lean(range.end),
    );
    let answer: Option<CodeActionAnswer> = document
        .session
        .request(
            uri,
            method::CODE_ACTION,
            &CodeActionQuestion::new(uri, range),
        )
        .await?;
    Ok(answer
        .into_iter()
        .flat_map(CodeActionAnswer::into_actions)
        .map(Offer::from)
        .collect())
}

// Resolving.

struct ResolveQuestion {
    path: String,
    version: u64,
    action: CodeAction,
}

impl AboutVersion for ResolveQuestion {
    fn document(&self) -> (&str, u64) {
        (&self.path, self.version)
    }
}

pub(in crate::ops) async fn resolve(
    context: &OpContext<'_>,
    params: CodeActionResolveParams,
) -> BeamResult<CodeActionResolveResult> {
    let question = ResolveQuestion {
        path: params.path,
        version: params.version,
        action: serde_json::from_value(Value::Object(params.code_action))
            .map_err(|error| not_an_action(&error.to_string()))?,
    };
    let (document, offer) = ask(context, &question, |document, question| {
        resolved(document, question).boxed()
    })
    .await?;
    let mut places = Places::new(context)?.with_document(&document);
    Ok(CodeActionResolveResult {
        version: question.version,
        code_action: match offer {
            Some(offer) => {
                let resolved = offer.into_code_action(&mut places).await;
                CodeAction {
                    // Lean gives back what it was given; it adds an edit only where there was none.
                    edit: resolved.edit.or(question.action.edit),
                    ..resolved
                }
            }
            // Nothing to be asked for: it says all that there is.
            None => question.action,
        },
    })
}

async fn resolved(
    document: &DocumentAt,
    question: &ResolveQuestion,
) -> Result<(DocumentAt, Option<Offer>), Unanswered> {
    let action = &question.action;
    let Some(data) = &action.data else {
        return match &action.edit {
            Some(_) => Ok((document.clone(), None)),
            None => Err(not_an_action("it has neither `edit` nor `data`").into()),
        };
    };
    let uri = &document.path.uri;
    if action_document(data) != Some(uri) {
        return Err(of_another_document(document, data).into());
    }
    let asked = action_to_resolve(&action.title, action.kind.as_deref(), data);
    let answer: OfferedAction = document
        .session
        .request(uri, method::RESOLVE_CODE_ACTION, &asked)
        .await?;
    Ok((document.clone(), Some(answer.into())))
}

fn not_an_action(why: &str) -> BeamError {
    BeamError::new(
        ErrorCode::InvalidInput,
        format!("`code_action` is not one that `todo` gave: {why}"),
    )
    .with_hint("Pass the `code_action` of an item of `todo` as it is.")
    .with_data(json!({ "field": "code_action" }))
}

fn of_another_document(document: &DocumentAt, data: &Value) -> BeamError {
    BeamError::new(
        ErrorCode::InvalidParams,
        format!(
            "the code action does not belong to {}",
            document.path.display
        ),
    )
    .with_hint("Pass the path of the file for which `todo` gave the code action.")
    .with_data(json!({ "uri": document.path.uri, "code_action_uri": action_document(data) }))
}
