//! Edits and questions with many documents open.

use serde_json::{Value, json};

use super::{Plan, figures::Times, plain_client, table::Table};
use crate::{
    lean_text::{Line, text_of},
    must::Must,
    process::{self, descendants},
    raw_lean::{RawLean, uri},
    world::{Beam, Project},
};

/// How many lines each document has.
const LINES: u32 = 40;

/// The document that is edited and asked about.
const ACTIVE: &str = "F0.lean";

/// Edit to verdict and hover, with `documents` documents open.
pub(super) async fn measure(plan: &Plan, documents: usize) {
    let mut table = Table::new(&format!("{documents} documents open"));
    let plain = Plain::open(documents).await.measure(plan).await;
    let ours = Ours::open(documents).await.measure(plan).await;
    table.times(
        "edit to verdict, a program that lives on",
        Some(&plain.edit),
        &ours.edit,
    );
    table.times(
        "edit to verdict, command line",
        Some(&plain.edit),
        &ours.command,
    );
    table.times(
        "unchanged file, a program that lives on",
        None,
        &ours.unchanged,
    );
    table.times(
        "hover, a program that lives on",
        Some(&plain.hover),
        &ours.hover,
    );
    table.memory(
        "Lean and its workers",
        Some(plain.lean_bytes),
        ours.lean_bytes,
    );
    table.memory("daemon", None, ours.daemon_bytes);
    table.print();
}

/// The text of a document; `number` makes it different.
fn text(number: u32) -> String {
    let lines: Vec<_> = (0..LINES).map(|line| Line::of(line, line)).collect();
    text_of(&lines, "\n") + &last_line(number)
}

fn last_line(number: u32) -> String {
    Line::Unknown(number).text() + "\n"
}

struct PlainFigures {
    edit: Times,
    hover: Times,
    lean_bytes: u64,
}

struct Plain {
    lean: RawLean,
    folder: tempfile::TempDir,
}

impl Plain {
    async fn open(documents: usize) -> Self {
        let folder = tempfile::tempdir().must("make a folder");
        let mut lean = plain_client().await;
        for number in 0..documents {
            let path = folder.path().join(format!("F{number}.lean"));
            lean.open(&path, &text(0));
            lean.verdict(&path).await;
        }
        Self { lean, folder }
    }

    async fn measure(mut self, plan: &Plan) -> PlainFigures {
        let path = self.folder.path().join(ACTIVE);
        let mut edit = Times::default();
        for number in (1..).take(plan.rounds) {
            let change = replace_last_line(number);
            let verdict = async {
                self.lean.change(&path, &change);
                self.lean.verdict(&path).await
            };
            let found = edit.take(verdict).await;
            let last = found.last().must("find an error").to_string();
            assert!(last.contains(&format!("nope{number}")), "{last}");
        }
        let mut hover = Times::default();
        let place =
            json!({"textDocument": {"uri": uri(&path)}, "position": {"line": 6, "character": 8}});
        for _ in 0..plan.rounds {
            let answer = hover
                .take(self.lean.request("textDocument/hover", place.clone()))
                .await;
            assert!(answer.must("hover")["contents"].is_object());
        }
        let own = std::process::id();
        let lean_bytes = self
            .lean
            .process()
            .into_iter()
            .chain(descendants(self.lean.pid()))
            .filter(|one| one.pid != own)
            .map(|one| process::resident_bytes(one.pid))
            .sum();
        PlainFigures {
            edit,
            hover,
            lean_bytes,
        }
    }
}

fn replace_last_line(number: u32) -> Value {
    let place = |line| json!({"line": line, "character": 0});
    json!([{"range": {"start": place(LINES), "end": place(LINES + 1)}, "text": last_line(number)}])
}

struct OurFigures {
    edit: Times,
    command: Times,
    unchanged: Times,
    hover: Times,
    lean_bytes: u64,
    daemon_bytes: u64,
}

struct Ours {
    beam: Beam,
    project: Project,
    next: u32,
}

impl Ours {
    async fn open(documents: usize) -> Self {
        let beam = Beam::real();
        let project = beam.project();
        for number in 0..documents {
            let name = format!("F{number}.lean");
            project.write(&name, text(0));
            project.sync(&name).await.must("open a document");
        }
        Self {
            beam,
            project,
            next: 0,
        }
    }

    async fn measure(mut self, plan: &Plan) -> OurFigures {
        let edit = self.edits(plan).await;
        let command = self.commands(plan).await;
        let version = self.project.sync(ACTIVE).await.must("sync").version;
        let mut unchanged = Times::default();
        let mut hover = Times::default();
        for _ in 0..plan.rounds {
            unchanged.take(self.project.sync(ACTIVE)).await.must("sync");
            let answer = hover
                .take(self.project.hover(ACTIVE, version, (6, 8)))
                .await;
            assert!(answer.must("hover").contents.is_some());
        }
        let lean = self.beam.lean_processes();
        OurFigures {
            edit,
            command,
            unchanged,
            hover,
            lean_bytes: lean
                .iter()
                .map(|one| process::resident_bytes(one.pid))
                .sum(),
            daemon_bytes: self
                .beam
                .status()
                .await
                .resident_bytes
                .must("know the memory of the daemon"),
        }
    }

    fn edit_file(&mut self) {
        self.next += 1;
        self.project.write(ACTIVE, text(self.next));
    }

    async fn edits(&mut self, plan: &Plan) -> Times {
        let mut times = Times::default();
        for _ in 0..plan.rounds {
            self.edit_file();
            let result = times.take(self.project.sync(ACTIVE)).await.must("sync");
            let items = result.diagnostics.items.must("get the items");
            assert!(
                items
                    .last()
                    .must("find an error")
                    .message
                    .contains(&format!("nope{}", self.next))
            );
        }
        times
    }

    async fn commands(&mut self, plan: &Plan) -> Times {
        let mut times = Times::default();
        for _ in 0..plan.rounds {
            self.edit_file();
            let call = self.project.cli(&self.beam, ["sync", ACTIVE, "--json"]);
            times.take(call.run()).await.expect_code(1);
        }
        times
    }
}
