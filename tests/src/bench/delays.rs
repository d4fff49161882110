//! What Lean's `server.reportDelayMs` and incremental diagnostics are worth.

use serde_json::{Value, json};

use super::{Plan, figures::Times, lean, table::Table};
use crate::{
    lean_text::{Line, text_of},
    must::Must,
    raw_lean::RawLean,
};

/// Edit to verdict for each way in which Lean can report, on a small and on a large file.
pub(super) async fn measure(plan: &Plan) {
    for (size, lines) in [
        ("small file, 20 lines", 20),
        ("large file, 2000 lines", 2_000),
    ] {
        let mut table = Table::new(&format!("report delay, {size}"));
        for delay in [0, 20, 200] {
            for incremental in [true, false] {
                let way = Way {
                    delay,
                    incremental,
                    lines,
                };
                let (last, first) = way.edits(plan).await;
                let how = if incremental {
                    "increments"
                } else {
                    "whole lists"
                };
                table.plain_times(
                    &format!("delay {delay} ms, {how}, edit of the last line"),
                    &last,
                );
                table.plain_times(
                    &format!("delay {delay} ms, {how}, edit of the first line"),
                    &first,
                );
            }
        }
        table.print();
    }
}

struct Way {
    delay: u32,
    incremental: bool,
    lines: u32,
}

impl Way {
    /// Times for edits of the last line and of the first one.
    async fn edits(&self, plan: &Plan) -> (Times, Times) {
        let folder = tempfile::tempdir().must("make a folder");
        let path = folder.path().join("A.lean");
        let mut server = RawLean::start_offering(lean(self.delay), self.incremental).await;
        let lines: Vec<_> = (0..self.lines).map(line).collect();
        server.open(&path, &text_of(&lines, "\n"));
        server.verdict(&path).await;
        let (mut last, mut first) = (Times::default(), Times::default());
        for number in (0..).take(plan.slow_rounds) {
            for (times, line) in [(&mut last, self.lines - 1), (&mut first, 0)] {
                let change = replace_line(line, number);
                let verdict = async {
                    server.change(&path, &change);
                    server.verdict(&path).await
                };
                times.take(verdict).await;
            }
        }
        (last, first)
    }
}

/// Mostly proofs and comments, as in real files, with a message here and there.
fn line(number: u32) -> Line {
    match number % 20 {
        0 => Line::Unknown(number),
        odd if odd % 2 == 1 => Line::Good(number),
        _ => Line::Comment(number),
    }
}

fn replace_line(line: u32, number: u32) -> Value {
    let place = |line| json!({"line": line, "character": 0});
    let text = Line::Unknown(number).text() + "\n";
    json!([{"range": {"start": place(line), "end": place(line + 1)}, "text": text}])
}
