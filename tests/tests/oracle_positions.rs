//! A text can be run nearly everywhere: at positions all over many files, a text that changes nothing shows the
//! very goals that a plain client of Lean is shown there.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::path::Path;

use futures_util::{StreamExt as _, stream};
use lean_beam_proto::{BeamError, BeamResult, ErrorCode, op::RunResult, text::Position};
use lean_beam_tests::{
    must::Must,
    oracle::{File, fixture_files},
    probing::{Prober, rendered},
    raw_lean::{RawLean, uri},
    world::{Beam, Project},
};
use serde_json::{Value, json};

/// Every how many-th position is asked at, unless [`STRIDE_VARIABLE`] says otherwise.
const STRIDE: usize = 61;
/// For a longer run than every change needs.
const STRIDE_VARIABLE: &str = "LEAN_BEAM_TEST_STRIDE";
/// Fewer positions than this mean that something was lost.
const POSITIONS: usize = 300;

/// All positions of a text: before each character, and at the end of each line.
fn positions(text: &str) -> Vec<Position> {
    let mut found = Vec::new();
    let mut at = Position::new(0, 0);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        // Between the two halves of a line end is no position.
        found.push(at);
        if character == '\r' && characters.peek() == Some(&'\n') {
            characters.next();
            at = Position::new(at.line + 1, 0);
        } else if character == '\n' {
            at = Position::new(at.line + 1, 0);
        } else {
            at.character += if character.len_utf16() == 2 { 2 } else { 1 };
        }
    }
    found.push(at);
    found
}

/// The goals that a plain client is shown; none where there is no proof.
async fn shown(lean: &mut RawLean, path: &Path, position: Position) -> Option<String> {
    let params = json!({"textDocument": {"uri": uri(path)}, "position": position});
    let answer = lean
        .request("$/lean/plainGoal", params)
        .await
        .must("ask for goals");
    let goals = answer.get("goals").and_then(Value::as_array)?;
    let goals: Vec<_> = goals.iter().filter_map(Value::as_str).collect();
    Some(if goals.is_empty() {
        "no goals".to_owned()
    } else {
        goals.join("\n\n")
    })
}

/// What came of the positions of a file.
#[derive(Debug, Default)]
struct Report {
    asked: usize,
    in_proofs: usize,
    in_comments: usize,
    /// Right, but Lean shows goals of several runs of a tactic, some of them more than once.
    repeated: usize,
    refused: Vec<String>,
    wrong: Vec<String>,
}

impl Report {
    fn add(&mut self, place: &str, goals: Option<&str>, result: BeamResult<RunResult>) {
        self.asked += 1;
        self.in_proofs += usize::from(goals.is_some());
        match result {
            Ok(result) if is_right(goals, &result) => {}
            Ok(result) if goals.is_some_and(|goals| is_right(Some(&each_once(goals)), &result)) => {
                self.repeated += 1;
            }
            Ok(result) => self
                .wrong
                .push(format!("{place}: {result:?}, not {goals:?}")),
            Err(error) if is_about_a_comment(&error) => self.in_comments += 1,
            Err(error) if error.code == ErrorCode::InvalidParams => {
                self.refused.push(format!("{place}: {}", error.message));
            }
            Err(error) => self.wrong.push(format!("{place}: {error:?}")),
        }
    }

    fn merge(&mut self, other: Self) {
        self.asked += other.asked;
        self.in_proofs += other.in_proofs;
        self.in_comments += other.in_comments;
        self.repeated += other.repeated;
        self.refused.extend(other.refused);
        self.wrong.extend(other.wrong);
    }
}

fn is_right(goals: Option<&str>, result: &RunResult) -> bool {
    match goals {
        Some(goals) => {
            result.success && without_numbers(rendered(result)) == without_numbers(goals)
        }
        None => result.success && result.proof_state.is_none() && result.messages.len() == 1,
    }
}

/// Where a tactic runs several times, Lean shows the goals of all runs, we show each once.
fn each_once(goals: &str) -> String {
    let mut seen = Vec::new();
    for goal in goals.split("\n\n") {
        if !seen.contains(&goal) {
            seen.push(goal);
        }
    }
    seen.join("\n\n")
}

/// Metavariables have other numbers in each run.
fn without_numbers(text: &str) -> String {
    let mut parts = text.split("?m.");
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        result.push_str("?m.");
        result.push_str(part.trim_start_matches(|one: char| one.is_ascii_digit()));
    }
    result
}

fn is_about_a_comment(error: &BeamError) -> bool {
    let ends = ["is inside a comment", "is inside a string"];
    error.code == ErrorCode::InvalidParams && ends.iter().any(|end| error.message.ends_with(end))
}

async fn examine(project: &Project, (name, text): File, stride: usize) -> Report {
    let mut lean = RawLean::start_real(project.root()).await;
    let prober = Prober::open(project, &name, &text).await;
    let path = project.path(&name);
    lean.open(&path, &text);
    let mut report = Report::default();
    for position in positions(&text)
        .into_iter()
        .skip(name.len() % stride)
        .step_by(stride)
    {
        let goals = shown(&mut lean, &path, position).await;
        let probe = if goals.is_some() {
            "skip"
        } else {
            "#check Nat"
        };
        let place = (position.line, position.character);
        let result = prober.run_at(place, probe).await;
        let place = format!("{name}:{}:{}", position.line, position.character);
        report.add(&place, goals.as_deref(), result);
    }
    report
}

#[tokio::test]
async fn positions_all_over_many_files_have_the_state_that_lean_shows() {
    let beam = Beam::real();
    let project = beam.project();
    let stride = std::env::var(STRIDE_VARIABLE).ok();
    let stride = stride.map_or(STRIDE, |number| number.parse().must("read a stride"));
    let reports: Vec<_> = stream::iter(fixture_files())
        .map(|file| examine(&project, file, stride))
        .buffer_unordered(2)
        .collect()
        .await;
    let mut all = Report::default();
    reports.into_iter().for_each(|report| all.merge(report));
    println!(
        "{} positions, {} of them in proofs, {} in comments and strings, {} with repeated goals, {} refused, {} wrong",
        all.asked,
        all.in_proofs,
        all.in_comments,
        all.repeated,
        all.refused.len(),
        all.wrong.len()
    );
    for one in all.wrong.iter().chain(&all.refused) {
        println!("{one}");
    }
    assert!(all.asked >= POSITIONS && all.in_proofs * 4 > all.asked);
    assert!(all.wrong.is_empty(), "the answers above are wrong");
    // Only tactics that run several times are a reason.
    assert!(all.repeated * 100 < all.asked, "goals are left out");
    assert!(all.refused.len() * 50 < all.asked, "too many are refused");
}
