//! Texts of every kind.

use lean_beam_proto::{
    ErrorCode,
    op::{ReadinessReason, SyncResult},
    text::{Position, Range, Severity},
};
use lean_beam_tests::{
    lean_text::{Line, text_of},
    must::{Must, MustFail},
    raw_lean::RawLean,
    world::Beam,
};

use crate::{assert_clean, assert_verdict};

#[track_caller]
fn only_error(result: &SyncResult) -> (String, Range) {
    let items = result.diagnostics.items.as_deref().must("get the items");
    let errors: Vec<_> = items
        .iter()
        .filter(|item| item.severity == Severity::Error)
        .collect();
    assert_eq!(errors.len(), 1, "{result:?}");
    (errors[0].message.clone(), errors[0].range)
}

fn range(start: (u32, u32), end: (u32, u32)) -> Range {
    Range::new(Position::new(start.0, start.1), Position::new(end.0, end.1))
}

#[tokio::test]
async fn a_missing_import_is_never_a_clean_verdict() {
    let beam = Beam::real();
    let project = beam.project();
    project.write(
        "A.lean",
        "import Nowhere.At.All\n\nexample : 1 = 1 := rfl\n",
    );
    match project.sync("A.lean").await {
        Ok(result) => {
            assert!(result.diagnostics.counts.error > 0, "{result:?}");
            assert!(!result.readiness.save_ready);
            assert_eq!(result.readiness.reason, ReadinessReason::HeaderFailed);
        }
        Err(error) => assert_eq!(error.code, ErrorCode::SyncBarrierIncomplete, "{error:?}"),
    }
    project.write("A.lean", "example : 1 = 1 := rfl\n");
    assert_clean(&project.sync("A.lean").await.unwrap());
    // And back, so that the header of an open document fails too.
    project.write("A.lean", "import Nowhere.At.All\n");
    match project.sync("A.lean").await {
        Ok(result) => assert!(result.diagnostics.counts.error > 0, "{result:?}"),
        Err(error) => assert_eq!(error.code, ErrorCode::SyncBarrierIncomplete, "{error:?}"),
    }
}

#[tokio::test]
async fn a_file_that_is_not_utf8_is_refused_with_the_place_of_the_first_wrong_byte() {
    let beam = Beam::real();
    let project = beam.project();
    for (content, offset) in [
        (&b"example : 1 = 1 := rfl\n\xff\n"[..], 23),
        (b"\xc3", 0),
        (b"-- \xed\xa0\x80", 3),
        ("-- é".as_bytes().split_last().must("cut a character").1, 3),
    ] {
        project.write("A.lean", content);
        let error = project.sync("A.lean").await.must_fail();
        assert_eq!(error.code, ErrorCode::InvalidParams, "{error:?}");
        assert_eq!(error.data.must("get data")["byte_offset"], offset);
    }
    project.write("A.lean", "example : 1 = 1 := rfl\n");
    assert_clean(&project.sync("A.lean").await.unwrap());
}

#[tokio::test]
async fn an_empty_file_is_clean_and_so_is_one_of_blanks_and_comments() {
    let beam = Beam::real();
    let project = beam.project();
    for text in ["", "\n", "   ", "\r\n\r\n", "-- only this", "/- a\nb -/"] {
        project.write("A.lean", text);
        let result = project.sync("A.lean").await.unwrap();
        assert_clean(&result);
        assert_eq!(result.diagnostics.counts.total, 0, "{text:?}: {result:?}");
    }
}

#[tokio::test]
async fn windows_line_ends_shift_nothing_and_may_come_and_go() {
    let beam = Beam::real();
    let project = beam.project();
    let lines: Vec<_> = (0..14).map(|number| Line::of(number, number)).collect();
    for end in ["\r\n", "\n", "\r\n"] {
        project.write("A.lean", text_of(&lines, end));
        assert_verdict(&project.sync("A.lean").await.unwrap(), &lines);
    }
    let mixed: String = (0..)
        .zip(&lines)
        .map(|(number, line)| line.text() + if number % 2 == 0 { "\r\n" } else { "\n" })
        .collect();
    project.write("A.lean", mixed);
    assert_verdict(&project.sync("A.lean").await.unwrap(), &lines);
}

#[tokio::test]
async fn characters_outside_the_basic_plane_count_as_two_before_an_error() {
    let beam = Beam::real();
    let project = beam.project();
    project.write("A.lean", "/- 𝔸😀 -/ #check nope\n");
    let (_, place) = only_error(&project.sync("A.lean").await.unwrap());
    assert_eq!(place, range((0, 18), (0, 22)));
    // The same after an edit within that line and in front of it.
    project.write("A.lean", "-- 😀\n/- 𝔸😀😀 -/ #check nope\n");
    let (_, place) = only_error(&project.sync("A.lean").await.unwrap());
    assert_eq!(place, range((1, 20), (1, 24)));
}

#[tokio::test]
async fn a_file_of_20_000_lines_is_judged_to_its_last_line_before_and_after_edits() {
    let beam = Beam::real();
    let project = beam.project();
    let mut lines: Vec<_> = (0..20_000)
        .map(|number| {
            if number % 20 == 0 {
                Line::Good(number)
            } else {
                Line::Comment(number)
            }
        })
        .collect();
    for (at, line) in [
        (19_999, Line::Unknown(1)),
        (0, Line::Mismatch),
        (10_000, Line::Astral(2)),
        (19_999, Line::Good(3)),
    ] {
        lines[at] = line;
        project.write("A.lean", text_of(&lines, "\n"));
        assert_verdict(&project.sync("A.lean").await.unwrap(), &lines);
    }
}

#[tokio::test]
async fn odd_texts_are_judged_as_plain_lean_judges_them() {
    let beam = Beam::real();
    let project = beam.project();
    let mut raw = RawLean::start_real(project.root()).await;
    let texts = [
        "\u{feff}#check nope\n",
        "#check nope",
        "#check nope\n\n\n#check nope2",
        "-- a\u{2028}b\n#check nope\n",
        "-- a\u{85}b\u{b}c\u{c}d\n#check nope\n",
        "\t#check nope\n",
        "/- never closed\n#check nope\n",
        "#check \"never closed\n#check nope\n",
        "theorem a : 1 = 2 := by\n  skip\n\n\n#check nope\n",
        "example : 1 = 1 := by\n  first\n  | exact nope\n  | rfl\n#check )\n",
        "#check nope\0x\n",
    ];
    for (number, text) in (0..).zip(texts) {
        let path = project.write(&format!("T{number}.lean"), text);
        raw.open(&path, text);
        let wanted: Vec<_> = raw
            .verdict(&path)
            .await
            .iter()
            .map(|one| {
                (
                    one["severity"].as_u64().unwrap(),
                    serde_json::from_value::<Range>(one["range"].clone()).unwrap(),
                    one["message"].as_str().unwrap().to_owned(),
                )
            })
            .collect();
        let result = project.sync(&format!("T{number}.lean")).await.must(text);
        let items = result.diagnostics.items.must("get the items");
        let ours: Vec<_> = items
            .into_iter()
            .map(|item| (level(item.severity), item.range, item.message))
            .collect();
        assert_eq!(ours, wanted, "{text:?}");
    }
}

fn level(severity: Severity) -> u64 {
    match severity {
        Severity::Error => 1,
        Severity::Warning => 2,
        Severity::Information => 3,
        Severity::Hint => 4,
        Severity::Unknown => 0,
    }
}
