//! The state at a place, found out by putting `trace_state` there and asking a Lean server of our own.

use std::{collections::HashMap, ops::Range, path::PathBuf};

use lean_beam_proto::text::{Position, Range as TextRange};
use lean_beam_tests::{must::Must, raw_lean::RawLean};
use serde_json::json;

use crate::table::Kind;

const TRACE: &str = "trace_state";
/// Tactics that what follows in the same line would belong to.
const TAKING_ALL: [&str; 5] = ["try ", "first", "repeat", "all_goals", "any_goals"];

/// Which side of a tactic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Side {
    Before,
    After,
}

/// A Lean server that edited copies of files are shown to.
#[derive(Debug)]
pub(crate) struct Oracle {
    lean: RawLean,
    path: PathBuf,
    is_open: bool,
    /// What was traced, by text.
    known: HashMap<String, Vec<String>>,
    // The server's directory, until the end.
    _folder: tempfile::TempDir,
}

impl Oracle {
    pub(crate) async fn start() -> Self {
        let folder = tempfile::tempdir().must("make a folder");
        Self {
            lean: RawLean::start_real(folder.path()).await,
            path: folder.path().join("Oracle.lean"),
            is_open: false,
            known: HashMap::new(),
            _folder: folder,
        }
    }

    /// What Lean prints at a `trace_state` on one side of `basis`, compact; `None` when it does not get there.
    pub(crate) async fn state(
        &mut self,
        text: &str,
        basis: TextRange,
        kind: Kind,
        side: Side,
    ) -> Option<String> {
        let span = offset(text, basis.start)..offset(text, basis.end);
        let (edited, mark) = edit(text, span, kind, side);
        let messages = self.messages(&edited, mark).await;
        let shown = once_each(&compact(&messages.join("\n")));
        match (messages.is_empty(), shown.is_empty()) {
            (true, _) => None,
            (false, true) => Some("no goals".to_owned()),
            (false, false) => Some(shown),
        }
    }

    async fn messages(&mut self, text: &str, mark: usize) -> Vec<String> {
        if !self.known.contains_key(text) {
            if self.is_open {
                self.lean.change(&self.path, &json!([{"text": text}]));
            } else {
                self.lean.open(&self.path, text);
                self.is_open = true;
            }
            let start = position(text, mark);
            let at_mark = |one: &serde_json::Value| {
                one["severity"] == 3 && one["range"]["start"] == json!(start)
            };
            let verdict = self.lean.verdict(&self.path).await;
            let messages = verdict
                .iter()
                .filter(|one| at_mark(one))
                .filter_map(|one| one["message"].as_str().map(str::to_owned));
            self.known.insert(text.to_owned(), messages.collect());
        }
        self.known[text].clone()
    }
}

/// Without empty lines: where a tactic is run several times, Lean joins what is traced without any.
pub(crate) fn compact(printed: &str) -> String {
    let lines = printed.lines().filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

/// Each goal of a compact text once: one that is left from run to run of a tactic is one goal.
fn once_each(printed: &str) -> String {
    let mut goals: Vec<String> = Vec::new();
    let mut goal = String::new();
    // A target may go on in indented lines.
    let mut lines = printed.lines().peekable();
    let mut in_target = false;
    while let Some(line) = lines.next() {
        in_target |= line.starts_with('⊢');
        goal.push_str(line);
        goal.push('\n');
        let goes_on = lines.peek().is_some_and(|next| next.starts_with(' '));
        if in_target && !goes_on {
            goals.push(std::mem::take(&mut goal));
            in_target = false;
        }
    }
    goals.push(goal);
    let mut seen = std::collections::HashSet::new();
    goals.retain(|goal| seen.insert(goal.clone()));
    goals.concat().trim_end().to_owned()
}

/// The text with a `trace_state` on one side of the tactic at `span`, and where it is.
fn edit(text: &str, span: Range<usize>, kind: Kind, side: Side) -> (String, usize) {
    match (kind, side) {
        (Kind::Tactic, Side::Before) => before_tactic(text, span.start),
        (Kind::Tactic, Side::After) => after_tactic(text, span.start, span.end),
        (Kind::Part, _) => around_part(text, span, side),
        (Kind::Rule, _) => at_rule(text, span, side),
        (Kind::Block, Side::Before) => match first_tactic(text, &span) {
            Some(start) => before_tactic(text, start),
            None => insert(text, span.end, " ", ""),
        },
        (Kind::Block, Side::After) => match first_tactic(text, &span) {
            Some(start) => after_tactic(text, start, span.end),
            None => insert(text, span.end, " ", ""),
        },
    }
}

fn before_tactic(text: &str, start: usize) -> (String, usize) {
    let separator = if is_first(text, start) {
        format!("\n{}", indent(text, start))
    } else {
        "; ".to_owned()
    };
    insert(text, start, "", &separator)
}

/// Behind the tactics from `start`, which give the block's column, up to `end`.
fn after_tactic(text: &str, start: usize, end: usize) -> (String, usize) {
    let tactic = &text[start..end];
    if !is_first(text, start) && TAKING_ALL.iter().any(|word| tactic.starts_with(word)) {
        let enclosed = format!("{}({tactic}); ", &text[..start]);
        let mark = enclosed.len();
        return (format!("{enclosed}{TRACE}{}", &text[end..]), mark);
    }
    let several_lines = tactic.contains('\n');
    if is_first(text, start) || several_lines {
        return insert(text, end, &format!("\n{}", indent(text, start)), "");
    }
    // In a block of one line, unless the trace would become a part of a block in the tactic.
    if tactic.contains("=>") {
        let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let first = line
            + text[line..]
                .find(|c: char| c != ' ')
                .must("find the line's text");
        return insert(text, end, &format!("\n{}", indent(text, first)), "");
    }
    insert(text, end, "; ", "")
}

fn around_part(text: &str, span: Range<usize>, side: Side) -> (String, usize) {
    let part = &text[span.clone()];
    let (inside, at) = match side {
        Side::Before => (format!("({TRACE}; {part})"), 1),
        Side::After => (format!("({part}; {TRACE})"), 1 + part.len() + 2),
    };
    let edited = format!("{}{inside}{}", &text[..span.start], &text[span.end..]);
    (edited, span.start + at)
}

/// Rewrites with the rules before the place, traces, and leaves the rest as it was.
fn at_rule(text: &str, span: Range<usize>, side: Side) -> (String, usize) {
    let list = text[..span.start].rfind('[').must("find the rules");
    let word = ["rewrite ", "rw "]
        .iter()
        .find_map(|word| text[..list].ends_with(word).then_some(list - word.len()));
    let start = word.must("find the tactic");
    let end = match side {
        Side::Before => span.start,
        Side::After => span.end,
    };
    let rules = text[list + 1..end].trim_end_matches([',', ' ', '\n']);
    // What follows the list, such as `at h`, goes for the rules before the place too.
    let close = end + text[end..].find(']').must("find the end of the rules");
    let rest = text[close + 1..].lines().next().unwrap_or_default();
    let lead = if rules.is_empty() {
        String::new()
    } else {
        format!("rewrite [{rules}]{rest}\n{}", indent(text, start))
    };
    let separator = format!("\n{}", indent(text, start));
    insert(text, start, &lead, &separator)
}

/// Puts `before`, a trace and `after` at `at`.
fn insert(text: &str, at: usize, before: &str, after: &str) -> (String, usize) {
    let edited = format!("{}{before}{TRACE}{after}{}", &text[..at], &text[at..]);
    (edited, at + before.len())
}

/// Where the first tactic of a block starts; `None` in an empty one.
fn first_tactic(text: &str, span: &Range<usize>) -> Option<usize> {
    let block = &text[span.clone()];
    let opener = if block.starts_with("by") {
        2
    } else {
        block.find("=>").must("find the arrow") + 2
    };
    let mut at = opener;
    loop {
        let rest = &block[at..];
        let space = rest.len() - rest.trim_start().len();
        let comment = match &rest[space..] {
            "" => return None,
            code if code.starts_with("--") => code.find('\n').must("end a comment"),
            _ => return Some(span.start + at + space),
        };
        at += space + comment;
    }
}

fn is_first(text: &str, at: usize) -> bool {
    let line = text[..at].rsplit('\n').next().unwrap_or_default();
    line.trim().is_empty()
}

fn indent(text: &str, at: usize) -> String {
    let line = text[..at].rsplit('\n').next().unwrap_or_default();
    " ".repeat(line.chars().count())
}

/// Byte offset of a position with UTF-16 columns.
pub(crate) fn offset(text: &str, position: Position) -> usize {
    let mut lines = text.split_inclusive('\n');
    let start: usize = lines
        .by_ref()
        .take(position.line as usize)
        .map(str::len)
        .sum();
    let mut column = 0;
    for (at, character) in text[start..].char_indices() {
        if column == position.character as usize {
            return start + at;
        }
        column += character.len_utf16();
    }
    text.len()
}

fn position(text: &str, offset: usize) -> Position {
    let line = text[..offset].matches('\n').count();
    let last = text[..offset].rsplit('\n').next().unwrap_or_default();
    let number = |value: usize| u32::try_from(value).must("count");
    Position::new(number(line), number(last.encode_utf16().count()))
}
