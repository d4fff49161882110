//! From line, column and anchor to a position, with errors that show where one could have pointed.

use lean_beam_proto::{BeamError, BeamResult, ErrorCode, text::Position};
use serde_json::json;

use crate::text::{DocumentText, PositionError};

/// The position that a request means: the anchor's first character where there is an anchor, else line and
/// character. Both are zero-based, columns in UTF-16 code units.
///
/// # Errors
/// `invalidParams` when the line, the column or the anchor is not there; the line is echoed with a caret.
pub(crate) fn locate(
    text: &DocumentText,
    line: u32,
    character: Option<u32>,
    anchor: Option<&str>,
) -> BeamResult<Position> {
    let line_text = text
        .line(line)
        .ok_or_else(|| no_such_line(text.line_count(), line))?;
    match (anchor, character) {
        (Some(anchor), _) => find_anchor(line, line_text, anchor),
        (None, Some(character)) => {
            let position = Position::new(line, character);
            text.offset(position).map(|_| position).map_err(|error| bad_column(position, error))
        }
        (None, None) => Err(BeamError::new(ErrorCode::InvalidInput, "the position has neither `character` nor `anchor`")
            .with_hint("Give `character` (zero-based, UTF-16), or `anchor`: text that occurs once on the line.")),
    }
}

fn find_anchor(line: u32, line_text: &str, anchor: &str) -> BeamResult<Position> {
    let mut places = line_text
        .match_indices(anchor)
        .map(|(offset, _)| utf16(&line_text[..offset]));
    match (places.next(), places.next()) {
        _ if anchor.is_empty() => Err(anchor_error(line, line_text, anchor, "is empty")),
        (Some(character), None) => Ok(Position::new(line, character)),
        (None, _) => Err(anchor_error(line, line_text, anchor, "does not occur")),
        (Some(_), Some(_)) => Err(anchor_error(
            line,
            line_text,
            anchor,
            "occurs more than once",
        )),
    }
}

fn anchor_error(line: u32, line_text: &str, anchor: &str, what: &str) -> BeamError {
    BeamError::new(
        ErrorCode::InvalidParams,
        format!("the anchor {anchor:?} {what} on line {line}:\n{line_text}"),
    )
    .with_hint("Choose text that occurs exactly once on that line, or give `character`.")
    .with_data(json!({ "line": line, "line_text": line_text, "anchor": anchor }))
}

fn no_such_line(lines: u32, line: u32) -> BeamError {
    BeamError::new(
        ErrorCode::InvalidParams,
        format!(
            "line {line} does not exist: the document has {lines} lines, 0 to {}",
            lines - 1
        ),
    )
    .with_hint("Lines are zero-based.")
    .with_data(json!({ "line": line, "lines": lines }))
}

fn bad_column(position: Position, error: PositionError) -> BeamError {
    match error {
        PositionError::Line { lines } => no_such_line(lines, position.line),
        PositionError::Column {
            line_text,
            nearest,
            last,
        } => {
            let caret = caret_under(&line_text, nearest);
            let message = format!(
                "column {} does not exist on line {} (0 to {last}); the nearest is {nearest}:\n{line_text}\n{caret}",
                position.character, position.line
            );
            BeamError::new(ErrorCode::InvalidParams, message)
                .with_hint("Columns are zero-based and count UTF-16 code units. An `anchor` saves the counting.")
                .with_data(json!({ "line": position.line, "line_text": line_text, "nearest_character": nearest, "last_character": last }))
        }
    }
}

/// A caret below the character at a UTF-16 column; tabs are kept so that it lines up.
fn caret_under(line_text: &str, column: u32) -> String {
    let mut seen = 0;
    let mut indent = String::new();
    for character in line_text.chars() {
        if seen >= column {
            break;
        }
        seen += u32::from(character.len_utf16() as u16);
        indent.push(if character == '\t' { '\t' } else { ' ' });
    }
    indent + "^"
}

fn utf16(text: &str) -> u32 {
    text.chars()
        .map(|character| character.len_utf16() as u32)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text() -> DocumentText {
        DocumentText::new("def a := 1\n\t😀 x x\n")
    }

    #[test]
    fn an_anchor_is_found_by_its_utf16_column() {
        assert_eq!(
            locate(&text(), 0, None, Some(":=")).unwrap(),
            Position::new(0, 6)
        );
        assert_eq!(
            locate(&text(), 1, None, Some("x x")).unwrap(),
            Position::new(1, 4)
        );
    }

    #[test]
    fn an_anchor_that_is_absent_or_ambiguous_echoes_the_line() {
        for (anchor, what) in [
            ("y", "does not occur"),
            ("x", "more than once"),
            ("", "is empty"),
        ] {
            let error = locate(&text(), 1, Some(0), Some(anchor)).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidParams);
            assert!(
                error.message.contains(what) && error.message.contains("😀 x x"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_column_outside_names_the_nearest_and_points_at_it() {
        let error = locate(&text(), 1, Some(2), None).unwrap_err();
        assert!(error.message.ends_with("\n\t😀 x x\n\t^"), "{error}");
        let error = locate(&text(), 0, Some(99), None).unwrap_err();
        assert_eq!(error.data.unwrap()["nearest_character"], 10);
        assert!(
            locate(&text(), 0, Some(10), None).is_ok(),
            "the end of the line is a position"
        );
    }

    #[test]
    fn a_line_outside_says_how_many_there_are() {
        let error = locate(&text(), 3, Some(0), None).unwrap_err();
        assert!(error.message.contains("3 lines, 0 to 2"), "{error}");
        assert_eq!(
            locate(&text(), 0, None, None).unwrap_err().code,
            ErrorCode::InvalidInput
        );
    }
}
