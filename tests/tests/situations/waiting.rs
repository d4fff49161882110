//! Questions that Lean cannot answer yet, and edits that overtake them.

use std::{collections::BTreeSet, time::Duration};

use lean_beam_proto::{BeamError, ErrorCode};
use lean_beam_tests::{
    fake::{
        Scenario,
        scenario::{Action, Rule},
    },
    lab::Lab,
    lean_text::BUSY_EVAL,
    must::{Must, MustFail},
    questions::{Page, Question},
    wait::{HANG, eventually, within},
    world::Beam,
};

use crate::{FILE, ask, assert_code, expect_right_answers, failures, open, until_waiting};

/// Longer than Lean takes for what it can do, on any machine on which something else can still be tested.
const SHORT: Duration = Duration::from_millis(1_500);

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
    let edit = async {
        until_waiting(&beam, waiting.len()).await;
        page.project.edit(FILE, "  repeat sleep 50\n", "");
        Page::updated(&page.project, FILE).await
    };
    let all = within(HANG, "all answers", async {
        tokio::join!(futures_util::future::join_all(asked), edit)
    });
    let (answers, newer) = Box::pin(all).await;
    for (question, answer) in waiting.into_iter().zip(answers) {
        let error = answer.must_fail();
        assert_code(question, &error, ErrorCode::ContentModified);
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
        assert_code(question, &error, ErrorCode::ContentModified);
        let data = error.data.must("get data");
        assert_eq!(data["current"], newer.version, "{question:?}: {data}");
    }
}
