//! Every tactic of a file works where it stands: run as a text just before itself, it leaves the very goals that it
//! leaves in the file.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use lean_beam_proto::{
    op::{GoalMode, Goals, GoalsParams, GoalsResult, ProofStatus},
    text::{Position, Range},
};
use lean_beam_tests::{
    must::Must,
    oracle::fixture_files,
    probing::Prober,
    world::{Beam, Project},
};

/// Every how many-th place is looked at, unless [`STRIDE_VARIABLE`] says otherwise.
const STRIDE: usize = 4;
/// For a longer run than every change needs.
const STRIDE_VARIABLE: &str = "LEAN_BEAM_TEST_OWN_STRIDE";
/// Fewer tactics than this mean that something was lost.
const TACTICS: usize = 150;

/// A file whose layout misleads the outline that tells where a tactic ends.
const CROOKED: &str = "crooked.lean";

/// What a tactic may stand behind on its line. Alternatives of `first` are not meant to work.
const OPENERS: [&str; 4] = ["· ", "=> ", "by ", "; "];

/// No tactics that do the same before themselves: alternatives and `by`, which are none; `case`, whose goal Lean
/// shows already at its first character.
const OTHERS: [&str; 3] = ["| ", "by", "case "];

/// Where a tactic may start: at the first character of a line, and behind what opens a block.
fn starts(text: &str) -> Vec<Position> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let first = line.len() - line.trim_start().len();
        let behind = OPENERS
            .iter()
            .flat_map(|opener| line.match_indices(opener).map(|(at, _)| at + opener.len()));
        for at in std::iter::once(first).chain(behind) {
            let columns = line[..at].encode_utf16().count();
            found.push(Position::new(number as u32, columns as u32));
        }
    }
    found
}

/// The text of a range, its later lines moved left as far as its first line stands to the right.
fn own_text(text: &str, range: Range) -> String {
    let column = |line: &str, character: u32| {
        let mut units = 0;
        let mut columns = line.char_indices();
        let found = columns.find(|(_, next)| {
            let reached = units >= character as usize;
            units += next.len_utf16();
            reached
        });
        found.map_or(line.len(), |(at, _)| at)
    };
    let (first, last) = (range.start.line as usize, range.end.line as usize);
    let lines: Vec<&str> = text.lines().skip(first).take(last - first + 1).collect();
    let from = column(lines[0], range.start.character);
    let indentation = lines[0][..from].chars().count();
    let own = lines.iter().enumerate().map(|(number, line)| {
        let end = if first + number == last {
            column(line, range.end.character)
        } else {
            line.len()
        };
        let line = &line[..end];
        if number == 0 {
            return &line[from..];
        }
        let blanks = line.len() - line.trim_start_matches(' ').len();
        &line[blanks.min(indentation)..]
    });
    own.collect::<Vec<_>>().join("\n")
}

async fn goals(
    project: &Project,
    name: &str,
    version: u64,
    at: Position,
    mode: GoalMode,
) -> GoalsResult {
    let params = GoalsParams {
        path: name.to_owned(),
        version,
        line: at.line,
        character: Some(at.character),
        anchor: None,
        mode,
    };
    project.call::<Goals>(params).await.must("ask for goals")
}

/// How many tactics a file has, and what is wrong about them.
async fn examine(project: &Project, name: &str, text: &str, stride: usize) -> (usize, Vec<String>) {
    let prober = Prober::open(project, name, text).await;
    let mut count = 0;
    let mut wrong = Vec::new();
    for at in starts(text)
        .into_iter()
        .skip(name.len() % stride)
        .step_by(stride)
    {
        let before = goals(project, name, prober.version, at, GoalMode::Before).await;
        let Some(basis) = before.basis.filter(|basis| basis.start == at) else {
            continue;
        };
        let own = own_text(text, basis);
        let is_rule = own.starts_with(char::is_uppercase);
        let is_other = OTHERS.iter().any(|other| own.starts_with(other)) || own.ends_with(" in");
        if before.status != ProofStatus::Open || is_rule || is_other {
            continue;
        }
        let after = goals(project, name, prober.version, at, GoalMode::After).await;
        count += 1;
        let result = prober.run_at((at.line, at.character), &own).await;
        let is_right = result.as_ref().is_ok_and(|result| {
            result.success
                && result
                    .proof_state
                    .as_ref()
                    .is_some_and(|state| state.rendered == after.rendered)
        });
        if !is_right {
            wrong.push(format!(
                "{name}:{}:{} {own:?}: {result:?}\n  {after:?}",
                at.line, at.character
            ));
        }
    }
    (count, wrong)
}

#[tokio::test]
async fn every_tactic_does_before_itself_what_it_does_in_the_file() {
    let beam = Beam::real();
    let project = beam.project();
    let mut count = 0;
    let mut wrong = Vec::new();
    let stride = std::env::var(STRIDE_VARIABLE).ok();
    let stride = stride.map_or(STRIDE, |number| number.parse().must("read a stride"));
    for (name, text) in fixture_files() {
        project.write(&name, &text);
        let errors = project
            .sync(&name)
            .await
            .must("sync")
            .diagnostics
            .counts
            .error;
        if errors > 0 || name == CROOKED {
            continue;
        }
        let (tactics, found) = examine(&project, &name, &text, stride).await;
        count += tactics;
        wrong.extend(found);
    }
    println!("{count} tactics, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= TACTICS, "only {count} tactics");
}
