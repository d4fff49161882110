//! Many clients ask and edit at once: every answer is right for the version that it is about, or an error that says why
//! there is none.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicU32, Ordering},
};

use lean_beam_proto::ErrorCode;
use lean_beam_tests::{
    lab::Lab,
    must::Must,
    questions::{Page, Question},
    world::{Beam, Project},
};
use tokio::sync::Mutex;

const CLIENTS: u32 = 8;
const QUESTIONS: u32 = 1_000;
const FILES: [&str; 2] = ["A.lean", "Sub/B.lean"];
/// One request in so many is an edit.
const EDITS: u32 = 10;
/// One question in so many is about a version that is gone.
const LATE: u32 = 25;

/// A file, and which text each of its versions has.
#[derive(Debug)]
struct Shared {
    name: &'static str,
    // Held while the file is written and told of, so that each version is known.
    versions: Mutex<BTreeMap<u64, Lab>>,
}

/// What came of the questions.
#[derive(Debug, Default)]
struct Outcome {
    right: AtomicU32,
    refused: AtomicU32,
    edits: AtomicU32,
}

fn count(counter: &AtomicU32) {
    counter.fetch_add(1, Ordering::Relaxed);
}

/// Numbers without end, the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let high = u32::try_from(self.0 >> 33).must("take the high bits");
        high % limit
    }
}

impl Shared {
    async fn edit(&self, project: &Project, dice: &mut Dice) {
        let mut versions = self.versions.lock().await;
        let above = "-- one more line\n".repeat(dice.below(6) as usize);
        let lab = Lab::between(&above, dice.below(1_000), "-- the end\n");
        project.write(self.name, lab.text());
        let version = project.update(self.name).await.must("update").version;
        versions.insert(version, lab);
    }

    /// The newest version but `back`.
    async fn version(&self, back: usize) -> (u64, Lab) {
        let versions = self.versions.lock().await;
        let newest_first = versions.iter().rev();
        let found = newest_first.take(back + 1).next_back();
        let (version, lab) = found.must("have a version");
        (*version, lab.clone())
    }
}

async fn ask(project: &Project, file: &Shared, dice: &mut Dice, outcome: &Outcome) {
    let back = usize::from(dice.below(LATE) == 0);
    let (version, lab) = file.version(back).await;
    let kinds = u32::try_from(Question::ALL.len()).must("count");
    let question = Question::ALL[dice.below(kinds) as usize];
    let page = Page::of(project, file.name, version);
    let answer = question
        .ask(&page, lab.place(question), &lab.theorem())
        .await;
    match answer {
        // It is about the project as it is when it is looked for, and the name may be gone by then.
        Ok(result) if question == Question::WorkspaceSymbols => {
            assert!(result["symbols"].is_array(), "{result}");
            count(&outcome.right);
        }
        Ok(result) => {
            lab.check(question, &result).must("get the right answer");
            count(&outcome.right);
        }
        Err(error) => {
            assert_eq!(
                error.code,
                ErrorCode::ContentModified,
                "{question:?}: {error:?}"
            );
            let data = error.data.as_ref().must("get data");
            assert!(question == Question::WorkspaceSymbols || data["expected"] == version);
            count(&outcome.refused);
        }
    }
}

async fn client(project: &Project, files: &[Shared], number: u32, outcome: &Outcome) {
    let mut dice = Dice(u64::from(number) + 1);
    let mut left = QUESTIONS / CLIENTS;
    while left > 0 {
        let file = &files[dice.below(2) as usize];
        if dice.below(EDITS) == 0 {
            file.edit(project, &mut dice).await;
            count(&outcome.edits);
        } else {
            ask(project, file, &mut dice, outcome).await;
            left -= 1;
        }
    }
}

#[tokio::test]
async fn a_thousand_questions_of_eight_clients_with_edits_in_between() {
    let beam = Beam::real();
    let project = beam.project();
    let files = FILES.map(|name| Shared {
        name,
        versions: Mutex::default(),
    });
    for (number, file) in (100..).zip(&files) {
        file.edit(&project, &mut Dice(number)).await;
    }
    let outcome = Outcome::default();
    let clients = (0..CLIENTS).map(|number| client(&project, &files, number, &outcome));
    futures_util::future::join_all(clients).await;
    let [right, refused, edits] =
        [&outcome.right, &outcome.refused, &outcome.edits].map(|one| one.load(Ordering::Relaxed));
    assert_eq!(right + refused, QUESTIONS);
    assert!(
        right >= QUESTIONS / 4 && refused > 0 && edits > 20,
        "{outcome:?}"
    );
}
