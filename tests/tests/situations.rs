//! Every question in every situation that it may meet: the right answer or an error that says what is the matter,
//! never an empty success.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::{collections::BTreeSet, time::Duration};

use lean_beam_proto::{BeamError, BeamResult, ErrorCode};
use lean_beam_tests::{
    fake::{
        Scenario,
        scenario::{Action, Rule},
    },
    lab::Lab,
    lean_text::BUSY_EVAL,
    must::{Must, MustFail},
    process::Process,
    questions::{Page, Question},
    wait::{HANG, eventually, within},
    world::Beam,
};
use nix::sys::signal::Signal;
use serde_json::Value;

const FILE: &str = "A.lean";

/// Longer than Lean takes for what it can do, on any machine on which something else can still be tested.
const SHORT: Duration = Duration::from_millis(1_500);

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

fn questions(failed: &[(Question, BeamError)]) -> BTreeSet<Question> {
    failed.iter().map(|(question, _)| *question).collect()
}

#[tokio::test]
async fn at_once_after_an_edit_each_question_waits_for_what_it_needs() {
    let beam = Beam::real();
    let mut page = open(&beam, &Lab::new(1)).await;
    expect_right_answers(&page, &Lab::new(1)).await;
    for number in 2..4 {
        let lab = Lab::between("-- more\n\n", number, "");
        page.project.write(FILE, lab.text());
        page = Page::updated(&page.project, FILE).await;
        expect_right_answers(&page, &lab).await;
    }
}

#[tokio::test]
async fn a_slow_proof_is_waited_for() {
    let slow = "theorem slow : 1 = 1 := by\n  sleep 1500\n  rfl\n#eval dbgSleep 700 fun _ => 1\n";
    let beam = Beam::real();
    let lab = Lab::between(slow, 1, "");
    let page = open(&beam, &lab).await;
    assert!(failures(&page, &lab, None, &[]).await.is_empty());
}

#[tokio::test]
async fn behind_an_endless_computation_every_question_meets_its_deadline_and_says_how_far_lean_is()
{
    let beam = Beam::real();
    let lab = Lab::between(BUSY_EVAL, 1, "");
    let page = open(&beam, &lab).await;
    let failed = failures(&page, &lab, Some(SHORT), &[ErrorCode::DeadlineExceeded]).await;
    let expected: BTreeSet<_> = Question::ALL.into();
    assert_eq!(questions(&failed), expected);
    for (question, error) in &failed {
        if question.has_version() {
            let data = error.data.as_ref().must("get data");
            assert_eq!(data["version"], page.version, "{question:?}: {error:?}");
            assert_eq!(
                data["document_progress"]["done"], false,
                "{question:?}: {error:?}"
            );
        }
        assert!(error.hint.is_some(), "{question:?}: {error:?}");
    }
}

#[tokio::test]
async fn before_an_endless_computation_what_is_there_is_told() {
    let beam = Beam::real();
    let lab = Lab::between("", 1, BUSY_EVAL);
    let page = open(&beam, &lab).await;
    // What is above it can be told without the rest.
    let told = [
        Question::GoalsBefore,
        Question::GoalsAfter,
        Question::TermGoal,
        Question::Hover,
        Question::SignatureHelp,
        Question::Definition,
        Question::Completions,
        Question::Todo,
        Question::CodeActions,
    ];
    for question in told {
        let result = ask(question, &page, &lab).await;
        let result = result.unwrap_or_else(|error| panic!("{question:?}: {error:?}"));
        lab.check(question, &result).must("get the right answer");
    }
    // These are about the whole of it.
    for question in [Question::References, Question::DocumentSymbols] {
        let name = lab.theorem();
        let answer = question.ask_within(Some(SHORT), &page, lab.place(question), &name);
        assert_eq!(answer.await.must_fail().code, ErrorCode::DeadlineExceeded);
    }
    let symbols = ask(Question::WorkspaceSymbols, &page, &lab).await;
    let symbols = symbols.must("look for symbols");
    assert_eq!(symbols["index_complete"], false, "{symbols}");
    assert_eq!(symbols["unindexed"][0], FILE, "{symbols}");
}

#[tokio::test]
async fn an_edit_overtakes_what_still_waits_and_nothing_empty_comes_of_it() {
    // An endless computation that ends when its text goes.
    let slow = "theorem slow : 1 = 1 := by\n  repeat sleep 50\n  rfl\n";
    let beam = Beam::real();
    let lab = Lab::between(slow, 1, "");
    let page = open(&beam, &lab).await;
    let place = (1, 14);
    let waiting = [
        Question::GoalsAfter,
        Question::DocumentSymbols,
        Question::References,
        Question::Todo,
    ];
    let name = lab.theorem();
    let asked = waiting.map(|question| question.ask(&page, place, &name));
    let all_wait = eventually(HANG, "all questions to wait", async || {
        let requests = beam.status().await.requests;
        let waiting_here = requests
            .iter()
            .filter(|one| one.path.as_deref() == Some(FILE));
        (waiting_here.count() == waiting.len()).then_some(())
    });
    let edit = async {
        all_wait.await;
        page.project.edit(FILE, "  repeat sleep 50\n", "");
        Page::updated(&page.project, FILE).await
    };
    let all = within(HANG, "all answers", async {
        tokio::join!(futures_util::future::join_all(asked), edit)
    });
    let (answers, newer) = Box::pin(all).await;
    for (question, answer) in waiting.iter().zip(answers) {
        let error = answer.must_fail();
        assert_eq!(
            error.code,
            ErrorCode::ContentModified,
            "{question:?}: {error:?}"
        );
        let data = error.data.must("get data");
        assert_eq!(data["expected"], page.version, "{question:?}: {data}");
        assert_eq!(data["current"], newer.version, "{question:?}: {data}");
    }
    let short = "theorem slow : 1 = 1 := by\n  rfl\n";
    expect_right_answers(&newer, &Lab::between(short, 1, "")).await;
}

#[tokio::test]
async fn an_empty_success_that_lean_gives_for_an_older_text_reaches_nobody() {
    for (question, method) in [
        (Question::Hover, "textDocument/hover"),
        (Question::Definition, "textDocument/definition"),
        (Question::SignatureHelp, "textDocument/signatureHelp"),
        (Question::References, "textDocument/references"),
        (Question::DocumentSymbols, "textDocument/documentSymbol"),
        (Question::Completions, "textDocument/completion"),
        (Question::CodeActions, "textDocument/codeAction"),
    ] {
        // The scripted server answers it emptily as soon as the text changes, as Lean does.
        let beam = Beam::fake(Scenario {
            rules: vec![Rule::on(method, [Action::delay(HANG)])],
            ..Scenario::default()
        });
        let project = beam.project();
        project.write(FILE, "word other\n");
        let page = Page::synced(&project, FILE).await;
        let edit = async {
            eventually(HANG, "the question to reach Lean", async || {
                (!beam.record().messages(method).is_empty()).then_some(())
            })
            .await;
            project.write(FILE, "another word\n");
            Page::updated(&project, FILE).await
        };
        let both = async { tokio::join!(question.ask(&page, (0, 2), "word"), edit) };
        let (answer, newer) = Box::pin(within(HANG, "both", both)).await;
        let error = answer.must_fail();
        assert_eq!(
            error.code,
            ErrorCode::ContentModified,
            "{question:?}: {error:?}"
        );
        let data = error.data.must("get data");
        assert_eq!(data["current"], newer.version, "{question:?}: {data}");
    }
}

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
            Err(error) => assert_eq!(
                error.code,
                ErrorCode::WorkerCrashed,
                "{question:?}: {error:?}"
            ),
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
        eventually(HANG, "all questions to wait", async || {
            let requests = beam.status().await.requests;
            let here = requests
                .iter()
                .filter(|one| one.path.as_deref() == Some(FILE));
            (here.count() == waiting.len()).then_some(())
        })
        .await;
        worker(&beam).await.signal(Signal::SIGKILL);
    };
    let all = within(HANG, "the end of all waits", async {
        tokio::join!(futures_util::future::join_all(asked), kill)
    });
    let (answers, ()) = Box::pin(all).await;
    for (question, answer) in waiting.iter().zip(answers) {
        let error = answer.must_fail();
        assert_eq!(
            error.code,
            ErrorCode::WorkerCrashed,
            "{question:?}: {error:?}"
        );
    }
}

#[tokio::test]
async fn a_closed_file_is_asked_about_again_only_in_a_version_of_its_own() {
    let beam = Beam::real();
    let lab = Lab::new(1);
    let page = open(&beam, &lab).await;
    expect_right_answers(&page, &lab).await;
    for question in Question::ALL {
        page.project.close(FILE).await.must("close");
        match ask(question, &page, &lab).await {
            Ok(result) if question.has_version() => {
                lab.check(question, &result).must("get the right answer");
            }
            Ok(result) => assert_eq!(result["index_complete"], false, "{result}"),
            Err(error) => {
                assert_eq!(
                    error.code,
                    ErrorCode::InvalidParams,
                    "{question:?}: {error:?}"
                );
                assert!(
                    error.message.contains("not open") && error.hint.is_some(),
                    "{error:?}"
                );
            }
        }
    }
    let page = Page::updated(&page.project, FILE).await;
    expect_right_answers(&page, &lab).await;
}

#[tokio::test]
async fn a_version_that_is_not_the_current_one_is_refused_with_the_one_that_is() {
    let beam = Beam::real();
    let page = open(&beam, &Lab::new(1)).await;
    let lab = Lab::between("-- more\n", 2, "");
    page.project.write(FILE, lab.text());
    let newer = Page::updated(&page.project, FILE).await;
    let future = Page::of(&page.project, FILE, newer.version + 5);
    for question in Question::ALL.into_iter().filter(|one| one.has_version()) {
        for wrong in [&page, &future] {
            let error = ask(question, wrong, &lab).await.must_fail();
            assert_eq!(
                error.code,
                ErrorCode::ContentModified,
                "{question:?}: {error:?}"
            );
            let data = error.data.must("get data");
            assert_eq!(data["expected"], wrong.version, "{question:?}: {data}");
            assert_eq!(data["current"], newer.version, "{question:?}: {data}");
            assert!(data["uri"].as_str().is_some_and(|uri| uri.ends_with(FILE)));
        }
    }
    // A file that changed on disk without anybody telling is asked about as it was told.
    page.project.write(FILE, Lab::new(3).text());
    expect_right_answers_or_modified(&newer, &lab).await;
}

async fn expect_right_answers_or_modified(page: &Page, lab: &Lab) {
    let codes = [ErrorCode::ContentModified];
    failures(page, lab, None, &codes).await;
}

#[tokio::test]
async fn a_place_that_is_not_there_is_refused_with_the_nearest_one() {
    let beam = Beam::real();
    let lab = Lab::between("-- 𝔸 b\n", 1, "");
    let page = open(&beam, &lab).await;
    let lines = u32::try_from(lab.text().matches('\n').count()).must("count") + 1;
    let name = lab.theorem();
    for question in Question::ALL.into_iter().filter(|one| one.has_place()) {
        // Behind the line, and in the middle of a character.
        for (place, nearest) in [((0, 99), 7), ((0, 4), 3)] {
            let error = question.ask(&page, place, &name).await.must_fail();
            assert_eq!(
                error.code,
                ErrorCode::InvalidParams,
                "{question:?}: {error:?}"
            );
            let data = error.data.must("get data");
            assert_eq!(data["nearest_character"], nearest, "{question:?}: {data}");
            assert_eq!(data["line_text"], "-- 𝔸 b", "{question:?}: {data}");
            let mut shown = error.message.lines().rev();
            let caret = shown.next().must("get a caret");
            let line = shown.next().must("get the line");
            assert_eq!((line, caret.trim()), ("-- 𝔸 b", "^"), "{}", error.message);
        }
        let error = question.ask(&page, (lines, 0), &name).await.must_fail();
        assert_eq!(
            error.code,
            ErrorCode::InvalidParams,
            "{question:?}: {error:?}"
        );
        assert_eq!(error.data.must("get data")["lines"], lines);
    }
}

#[tokio::test]
async fn an_empty_file_has_nothing_to_be_told_and_says_so() {
    let beam = Beam::real();
    let project = beam.project();
    project.write(FILE, "");
    let page = Page::updated(&project, FILE).await;
    for question in Question::ALL {
        let answer = question.ask(&page, (0, 0), "both1").await;
        if question == Question::CheckAxioms {
            let error = answer.must_fail();
            assert_eq!(error.code, ErrorCode::InvalidParams, "{error:?}");
            continue;
        }
        let result = answer.unwrap_or_else(|error| panic!("{question:?}: {error:?}"));
        let is_about_all = question == Question::Completions;
        assert!(
            is_about_all || question.is_empty(&result),
            "{question:?}: {result}"
        );
    }
    let axioms = Question::CheckAxioms.ask(&page, (0, 0), "Nat.add").await;
    assert_eq!(
        axioms.must("ask about a name of the library")["uses_sorry"],
        false
    );
}

/// Lines that say nothing, and a short proof now and then.
fn long(lines: usize) -> String {
    const EVERY: usize = 200;
    (0..lines)
        .map(|line| match line % EVERY {
            0 => format!("theorem long{line} : {line} = {line} := rfl\n"),
            _ => format!("-- line {line} says nothing\n"),
        })
        .collect()
}

#[tokio::test]
async fn in_a_long_file_answers_are_right_at_the_top_in_the_middle_and_at_the_end() {
    let beam = Beam::real();
    for (above, below) in [(0, 20_000), (10_000, 10_000), (20_000, 0)] {
        let below = long(below).replace("long", "low");
        let lab = Lab::between(&long(above), 1, &below);
        assert!(lab.text().lines().count() > 20_000);
        let page = open(&beam, &lab).await;
        expect_right_answers(&page, &lab).await;
    }
}
