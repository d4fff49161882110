//! Why no text can be run at a position, and where else.

use std::time::Duration;

use lean_beam_proto::{
    BeamError, BeamResult, ErrorCode,
    text::{Diagnostic, Position},
};
use serde_json::json;

use super::{
    probes::Target,
    splice::{Place, place_of},
};
use crate::{session::SessionError, text::DocumentText};

pub(super) fn refuse_comments(target: &Target<'_>, position: Position) -> BeamResult<()> {
    let (what, nearest) = match place_of(target.text, position) {
        Place::Code => return Ok(()),
        Place::Comment { nearest } => ("a comment", nearest),
        Place::String { nearest } => ("a string", nearest),
    };
    Err(BeamError::new(
        ErrorCode::InvalidParams,
        format!(
            "line {}, column {} is inside {what}",
            position.line, position.character
        ),
    )
    .with_hint(format!(
        "The nearest position where a text can be run is line {}, column {}.",
        nearest.line, nearest.character
    ))
    .with_data(json!({ "nearest": [nearest], "line_text": target.text.line(position.line) })))
}

pub(super) fn endless(target: &Target<'_>, limit: Duration) -> BeamError {
    BeamError::new(ErrorCode::InvalidParams, format!("nothing can be run here: even an empty text takes longer than {} s", limit.as_secs()))
        .with_hint("Lean would run the text again and again, as inside `repeat`, or the tactic before it takes very long. Choose a position before or after that tactic.")
        .with_data(json!({ "path": target.display }))
}

/// No candidate fits; texts can be run at `near`.
pub(super) fn no_place(text: &DocumentText, position: Position, near: &[Position]) -> BeamError {
    let line_text = text.line(position.line).unwrap_or_default();
    let caret = " ".repeat(line_text.chars().count().min(position.character as usize)) + "^";
    let message = format!(
        "no place for a text was found at line {}, column {}:\n{line_text}\n{caret}",
        position.line, position.character
    );
    let places: Vec<String> = near
        .iter()
        .map(|near| format!("line {}, column {}", near.line, near.character))
        .collect();
    let hint = if places.is_empty() {
        "Use the first character of a tactic (the state before it) or the end of its line (the state after it).".to_owned()
    } else {
        format!(
            "The nearest positions where a text can be run: {}.",
            places.join("; ")
        )
    };
    BeamError::new(ErrorCode::InvalidParams, message)
        .with_hint(hint)
        .with_data(json!({ "line": position.line, "character": position.character, "line_text": line_text, "nearest": near }))
}

/// The text would never be run.
pub(super) fn unreached(target: &Target<'_>, position: Position, error: &Diagnostic) -> BeamError {
    let first_line = error.message.lines().next().unwrap_or_default();
    let at = error.range.start;
    let message = format!(
        "Lean does not get to line {}, column {}: the proof ends with the error at line {}, column {}: {first_line}",
        position.line, position.character, at.line, at.character
    );
    BeamError::new(ErrorCode::InvalidParams, message)
        .with_hint(format!(
            "Run a text in its place, at line {}, or mend it in the file and `sync`.",
            at.line
        ))
        .with_data(json!({ "path": target.display, "line": at.line, "character": at.character, "message": error.message }))
}

pub(super) fn header_failed(target: &Target<'_>) -> BeamError {
    BeamError::new(
        ErrorCode::SyncBarrierIncomplete,
        format!(
            "the imports of {} fail, so nothing can be run in it",
            target.display
        ),
    )
    .with_hint("`sync` the file to see why; build or mend the imports, then `refresh` it.")
}

pub(super) fn target_error(target: &Target<'_>, error: SessionError) -> BeamError {
    match error {
        SessionError::Overtaken => BeamError::new(
            ErrorCode::ContentModified,
            format!("{} changed before Lean answered", target.display),
        )
        .with_hint("Call `update` or `sync` for the file and ask again with the new version."),
        SessionError::WorkerCrashed { message } => BeamError::new(
            ErrorCode::WorkerCrashed,
            format!("the Lean worker of {} died: {message}", target.display),
        )
        .with_hint("The next call opens the file in a new worker.")
        .with_data(json!({ "stderr": target.session.stderr_tail() })),
        error => BeamError::new(ErrorCode::InvalidResult, error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_shows_the_line_and_names_the_nearest_places() {
        let text = DocumentText::new("by\n  skip\n  other skip\n");
        let near = [Position::new(2, 2), Position::new(1, 2)];
        let error = no_place(&text, Position::new(2, 8), &near);
        assert!(error.message.ends_with(":\n  other skip\n        ^"));
        let hint = error.hint.unwrap();
        assert!(
            hint.ends_with("run: line 2, column 2; line 1, column 2."),
            "{hint}"
        );
        assert_eq!(error.data.unwrap()["nearest"][1]["line"], 1);
        let hint = no_place(&text, Position::new(2, 8), &[]).hint.unwrap();
        assert!(
            hint.starts_with("Use the first character of a tactic"),
            "{hint}"
        );
    }
}
