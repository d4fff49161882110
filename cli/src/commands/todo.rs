//! Commands about what is left to do, and the edits that Lean offers for it.

use lean_beam_proto::{
    BeamError, ErrorCode,
    op::{CodeActionResolve, CodeActionResolveParams, Todo, TodoKind, TodoParams, TodoSuggest},
    text::Range,
};
use serde_json::{Map, Value};

use super::position::{self, told_from_one};
use crate::{
    app::{App, Failure, Outcome},
    args::{ResolveArgs, TodoArgs},
    exit_code::Exit,
    input,
    output::human::{self, Subject},
    source::Source,
    stretch::Stretch,
};

/// Lists what is left to do.
pub(super) async fn todo(app: &App, args: &TodoArgs) -> Outcome {
    let stretch = Stretch::parse(&args.file, &args.numbers).map_err(Failure::Usage)?;
    let file = app.project_of_file(&stretch.file)?;
    // Where the file cannot be read, asking for its version says why.
    let before = file.read().unwrap_or_else(|| Source::new(""));
    let version = position::version(app, &file, args.version).await?;
    let params = params(&file.path, version, stretch.range(&before), args);
    let answer = app
        .ask_project::<Todo>(&file.root, params, &file.path)
        .await
        .map_err(|error| match stretch.from_one {
            true => told_from_one(error, &args.file.display().to_string()),
            false => error,
        })?;
    app.output.show_answer(&answer, || {
        let is_current = args.version.is_none() && file.still_is(&before);
        let subject = Subject {
            path: &file.shown,
            asked: &file.shown,
            source: is_current.then_some(&before),
        };
        human::todo(&answer.output, subject)
    })?;
    Ok(Exit::Ok)
}

/// Shows the edit of a code action.
pub(super) async fn resolve(app: &App, args: &ResolveArgs) -> Outcome {
    let inline: Vec<_> = args.action.iter().cloned().collect();
    let text = input::text(&inline, &args.source).await?;
    let code_action = code_action(&text.text).map_err(Failure::Usage)?;
    let file = app.project_of_file(&args.file)?;
    let params = CodeActionResolveParams {
        path: file.path.clone(),
        version: position::version(app, &file, args.version).await?,
        code_action,
    };
    let answer = app
        .ask_project::<CodeActionResolve>(&file.root, params, &file.path)
        .await?;
    let mut files = app.files(&file.root)?;
    app.output.show_answer(&answer, || {
        human::code_action(&answer.output.code_action, &mut files)
    })?;
    Ok(Exit::Ok)
}

fn params(path: &str, version: u64, range: Range, args: &TodoArgs) -> TodoParams {
    let kinds: Vec<_> = args.kinds.iter().copied().map(TodoKind::from).collect();
    TodoParams {
        path: path.to_owned(),
        version,
        start_line: range.start.line,
        start_character: range.start.character,
        end_line: range.end.line,
        end_character: range.end.character,
        kinds: if kinds.is_empty() {
            TodoKind::ALL.to_vec()
        } else {
            kinds
        },
        suggest: if args.suggest {
            TodoSuggest::Basic
        } else {
            TodoSuggest::None
        },
    }
}

/// A code action, alone or in an item of `todo`.
fn code_action(text: &str) -> Result<Map<String, Value>, BeamError> {
    let wrong = |what: &str| {
        BeamError::new(
            ErrorCode::InvalidInput,
            format!("this is no code action: {what}"),
        )
        .with_hint("Items of `lean-beam todo FILE --kind code-action --json` have one.")
    };
    let mut object: Map<String, Value> =
        serde_json::from_str(text).map_err(|error| wrong(&error.to_string()))?;
    match object.remove("code_action") {
        Some(Value::Object(action)) => Ok(action),
        None if object.contains_key("title") => Ok(object),
        _ => Err(wrong("it has neither a title nor a code action in it")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_action_is_taken_alone_or_out_of_its_item() {
        let alone = code_action(r#"{"title": "t", "data": [1]}"#).unwrap();
        assert_eq!(alone["data"], serde_json::json!([1]));
        let item = code_action(r#"{"kind": "code_action", "code_action": {"title": "t"}}"#);
        assert_eq!(item.unwrap()["title"], "t");
    }

    #[test]
    fn what_has_no_code_action_is_refused_before_anything_is_asked() {
        for text in [
            "",
            "[]",
            "{}",
            r#"{"code_action": null}"#,
            r#"{"kind": "sorry"}"#,
        ] {
            let error = code_action(text).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidInput, "{text}");
        }
    }
}
