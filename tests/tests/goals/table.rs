//! The golden table: what `goals` answers at each of many positions.

use std::{fs, path::PathBuf};

use lean_beam_proto::{
    op::ProofStatus,
    text::{Position, Range},
};
use lean_beam_tests::{must::Must, programs};

/// One position.
#[derive(Debug)]
pub(crate) struct Row {
    /// The line of the table, for messages.
    pub(crate) shown: String,
    pub(crate) position: Position,
    /// What the answer is about, and how the state around it can be traced; `None` outside proofs.
    pub(crate) basis: Option<(Range, Kind)>,
    pub(crate) before: ProofStatus,
    pub(crate) after: ProofStatus,
}

/// What the answer is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A tactic of a block.
    Tactic,
    /// One side of `<;>`.
    Part,
    /// A rewrite rule.
    Rule,
    /// What opens a block.
    Block,
}

/// The text of a file of the table.
pub(crate) fn text(name: &str) -> String {
    read(name, "lean")
}

/// The rows of a file of the table. Each is `line:column basis kind before after | the line with ‸ at the position`,
/// or `line:column - before after | …` outside proofs.
pub(crate) fn rows(name: &str) -> Vec<Row> {
    let text = text(name);
    let lines: Vec<_> = text.split('\n').collect();
    read(name, "table")
        .lines()
        .map(|line| row(line, &lines))
        .collect()
}

fn read(name: &str, extension: &str) -> String {
    let path: PathBuf = programs::repository()
        .join("tests/fixtures/goals")
        .join(name)
        .with_extension(extension);
    fs::read_to_string(&path).must("read a file of the table")
}

fn row(shown: &str, lines: &[&str]) -> Row {
    let (facts, marked) = shown.split_once(" | ").must("split a row");
    let facts: Vec<_> = facts.split(' ').collect();
    let position = position(facts[0]);
    check_mark(position, marked, lines);
    let (basis, states) = match facts[1..] {
        ["-", before, after] => (None, (before, after)),
        [basis, kind, before, after] => {
            let (start, end) = basis.split_once('-').must("split a range");
            let range = Range::new(self::position(start), self::position(end));
            (Some((range, self::kind(kind))), (before, after))
        }
        _ => panic!("no row: {shown}"),
    };
    Row {
        shown: shown.to_owned(),
        position,
        basis,
        before: status(states.0),
        after: status(states.1),
    }
}

fn position(text: &str) -> Position {
    let (line, column) = text.split_once(':').must("split a position");
    let number = |text: &str| text.parse().must("read a number");
    Position::new(number(line), number(column))
}

fn kind(word: &str) -> Kind {
    match word {
        "tactic" => Kind::Tactic,
        "part" => Kind::Part,
        "rule" => Kind::Rule,
        "block" => Kind::Block,
        _ => panic!("no kind: {word}"),
    }
}

fn status(word: &str) -> ProofStatus {
    match word {
        "open" => ProofStatus::Open,
        "solved" => ProofStatus::Solved,
        "failed" => ProofStatus::Failed,
        "none" => ProofStatus::None,
        _ => panic!("no status: {word}"),
    }
}

/// The row shows the position that it names.
fn check_mark(position: Position, marked: &str, lines: &[&str]) {
    let before = marked.split('‸').next().must("find the mark");
    assert_eq!(
        before.encode_utf16().count(),
        position.character as usize,
        "{marked}"
    );
    assert_eq!(marked.replace('‸', ""), lines[position.line as usize]);
}
