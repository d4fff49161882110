//! What a text does at a place is what it does when the file is really edited: the answers of `run_at`, held
//! against `lean` on edited files.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use futures_util::{StreamExt as _, stream};
use lean_beam_proto::{
    BeamResult, ErrorCode,
    op::{RunAt, RunAtParams, RunResult},
};
use lean_beam_tests::{
    must::Must,
    oracle::{
        Ask, COMMANDS, INCOMPLETE, Judge, Kind, Outcome, SiteId, TACTICS, Template, Truth, compare,
    },
    programs::repository,
    world::{Beam, Project},
};

/// A text that changes nothing: it shows the state that a failing text leaves.
const NOTHING: &str = "skip";
/// How many texts run at each site, apart from that one, unless [`TEXTS_VARIABLE`] says otherwise.
const TEXTS_PER_SITE: usize = 5;
/// For a longer run than every change needs.
const TEXTS_VARIABLE: &str = "LEAN_BEAM_TEST_ORACLE_TEXTS";
/// How many of them run at further positions that mean the same site.
const TEXTS_PER_FURTHER_ASK: usize = 2;
/// Fewer cases than this mean that something was lost.
const CASES: usize = 600;

/// Texts by site, in the order in which they run.
type Plan = BTreeMap<SiteId, Vec<String>>;
/// What `lean` says, by site and text.
type Truths = BTreeMap<(SiteId, String), Truth>;

/// What came of a file.
#[derive(Debug, Default)]
struct Report {
    cases: usize,
    successes: usize,
    refused: Vec<String>,
    differences: Vec<String>,
}

fn texts_per_site() -> usize {
    let given = std::env::var(TEXTS_VARIABLE).ok();
    given.map_or(TEXTS_PER_SITE, |number| {
        number.parse().must("read a number of texts")
    })
}

fn templates() -> Vec<Template> {
    let folder = repository().join("tests/fixtures/oracle");
    let entries = fs::read_dir(folder).must("list the templates");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.must("list the templates").path())
        .collect();
    paths.sort();
    paths.iter().map(|path| Template::read(path)).collect()
}

/// A different choice of texts for each site, the same in each run.
fn plan(template: &Template, first: usize) -> Plan {
    let mut number = first;
    let mut plan = Plan::new();
    for (site, kind) in &template.sites {
        let (texts, mut chosen) = match kind {
            Kind::Commands => (COMMANDS, Vec::new()),
            Kind::Before | Kind::After => (TACTICS, vec![NOTHING.to_owned()]),
        };
        for _ in 0..texts_per_site().min(texts.len()) {
            let text = texts[number % texts.len()];
            chosen.push(text.replace('§', &number.to_string()));
            number += 1;
        }
        if *kind != Kind::Commands {
            let text = INCOMPLETE[plan.len() % INCOMPLETE.len()];
            chosen.push(text.to_owned());
        }
        plan.insert(*site, chosen);
    }
    plan
}

/// Has `lean` judge every text of a plan. A run judges one text of each part of the file, or one command.
fn truths(template: &Template, plan: &Plan, folder: &Path) -> Truths {
    let judge = Judge::new(&template.base(), &folder.join(&template.name));
    let mut waiting = plan.clone();
    let mut truths = Truths::new();
    for (site, texts) in &mut waiting {
        let wrong = texts.extract_if(.., |text| INCOMPLETE.contains(&text.as_str()));
        truths.extend(wrong.map(|text| ((*site, text), Truth::incomplete())));
    }
    loop {
        let round = next_round(template, &mut waiting);
        if round.is_empty() {
            return truths;
        }
        let found = judge.judge(&template.edit(&round));
        assert_eq!(found.len(), round.len(), "every site is in the edited file");
        truths.extend(round.into_iter().zip(found));
    }
}

/// Takes what one run can judge.
fn next_round(template: &Template, waiting: &mut Plan) -> BTreeMap<SiteId, String> {
    let mut round = BTreeMap::new();
    let mut parts = Vec::new();
    for (site, texts) in waiting {
        if texts.is_empty() || parts.contains(&site.part) {
            continue;
        }
        let is_command = template.sites[site] == Kind::Commands;
        if is_command && !round.is_empty() {
            continue;
        }
        parts.push(site.part);
        round.insert(*site, texts.remove(0));
        if is_command {
            break;
        }
    }
    round
}

async fn run_at(
    project: &Project,
    name: &str,
    version: u64,
    ask: &Ask,
    text: &str,
) -> BeamResult<RunResult> {
    let params = RunAtParams {
        path: name.to_owned(),
        version,
        line: ask.position.line,
        character: Some(ask.position.character),
        anchor: None,
        text: text.to_owned(),
    };
    project.call::<RunAt>(params).await
}

/// Asks the daemon for every text of a plan at every position that means its site.
async fn examine(project: &Project, template: &Template, plan: &Plan, truths: &Truths) -> Report {
    let mut report = Report::default();
    let name = template.name.as_str();
    project.write(name, template.base());
    let version = project.update(name).await.must("update").version;
    let mut asked = Vec::new();
    for ask in &template.asks {
        let is_first = !asked.contains(&ask.site);
        asked.push(ask.site);
        let texts = &plan[&ask.site];
        let count = if is_first {
            texts.len()
        } else {
            TEXTS_PER_FURTHER_ASK.min(texts.len())
        };
        for text in &texts[..count] {
            let result = run_at(project, name, version, ask, text).await;
            report.add(template, ask, text, &result, truths);
        }
    }
    report
}

impl Report {
    fn add(
        &mut self,
        template: &Template,
        ask: &Ask,
        text: &str,
        result: &BeamResult<RunResult>,
        truths: &Truths,
    ) {
        let case = format!(
            "{}:{}:{} {text:?}",
            template.name, ask.position.line, ask.position.character
        );
        self.cases += 1;
        let result = match result {
            Ok(result) => result,
            Err(error) if error.code == ErrorCode::InvalidParams => {
                self.refused.push(format!("{case}: {}", error.message));
                return;
            }
            Err(error) => {
                self.differences.push(format!("{case}: {error:?}"));
                return;
            }
        };
        self.successes += usize::from(result.success);
        let truth = &truths[&(ask.site, text.to_owned())];
        let before = truths.get(&(ask.site, NOTHING.to_owned()));
        let before = before.and_then(|truth| match &truth.outcome {
            Outcome::Success(goals) => goals.as_deref(),
            _ => None,
        });
        if let Err(difference) = compare(result, truth, before) {
            let (difference, excerpt) = (difference.0, &truth.excerpt);
            self.differences
                .push(format!("{case}: {difference}\n{excerpt}"));
        }
    }

    fn merge(&mut self, other: Self) {
        self.cases += other.cases;
        self.successes += other.successes;
        self.refused.extend(other.refused);
        self.differences.extend(other.differences);
    }
}

async fn examine_file(beam: &Beam, project: &Project, template: Template, first: usize) -> Report {
    let plan = plan(&template, first);
    let folder = beam.root().join("edited");
    fs::create_dir_all(&folder).must("make a folder for edited files");
    let truths = {
        let (template, plan) = (template.clone(), plan.clone());
        tokio::task::spawn_blocking(move || truths(&template, &plan, &folder))
            .await
            .must("have lean judge")
    };
    examine(project, &template, &plan, &truths).await
}

#[tokio::test]
async fn run_at_says_what_lean_says_about_the_edited_file() {
    let beam = Beam::real();
    let project = beam.project();
    let mut first = 0;
    let files: Vec<_> = templates()
        .into_iter()
        .map(|template| {
            let begin = first;
            first += template.sites.len() * texts_per_site();
            (template, begin)
        })
        .collect();
    let reports: Vec<Report> = stream::iter(files)
        .map(|(template, first)| examine_file(&beam, &project, template, first))
        .buffer_unordered(2)
        .collect()
        .await;
    let mut all = Report::default();
    reports.into_iter().for_each(|report| all.merge(report));
    println!(
        "{} cases, {} of them successes, {} refused, {} differ",
        all.cases,
        all.successes,
        all.refused.len(),
        all.differences.len()
    );
    for difference in &all.differences {
        println!("{difference}");
    }
    assert!(all.differences.is_empty(), "the answers above are wrong");
    assert!(all.cases >= CASES, "only {} cases", all.cases);
    assert!(
        all.successes * 4 > all.cases,
        "too few texts succeed to mean anything"
    );
    assert!(
        all.refused.len() * 50 < all.cases,
        "refused: {:#?}",
        all.refused
    );
}
