//! One document: its text, the edits to it, and the diagnostics that stand in it.

use serde_json::{Value, json};

use super::worker::Worker;

/// A document that the client has open.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) version: i64,
    pub(super) text: String,
    pub(super) state: State,
    /// Counts elaborations, so that the end of an overtaken one is recognised.
    pub(super) generation: u64,
    /// The error of the header of this version.
    pub(super) header_error: Option<String>,
    /// Whether its imports were reported as stale.
    pub(super) stale_imports: bool,
    /// Its worker process, where the scenario wants them.
    pub(super) worker: Option<Worker>,
}

/// What the server is doing with a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Elaborating,
    Done,
    Crashed,
}

/// A place in a text, in the protocol's terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) line: u64,
    pub(super) character: u64,
}

impl Place {
    pub(super) fn read(position: &Value) -> Option<Self> {
        Some(Self {
            line: position.get("line")?.as_u64()?,
            character: position.get("character")?.as_u64()?,
        })
    }

    pub(super) fn json(self) -> Value {
        json!({"line": self.line, "character": self.character})
    }
}

impl Document {
    pub(super) fn new(version: i64, text: String) -> Self {
        Self {
            version,
            text,
            state: State::Elaborating,
            generation: 0,
            header_error: None,
            stale_imports: false,
            worker: None,
        }
    }

    /// Applies the changes in order. Gives the first place that any of them touches, and whether one of them
    /// made or cut a `\r\n` at its edge: Lean reads line ends within each piece of text, never across.
    pub(super) fn apply(&mut self, changes: &[Value]) -> (Place, bool) {
        let mut first = Place {
            line: u64::MAX,
            character: 0,
        };
        let mut torn = false;
        for change in changes {
            let (place, tears) = self.apply_one(change);
            first = first.min(place);
            torn |= tears;
        }
        (first, torn)
    }

    fn apply_one(&mut self, change: &Value) -> (Place, bool) {
        let new = change["text"].as_str().unwrap_or_default();
        let place = |end: &str| Place::read(&change["range"][end]);
        let (Some(start), Some(end)) = (place("start"), place("end")) else {
            new.clone_into(&mut self.text);
            let top = Place {
                line: 0,
                character: 0,
            };
            return (top, false);
        };
        let from = offset(&self.text, start);
        let to = offset(&self.text, end).max(from);
        let was = is_torn_at(&self.text, from) || is_torn_at(&self.text, to);
        self.text.replace_range(from..to, new);
        let is = is_torn_at(&self.text, from) || is_torn_at(&self.text, from + new.len());
        (start, was || is)
    }

    /// How many line ends the text has.
    pub(super) fn last_line(&self) -> u64 {
        lines(&self.text).len() as u64 - 1
    }

    /// The whole of it, as a range.
    pub(super) fn whole(&self) -> Value {
        let end = Place {
            line: self.last_line(),
            character: 0,
        };
        range(
            Place {
                line: 0,
                character: 0,
            },
            end,
        )
    }

    /// What Lean would say about the text as it is.
    pub(super) fn diagnostics(&self, silent_too: bool) -> Vec<Value> {
        if let Some(error) = &self.header_error {
            return vec![diagnostic(0, 0, 1, error)];
        }
        let mut found = Vec::new();
        if self.stale_imports {
            found.push(self.stale_import_diagnostic());
        }
        for (number, line) in lines(&self.text).into_iter().enumerate() {
            found.extend(diagnostic_of_line(number as u64, line, silent_too));
        }
        found
    }

    fn stale_import_diagnostic(&self) -> Value {
        json!({
            "severity": 3,
            "message": "Imports are out of date and should be rebuilt; use the \"Restart File\" command in your editor.",
            "range": {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}},
            "fullRange": self.whole(),
        })
    }

    /// The word at a place, with its range.
    pub(super) fn word_at(&self, place: Place) -> Option<(String, Value)> {
        let line = *lines(&self.text).get(usize::try_from(place.line).ok()?)?;
        let at = byte_of_column(line, place.character);
        let is_word = |character: char| character.is_alphanumeric() || "_.'".contains(character);
        let start = line[..at]
            .rfind(|character| !is_word(character))
            .map_or(0, |before| {
                before + line[before..].chars().next().map_or(1, char::len_utf8)
            });
        let end = line[at..]
            .find(|character| !is_word(character))
            .map_or(line.len(), |length| at + length);
        if start >= end {
            return None;
        }
        let column = |byte: usize| line[..byte].encode_utf16().count() as u64;
        let place_at = |character| Place {
            line: place.line,
            character,
        };
        Some((
            line[start..end].to_owned(),
            range(place_at(column(start)), place_at(column(end))),
        ))
    }
}

/// A range as JSON.
pub(super) fn range(start: Place, end: Place) -> Value {
    json!({"start": start.json(), "end": end.json()})
}

/// Marks in a text, the severity that each stands for, and whether it is a silent message.
const MARKS: [(&str, u64, bool); 5] = [
    ("ERROR:", 1, false),
    ("WARN:", 2, false),
    ("INFO:", 3, false),
    ("HINT:", 4, false),
    ("SILENT:", 3, true),
];

fn diagnostic_of_line(number: u64, line: &str, silent_too: bool) -> Option<Value> {
    let (at, mark, severity, silent) = MARKS
        .iter()
        .filter_map(|(mark, severity, silent)| Some((line.find(mark)?, *mark, *severity, *silent)))
        .min()?;
    if silent && !silent_too {
        return None;
    }
    let start = line[..at].encode_utf16().count() as u64;
    let mut found = diagnostic(number, start, severity, line[at + mark.len()..].trim());
    let end = line.encode_utf16().count() as u64;
    found["range"]["end"]["character"] = end.into();
    found["fullRange"] = found["range"].clone();
    if silent {
        found["isSilent"] = true.into();
        found["leanTags"] = json!([2]);
    }
    Some(found)
}

fn diagnostic(line: u64, character: u64, severity: u64, message: &str) -> Value {
    let start = Place { line, character };
    let end = Place {
        line,
        character: character + 1,
    };
    json!({
        "range": range(start, end),
        "fullRange": range(start, end),
        "severity": severity,
        "message": message,
        "source": "Lean 4",
    })
}

/// The lines of a text as Lean counts them: they end at `\n` alone, and a `\r` before it belongs to the end.
/// There is always one.
fn lines(text: &str) -> Vec<&str> {
    text.split('\n')
        .map(|line| line.strip_suffix('\r').unwrap_or(line))
        .collect()
}

/// Whether a byte is in the middle of a `\r\n`.
fn is_torn_at(text: &str, byte: usize) -> bool {
    text[..byte].ends_with('\r') && text[byte..].starts_with('\n')
}

/// The byte at a place; past the end of a line or of the text, that end.
fn offset(text: &str, place: Place) -> usize {
    let all = lines(text);
    match usize::try_from(place.line)
        .ok()
        .and_then(|line| all.get(line))
    {
        Some(line) => {
            let start = line.as_ptr() as usize - text.as_ptr() as usize;
            start + byte_of_column(line, place.character)
        }
        None => text.len(),
    }
}

fn byte_of_column(line: &str, column: u64) -> usize {
    let mut units = 0;
    for (byte, character) in line.char_indices() {
        if units >= column {
            return byte;
        }
        units += character.len_utf16() as u64;
    }
    line.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(text: &str, start: (u64, u64), end: (u64, u64), new: &str) -> String {
        let place = |(line, character)| Place { line, character };
        let mut document = Document::new(1, text.to_owned());
        document.apply(&[json!({"range": range(place(start), place(end)), "text": new})]);
        document.text
    }

    #[test]
    fn ranged_edits_count_utf16_units_and_lines_as_lean_does() {
        assert_eq!(edited("a😀b\nc", (0, 3), (0, 4), "X"), "a😀X\nc");
        assert_eq!(edited("a\r\nb\rc\nd", (1, 2), (2, 0), "X"), "a\r\nb\rXd");
        assert_eq!(edited("a\nb", (1, 1), (9, 9), "\nc"), "a\nb\nc");
        assert_eq!(edited("", (0, 0), (0, 0), "x"), "x");
    }

    #[test]
    fn an_edit_that_tears_a_line_end_is_noticed() {
        let torn = |text: &str, from: u64, to: u64, new: &str| {
            let place = |character| Place { line: 0, character };
            let mut document = Document::new(1, text.to_owned());
            let change = json!({"range": range(place(from), place(to)), "text": new});
            document.apply(&[change]).1
        };
        assert!(torn("ab\nc", 1, 2, "\r"), "one is made");
        assert!(
            torn("a\rb\nc", 2, 3, ""),
            "one is made by what is taken away"
        );
        assert!(!torn("ab\nc", 1, 2, "\r\n"));
        assert!(!torn("ab\r\nc", 1, 2, "x"));
    }

    #[test]
    fn an_edit_without_a_range_replaces_everything() {
        let mut document = Document::new(1, "old".to_owned());
        document.apply(&[json!({"text": "new"})]);
        assert_eq!(document.text, "new");
    }

    #[test]
    fn diagnostics_stand_where_their_mark_stands() {
        let document = Document::new(
            1,
            "ok\n𝔸 -- ERROR: bad  \nWARN: careful\nSILENT: x".to_owned(),
        );
        let found = document.diagnostics(false);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0]["message"], "bad");
        assert_eq!(
            found[0]["range"]["start"],
            json!({"line": 1, "character": 6})
        );
        assert_eq!(found[1]["severity"], 2);
        assert_eq!(document.diagnostics(true).len(), 3);
    }

    #[test]
    fn the_word_under_the_cursor_is_found_at_both_its_ends() {
        let document = Document::new(1, "def αβ.foo' := 1".to_owned());
        for character in [4, 7, 11] {
            let (word, range) = document.word_at(Place { line: 0, character }).unwrap();
            assert_eq!(word, "αβ.foo'");
            assert_eq!(range["start"]["character"], 4);
            assert_eq!(range["end"]["character"], 11);
        }
        assert_eq!(
            document.word_at(Place {
                line: 0,
                character: 13
            }),
            None
        );
        assert_eq!(
            document.word_at(Place {
                line: 7,
                character: 0
            }),
            None
        );
    }
}
