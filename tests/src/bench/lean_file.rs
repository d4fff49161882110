//! Lean files to measure with, and edits of them.

use serde_json::{Value, json};

/// First number of edits: they all have as many digits, so that an edit replaces what it put there before.
const FIRST_EDIT: u32 = 100_000;
/// Lines that say nothing above each theorem of a long file.
const COMMENT_LINES: usize = 18;
/// Name of the theorems that edits rename.
const KNOB: &str = "knob_";

/// Where in a file an edit happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Top,
    Middle,
    End,
}

impl Place {
    pub(super) const ALL: [Self; 3] = [Self::Top, Self::Middle, Self::End];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Top => "top",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// A Lean file that can be edited at three places, ever anew.
#[derive(Debug, Clone)]
pub(super) struct LeanFile {
    lines: Vec<String>,
    knobs: [usize; 3],
    errors: usize,
    edits: u32,
}

/// A change of part of one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    line: usize,
    start: usize,
    text: String,
}

impl Edit {
    /// The change as a plain client tells it to Lean.
    pub(super) fn as_lsp(&self) -> Value {
        let end = self.start + self.text.len();
        json!([{
            "range": {
                "start": { "line": self.line, "character": self.start },
                "end": { "line": self.line, "character": end },
            },
            "text": self.text,
        }])
    }
}

impl LeanFile {
    /// Ten lines, one of them an error.
    pub(super) fn small() -> Self {
        Self::assemble(&[
            "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p := by\n  constructor\n  · exact h.right\n  · exact h.left".to_owned(),
            "#check nope".to_owned(),
            "def twice (n : Nat) : Nat := n + n".to_owned(),
        ], 1)
    }

    /// At least `lines` lines: short proofs below long comments, so that the length is in the text and not in
    /// what Lean has to do. One proof in a hundred is wrong.
    pub(super) fn long(lines: usize) -> Self {
        let block = |number: usize| {
            let proof = proof(number, 100);
            let comment = vec!["one more line that says nothing"; COMMENT_LINES].join("\n");
            format!(
                "/- Number {number}:\n{comment} -/\ntheorem same_{number} : {number} = {number} := {proof}"
            )
        };
        Self::numbered(lines.div_ceil(COMMENT_LINES + 2), 100, block)
    }

    /// `count` theorems of one line each; one in twenty-five is wrong.
    pub(super) fn of_one_liners(count: usize) -> Self {
        let block = |number: usize| {
            let proof = proof(number, 25);
            format!("theorem same_{number} : {number} = {number} := {proof}")
        };
        Self::numbered(count, 25, block)
    }

    fn numbered(count: usize, wrong_one_in: usize, block: impl Fn(usize) -> String) -> Self {
        let blocks: Vec<_> = (1..=count).map(block).collect();
        Self::assemble(&blocks, count / wrong_one_in)
    }

    fn assemble(blocks: &[String], errors: usize) -> Self {
        let (first, second) = blocks.split_at(blocks.len() / 2);
        let mut lines = Vec::new();
        let mut knobs = [0; 3];
        for (at, part) in [&[][..], first, second].into_iter().enumerate() {
            lines.extend(
                part.iter()
                    .flat_map(|block| block.split('\n').map(str::to_owned)),
            );
            knobs[at] = lines.len();
            lines.push(knob(at, FIRST_EDIT));
        }
        Self {
            lines,
            knobs,
            errors,
            edits: 0,
        }
    }

    /// The whole text.
    pub(super) fn text(&self) -> String {
        let mut text = self.lines.join("\n");
        text.push('\n');
        text
    }

    pub(super) fn line_count(&self) -> usize {
        self.lines.len()
    }

    /// How many errors Lean finds in it, whatever its edits.
    pub(super) fn errors(&self) -> usize {
        self.errors
    }

    /// Changes the name of the theorem at `place`.
    pub(super) fn edit(&mut self, place: Place) -> Edit {
        self.edits += 1;
        let number = FIRST_EDIT + self.edits;
        let at = place as usize;
        let line = self.knobs[at];
        self.lines[line] = knob(at, number);
        let start = self.lines[line]
            .find(KNOB)
            .map_or(0, |start| start + KNOB.len());
        Edit {
            line,
            start,
            text: number.to_string(),
        }
    }
}

/// Two knobs never have the same name: `at` stands behind the number.
fn knob(at: usize, number: u32) -> String {
    format!("theorem {KNOB}{number}_{at} : 1 = 1 := rfl")
}

/// A proof, or, for one in `wrong_one_in`, something that makes exactly one error.
fn proof(number: usize, wrong_one_in: usize) -> &'static str {
    if number.is_multiple_of(wrong_one_in) {
        "nope"
    } else {
        "rfl"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_change_one_line_at_their_place_and_each_is_new() {
        let mut file = LeanFile::long(4000);
        assert!(file.line_count() >= 4000);
        for (place, line) in
            Place::ALL
                .into_iter()
                .zip([0, file.line_count() / 2, file.line_count() - 1])
        {
            let before = file.text();
            let edit = file.edit(place);
            let after = file.text();
            let changed: Vec<_> = (before.lines().zip(after.lines()).enumerate())
                .filter(|(_, (old, new))| old != new)
                .map(|(at, _)| at)
                .collect();
            assert_eq!(changed, [edit.line]);
            assert!(
                edit.line.abs_diff(line) <= 20,
                "{place:?} in line {}",
                edit.line
            );
            let line = after.lines().nth(edit.line).unwrap();
            assert_eq!(&line[edit.start..edit.start + edit.text.len()], edit.text);
        }
    }

    #[test]
    fn one_in_so_many_is_wrong() {
        assert_eq!(LeanFile::of_one_liners(2000).errors(), 80);
        assert_eq!(LeanFile::long(4000).errors(), 2);
        assert_eq!(LeanFile::small().errors(), 1);
        assert_eq!(LeanFile::small().line_count(), 9);
    }
}
