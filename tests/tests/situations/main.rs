//! Every question in every situation that it may meet: the right answer or an error that says what is the matter,
//! never an empty success.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod pages;
mod waiting;
mod workers;

use std::time::Duration;

use lean_beam_proto::{BeamError, BeamResult, ErrorCode};
use lean_beam_tests::{
    lab::Lab,
    must::Must,
    questions::{Page, Question},
    wait::{HANG, eventually},
    world::Beam,
};
use serde_json::Value;

const FILE: &str = "A.lean";

/// A world with the file, of which the daemon knows and Lean perhaps not yet.
async fn open(beam: &Beam, lab: &Lab) -> Page {
    let project = beam.project();
    project.write(FILE, lab.text());
    Page::updated(&project, FILE).await
}

async fn ask(question: Question, page: &Page, lab: &Lab) -> BeamResult<Value> {
    question
        .ask(page, lab.place(question), &lab.theorem())
        .await
}

/// Asks everything and wants the right answers.
async fn expect_right_answers(page: &Page, lab: &Lab) {
    for question in Question::ALL {
        let result = ask(question, page, lab).await;
        let result = result.unwrap_or_else(|error| panic!("{question:?}: {error:?}"));
        assert!(!question.is_empty(&result), "{question:?}: {result}");
        lab.check(question, &result).must("get the right answer");
    }
}

/// Of the answers of all questions at once, those that fail, which must do so with one of these codes; the others must
/// be right.
async fn failures(
    page: &Page,
    lab: &Lab,
    deadline: Option<Duration>,
    codes: &[ErrorCode],
) -> Vec<(Question, BeamError)> {
    let name = lab.theorem();
    let questions = Question::ALL.map(|question| {
        let (page, name) = (page.clone(), name.clone());
        let place = lab.place(question);
        async move {
            let answer = question.ask_within(deadline, &page, place, &name).await;
            (question, answer)
        }
    });
    let mut failed = Vec::new();
    for (question, answer) in futures_util::future::join_all(questions).await {
        match answer {
            Ok(result) => lab.check(question, &result).must("get the right answer"),
            Err(error) => {
                assert!(codes.contains(&error.code), "{question:?}: {error:?}");
                failed.push((question, error));
            }
        }
    }
    failed
}

/// Fails unless a question was refused with this code.
#[track_caller]
fn assert_code(question: Question, error: &BeamError, code: ErrorCode) {
    assert_eq!(error.code, code, "{question:?}: {error:?}");
}

/// Waits until as many questions about the file wait for Lean.
async fn until_waiting(beam: &Beam, count: usize) {
    eventually(HANG, "all questions to wait", async || {
        let requests = beam.status().await.requests;
        let here = requests
            .iter()
            .filter(|one| one.path.as_deref() == Some(FILE));
        (here.count() == count).then_some(())
    })
    .await;
}
