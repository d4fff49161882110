//! Edits that Lean offers, as a comparison of old and new lines.

use lean_beam_proto::{
    op::{CodeAction, DocumentEdit, TextEdit},
    text::Position,
};

use super::{
    style::{BAD, CARE, DIM, GOOD, STRONG, styled},
    subject::place,
};
use crate::{files::Files, source::byte_of_column};

/// The title, and below it what would change in which file.
pub(crate) fn code_action(action: &CodeAction, files: &mut Files) -> String {
    let preferred = if action.is_preferred {
        styled(DIM, " (recommended)")
    } else {
        String::new()
    };
    let mut text = format!("{}{preferred}\n", styled(STRONG, &action.title));
    let edits = action.edit.as_deref().unwrap_or_default();
    if edits.iter().all(|edit| edit.edits.is_empty()) {
        text.push_str(&format!("{}\n", styled(CARE, "it changes nothing")));
    }
    for document in edits {
        for edit in &document.edits {
            text.push_str(&change(document, edit, files));
        }
    }
    text
}

/// `Main.lean:3:5`, the lines that go and the lines that come.
fn change(document: &DocumentEdit, edit: &TextEdit, files: &mut Files) -> String {
    let place = place(&files.shown(&document.path), edit.range.start);
    let mut text = format!("{place}\n");
    let Some((before, after)) = around(&document.path, edit, files) else {
        // The file cannot be read: only what comes can be shown.
        text.push_str(&marked('+', GOOD, &edit.new_text));
        return text;
    };
    text.push_str(&old_lines(&document.path, edit, files));
    text.push_str(&marked(
        '+',
        GOOD,
        &format!("{before}{}{after}", edit.new_text),
    ));
    text
}

/// What stays of the first and of the last line.
fn around(path: &str, edit: &TextEdit, files: &mut Files) -> Option<(String, String)> {
    let (start, end) = (edit.range.start, edit.range.end);
    let before = cut_at(files, path, start)?.0;
    let after = cut_at(files, path, end)?.1;
    Some((before, after))
}

fn cut_at(files: &mut Files, path: &str, position: Position) -> Option<(String, String)> {
    let line = files.line(path, position.line)?;
    let (before, after) = line.split_at(byte_of_column(line, position.character));
    Some((before.to_owned(), after.to_owned()))
}

fn old_lines(path: &str, edit: &TextEdit, files: &mut Files) -> String {
    let lines = edit.range.start.line..=edit.range.end.line;
    lines
        .filter_map(|line| Some(marked('-', BAD, files.line(path, line)?)))
        .collect()
}

fn marked(sign: char, style: anstyle::Style, text: &str) -> String {
    let line = |line: &str| format!("{}\n", styled(style, format!("{sign} {line}").trim_end()));
    match text {
        "" => line(""),
        _ => text.lines().map(line).collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use lean_beam_proto::text::Range;

    use super::*;

    fn shown(edits: Vec<(&str, [u32; 4], &str)>) -> String {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let source = "theorem a : p := by\n  exact?\n\ndef b := 1\n";
        fs::write(root.join("A.lean"), source).unwrap();
        let mut files = Files::new(&root, &root);
        let edits = edits
            .into_iter()
            .map(|(path, range, new_text)| DocumentEdit {
                path: path.to_owned(),
                uri: String::new(),
                version: None,
                edits: vec![TextEdit {
                    range: Range::new(
                        Position::new(range[0], range[1]),
                        Position::new(range[2], range[3]),
                    ),
                    new_text: new_text.to_owned(),
                }],
            });
        let action = CodeAction {
            title: "Try this".to_owned(),
            kind: None,
            is_preferred: true,
            edit: Some(edits.collect()),
            data: None,
        };
        anstream::adapter::strip_str(&code_action(&action, &mut files)).to_string()
    }

    #[test]
    fn whole_lines_are_compared() {
        assert_eq!(
            shown(vec![("A.lean", [1, 2, 1, 8], "intro x\n  simp")]),
            "Try this (recommended)\nA.lean:2:3\n-   exact?\n+   intro x\n+   simp\n"
        );
        assert_eq!(
            shown(vec![("A.lean", [0, 17, 1, 8], "rfl")]),
            "Try this (recommended)\nA.lean:1:18\n- theorem a : p := by\n-   exact?\n+ theorem a : p := rfl\n"
        );
    }

    #[test]
    fn what_is_only_put_in_or_cannot_be_read_is_shown_too() {
        assert_eq!(
            shown(vec![
                ("A.lean", [2, 0, 2, 0], "-- new"),
                ("B.lean", [0, 0, 0, 1], "x")
            ]),
            "Try this (recommended)\nA.lean:3:1\n-\n+ -- new\nB.lean:1:1\n+ x\n"
        );
        assert!(shown(Vec::new()).ends_with("it changes nothing\n"));
    }
}
