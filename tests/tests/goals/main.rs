//! `goals` and `term_goal` say what is to be proved, at every position, about exactly the version that was asked.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod oracle;
mod table;

use lean_beam_proto::{
    BeamResult,
    op::{GoalMode, Goals, GoalsParams, GoalsResult, ProofStatus},
    text::Position,
};
use lean_beam_tests::{
    must::Must,
    world::{Beam, Project},
};
use oracle::{Oracle, Side, compact};
use table::Row;

const FILES: [&str; 11] = [
    "Alternatives",
    "Bullets",
    "Caught",
    "Combinators",
    "Context",
    "Nested",
    "OneLine",
    "Rewriting",
    "Spread",
    "Unfinished",
    "Unicode",
];

fn params(name: &str, version: u64, position: Position, mode: GoalMode) -> GoalsParams {
    GoalsParams {
        path: name.to_owned(),
        version,
        line: position.line,
        character: Some(position.character),
        anchor: None,
        mode,
    }
}

async fn goals(
    project: &Project,
    name: &str,
    version: u64,
    position: Position,
    mode: GoalMode,
) -> BeamResult<GoalsResult> {
    project
        .call::<Goals>(params(name, version, position, mode))
        .await
}

/// What an answer must look like whatever it says.
fn whole(answer: &GoalsResult) -> Result<(), String> {
    let is_open = answer.status == ProofStatus::Open;
    if is_open == answer.goals.is_empty() && answer.status != ProofStatus::Failed {
        return Err(format!(
            "{:?} with {} goals",
            answer.status,
            answer.goals.len()
        ));
    }
    for goal in &answer.goals {
        let case = goal.user_name.iter().map(|name| format!("case {name}"));
        let target = format!("{}{}", goal.goal_prefix, goal.target);
        let hypotheses = goal.hyps.iter().map(|hypothesis| {
            let names = hypothesis.names.join(" ");
            match &hypothesis.value {
                Some(value) => format!("{names} : {} := {value}", hypothesis.type_),
                None => format!("{names} : {}", hypothesis.type_),
            }
        });
        let printed: Vec<_> = case.chain(hypotheses).chain([target]).collect();
        // Lean indents what goes on in the next line.
        let printed: Vec<_> = printed
            .iter()
            .map(|part| part.replace('\n', "\n  "))
            .collect();
        if !answer.rendered.contains(&printed.join("\n")) {
            return Err(format!("{printed:?} is not in {}", answer.rendered));
        }
    }
    Ok(())
}

/// One file of the table, open in both servers.
struct Page<'a> {
    project: &'a Project,
    file: String,
    version: u64,
    text: String,
}

impl Page<'_> {
    /// What is wrong with the answers at one position, and how many states were traced.
    async fn check(&self, oracle: &mut Oracle, row: &Row) -> (Vec<String>, usize) {
        let (mut faults, mut traced) = (Vec::new(), 0);
        for (mode, side, status) in [
            (GoalMode::Before, Side::Before, row.before),
            (GoalMode::After, Side::After, row.after),
        ] {
            let answer = goals(self.project, &self.file, self.version, row.position, mode);
            let answer = answer.await.must("get the goals");
            let basis = row.basis.map(|(range, _)| range);
            if (answer.basis, answer.status) != (basis, status) {
                faults.push(format!("{:?} about {:?}", answer.status, answer.basis));
            }
            let Some((basis, kind)) = row.basis else {
                continue;
            };
            faults.extend(whole(&answer).err());
            match oracle.state(&self.text, basis, kind, side).await {
                Some(expected) if expected == compact(&answer.rendered) => traced += 1,
                // Nothing is run behind a tactic that fails.
                None if status == ProofStatus::Failed => {}
                expected => faults.push(format!(
                    "{mode:?}: answered\n{}\ntraced\n{}",
                    answer.rendered,
                    expected.unwrap_or_default()
                )),
            }
        }
        (faults, traced)
    }
}

#[tokio::test]
async fn every_position_of_the_table_has_the_state_that_lean_traces_there() {
    let beam = Beam::real();
    let project = beam.project();
    let mut oracle = Oracle::start().await;
    let (mut positions, mut states, mut wrong) = (0, 0, Vec::new());
    for name in FILES {
        let (file, text) = (format!("{name}.lean"), table::text(name));
        project.write(&file, &text);
        let version = project.sync(&file).await.must("sync").version;
        let page = Page {
            project: &project,
            file,
            version,
            text,
        };
        for row in table::rows(name) {
            let (faults, traced) = page.check(&mut oracle, &row).await;
            if !faults.is_empty() {
                wrong.push(format!("{name} {}\n{}", row.shown, faults.join("\n")));
            }
            positions += 1;
            states += traced;
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {positions}:\n{}",
        wrong.len(),
        wrong.join("\n\n")
    );
    assert!(
        positions >= 500 && states >= 1_000,
        "{positions} positions, {states} states"
    );
}
