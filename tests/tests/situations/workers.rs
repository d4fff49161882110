//! Workers of Lean that are dead or die.

use lean_beam_proto::ErrorCode;
use lean_beam_tests::{
    lab::Lab,
    lean_text::BUSY_EVAL,
    must::{Must, MustFail},
    process::Process,
    questions::Question,
    wait::{HANG, eventually, within},
    world::Beam,
};
use nix::sys::signal::Signal;

use crate::{FILE, ask, assert_code, open, until_waiting};

/// The process of Lean that works on the file for the user, once it is there.
async fn worker(beam: &Beam) -> Process {
    eventually(HANG, "a worker for the file", async || {
        let workspaces = beam.status().await.workspaces;
        let processes = workspaces.iter().flat_map(|one| &one.processes);
        let mut workers = processes.filter(|one| {
            let is_of_file = one.path.as_deref().is_some_and(|path| path.ends_with(FILE));
            one.kind == "worker" && is_of_file
        });
        Process::find(workers.next()?.pid)
    })
    .await
}

#[tokio::test]
async fn a_dead_worker_is_an_error_once_and_then_answers_are_right_again() {
    let beam = Beam::real();
    let lab = Lab::new(1);
    let page = open(&beam, &lab).await;
    for question in Question::ALL {
        // A worker that died behind a question that needs none is missed by the next one.
        if ask(Question::Hover, &page, &lab).await.is_err() {
            ask(Question::Hover, &page, &lab).await.must("hover");
        }
        worker(&beam).await.signal(Signal::SIGKILL);
        match ask(question, &page, &lab).await {
            Ok(result) => lab.check(question, &result).must("get the right answer"),
            Err(error) => assert_code(question, &error, ErrorCode::WorkerCrashed),
        }
        let result = ask(question, &page, &lab).await;
        let result = result.unwrap_or_else(|error| panic!("{question:?}: {error:?}"));
        lab.check(question, &result).must("get the right answer");
    }
}

#[tokio::test]
async fn a_worker_that_died_after_the_imports_failed_is_missed() {
    let beam = Beam::real();
    let lab = Lab::between("import Nowhere\n", 1, "");
    let page = open(&beam, &lab).await;
    for question in Question::ALL.into_iter().filter(|one| one.has_version()) {
        eventually(HANG, "a worker that refuses the imports", async || {
            let error = ask(Question::Hover, &page, &lab).await.must_fail();
            (error.code == ErrorCode::SyncBarrierIncomplete).then_some(())
        })
        .await;
        worker(&beam).await.signal(Signal::SIGKILL);
        for _ in 0..2 {
            let error = ask(question, &page, &lab).await.must_fail();
            let expected = [
                ErrorCode::WorkerCrashed,
                ErrorCode::SyncBarrierIncomplete,
                ErrorCode::InvalidParams,
            ];
            assert!(expected.contains(&error.code), "{question:?}: {error:?}");
        }
    }
}

#[tokio::test]
async fn a_worker_that_dies_at_work_fails_all_that_wait_for_it() {
    let beam = Beam::real();
    let lab = Lab::between(BUSY_EVAL, 1, "");
    let page = open(&beam, &lab).await;
    let waiting = [
        Question::GoalsAfter,
        Question::TermGoal,
        Question::Hover,
        Question::Definition,
        Question::References,
        Question::DocumentSymbols,
        Question::Completions,
        Question::SignatureHelp,
        Question::Todo,
        Question::CodeActions,
    ];
    let name = lab.theorem();
    let asked = waiting.map(|question| question.ask(&page, lab.place(question), &name));
    let kill = async {
        until_waiting(&beam, waiting.len()).await;
        worker(&beam).await.signal(Signal::SIGKILL);
    };
    let all = within(HANG, "the end of all waits", async {
        tokio::join!(futures_util::future::join_all(asked), kill)
    });
    let (answers, ()) = Box::pin(all).await;
    for (question, answer) in waiting.into_iter().zip(answers) {
        let error = answer.must_fail();
        assert_code(question, &error, ErrorCode::WorkerCrashed);
    }
}
