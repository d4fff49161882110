//! Files that are closed, stale, empty or long, and places that they do not have.

use lean_beam_proto::ErrorCode;
use lean_beam_tests::{
    lab::Lab,
    must::{Must, MustFail},
    questions::{Page, Question},
    world::Beam,
};

use crate::{FILE, ask, assert_code, expect_right_answers, failures, open};

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
                assert_code(question, &error, ErrorCode::InvalidParams);
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
            assert_code(question, &error, ErrorCode::ContentModified);
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
            assert_code(question, &error, ErrorCode::InvalidParams);
            let data = error.data.must("get data");
            assert_eq!(data["nearest_character"], nearest, "{question:?}: {data}");
            assert_eq!(data["line_text"], "-- 𝔸 b", "{question:?}: {data}");
            let mut shown = error.message.lines().rev();
            let caret = shown.next().must("get a caret");
            let line = shown.next().must("get the line");
            assert_eq!((line, caret.trim()), ("-- 𝔸 b", "^"), "{}", error.message);
        }
        let error = question.ask(&page, (lines, 0), &name).await.must_fail();
        assert_code(question, &error, ErrorCode::InvalidParams);
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
