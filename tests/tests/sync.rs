//! `sync` gives Lean's verdict on exactly the text on disk, whatever the text and whenever it changes.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::time::Duration;

use lean_beam_proto::{
    BeamResult, ErrorCode,
    client::Request,
    op::{DocumentState, ReadinessReason, Sync, SyncResult},
    text::{Position, Range, Severity},
};
use lean_beam_tests::{
    lean_text::{Line, expected, found, slow_proof, text_of},
    must::{Must, MustFail},
    process::command,
    programs,
    raw_lean::RawLean,
    wait::{HANG, eventually, within},
    world::{Beam, Project},
};

/// Fails unless `result` says about `lines` exactly what is to be expected.
#[track_caller]
fn assert_verdict(result: &SyncResult, lines: &[Line]) {
    let wanted = expected(lines);
    let items = result
        .diagnostics
        .items
        .as_deref()
        .must("get the items that were asked for");
    assert_eq!(found(items), wanted, "version {}", result.version);
    let count = |severity| wanted.iter().filter(|(one, _)| *one == severity).count();
    let counts = result.diagnostics.counts;
    assert_eq!(
        (
            counts.error,
            counts.warning,
            counts.information,
            counts.total
        ),
        (
            count(Severity::Error),
            count(Severity::Warning),
            count(Severity::Information),
            wanted.len()
        )
    );
    assert_eq!(result.readiness.save_ready, counts.error == 0);
    assert_eq!(result.readiness.blocking_error_count, counts.error);
    assert!(result.document_progress.done);
}

/// Fails unless `result` is a verdict without errors.
#[track_caller]
fn assert_clean(result: &SyncResult) {
    assert_eq!(result.diagnostics.counts.error, 0, "{result:?}");
    assert!(result.readiness.save_ready, "{result:?}");
    assert_eq!(result.readiness.reason, ReadinessReason::Ok);
}

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

/// Numbers that are the same in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).must("make an index") % limit
    }
}

/// One edit of the lines: at the top, in the middle or at the end; changed, inserted or removed.
fn edit(lines: &mut Vec<Line>, number: u32, dice: &mut Dice) {
    let at = match number % 3 {
        0 => 0,
        1 => lines.len() / 2,
        _ => lines.len() - 1,
    };
    let line = Line::of(u32::try_from(dice.below(7)).must("choose a line"), number);
    match dice.below(4) {
        0 => lines.insert(at, line),
        1 if lines.len() > 10 => {
            lines.remove(at);
        }
        _ => lines[at] = line,
    }
}

#[tokio::test]
async fn each_of_200_edits_gets_its_exact_verdict() {
    let beam = Beam::real();
    let project = beam.project();
    let mut lines: Vec<_> = (0..30).map(|number| Line::of(number, number)).collect();
    let mut dice = Dice(7);
    let mut version = 0;
    for number in 0..200 {
        edit(&mut lines, number, &mut dice);
        project.write("A.lean", text_of(&lines, "\n"));
        let result = project.sync("A.lean").await.must("sync an edited file");
        assert_verdict(&result, &lines);
        assert!(result.version >= version, "versions rise");
        version = result.version;
    }
    assert!(
        version > 150,
        "edits are edits, not reopened documents with version {version}"
    );
}

#[tokio::test]
async fn a_file_that_did_not_change_keeps_its_version_and_its_verdict() {
    let beam = Beam::real();
    let project = beam.project();
    let lines = [Line::Check, Line::Mismatch];
    project.write("A.lean", text_of(&lines, "\n"));
    let first = project.sync("A.lean").await.unwrap();
    let second = project.sync("A.lean").await.unwrap();
    assert_eq!(first.version, second.version);
    assert_verdict(&second, &lines);
    assert!(!project.update("A.lean").await.unwrap().changed);
    project.write("A.lean", text_of(&lines[..1], "\n"));
    let update = project.update("A.lean").await.unwrap();
    assert!(update.changed && update.version > first.version);
    let third = project.sync("A.lean").await.unwrap();
    assert_eq!(third.version, update.version);
    assert_verdict(&third, &lines[..1]);
}

#[tokio::test]
async fn an_edit_while_a_sync_waits_never_leads_to_a_verdict_on_the_old_text() {
    let beam = Beam::real();
    let project = beam.project();
    project.write("A.lean", slow_proof(3_000));
    let waiting = project.sync("A.lean");
    let edited = async {
        wait_until_processing(&project, "A.lean").await;
        project.edit("A.lean", "sleep 3000\n  rfl", "exact nope");
        project.sync("A.lean").await
    };
    let (first, second) = tokio::join!(waiting, edited);
    let second = second.must("sync the edited file");
    assert_eq!(second.diagnostics.counts.error, 1, "{second:?}");
    assert_about_edited_text(first, &second);
}

/// The wait that was overtaken ends with the verdict on the new text or says that it was overtaken.
#[track_caller]
fn assert_about_edited_text(first: BeamResult<SyncResult>, second: &SyncResult) {
    match first {
        Ok(result) => assert_eq!(
            (result.version, result.diagnostics.counts),
            (second.version, second.diagnostics.counts)
        ),
        Err(error) => assert_eq!(error.code, ErrorCode::ContentModified, "{error:?}"),
    }
}

async fn wait_until_processing(project: &Project, name: &str) {
    eventually(HANG, "the elaboration", async || {
        let files = project.open_files().await.must("list the open files").files;
        let file = files.iter().find(|file| file.path == name)?;
        (file.state == DocumentState::Processing).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_deadline_in_the_middle_of_a_proof_is_an_error_and_the_next_call_resumes() {
    let beam = Beam::real();
    let project = beam.project();
    project.write("A.lean", slow_proof(4_000) + "#check nope\n");
    let request: Request<Sync> = project
        .request(Project::sync_params("A.lean"))
        .within(Duration::from_millis(1_500));
    let error = beam.call(request).await.must_fail();
    assert_eq!(error.code, ErrorCode::DeadlineExceeded, "{error:?}");
    assert!(error.data.is_some(), "what is known so far is told");
    let result = project.sync("A.lean").await.unwrap();
    assert_eq!(result.diagnostics.counts.error, 1);
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
async fn a_file_that_is_gone_or_no_file_is_an_error_that_names_it() {
    let beam = Beam::real();
    let project = beam.project();
    project.write("A.lean", "example : 1 = 1 := rfl\n");
    assert_clean(&project.sync("A.lean").await.unwrap());
    project.remove("A.lean");
    project.write("Folder.lean/x", "");
    for name in ["A.lean", "Folder.lean", "Missing.lean"] {
        let error = project.sync(name).await.must_fail();
        assert_eq!(error.code, ErrorCode::InvalidParams, "{error:?}");
        assert!(error.message.contains(name), "{error:?}");
    }
}

#[tokio::test]
async fn paths_may_be_relative_absolute_or_through_links_and_mean_one_document() {
    let beam = Beam::real();
    let project = beam.project();
    let path = project.write("Sub/Ä 😀.lean", "#check nope\n");
    std::os::unix::fs::symlink(project.path("Sub"), project.path("Link")).unwrap();
    let absolute = path.to_str().unwrap();
    let mut versions = Vec::new();
    for name in [
        "Sub/Ä 😀.lean",
        absolute,
        "Link/Ä 😀.lean",
        "Sub/../Sub/./Ä 😀.lean",
    ] {
        let result = project.sync(name).await.must(name);
        assert_eq!(result.diagnostics.counts.error, 1);
        assert_eq!(result.path, "Sub/Ä 😀.lean");
        versions.push(result.version);
    }
    versions.dedup();
    assert_eq!(versions.len(), 1, "{versions:?}");
    assert_eq!(project.open_files().await.unwrap().files.len(), 1);
}

#[tokio::test]
async fn a_closed_document_is_opened_again_with_a_higher_version() {
    let beam = Beam::real();
    let project = beam.project();
    project.write("A.lean", "#check nope\n");
    let first = project.sync("A.lean").await.unwrap();
    let closed = project.close("A.lean").await.unwrap();
    assert!(closed.closed && closed.was_open);
    assert!(!project.close("A.lean").await.unwrap().was_open);
    let second = project.sync("A.lean").await.unwrap();
    assert!(
        second.version > first.version,
        "{} after {}",
        second.version,
        first.version
    );
    assert_eq!(second.diagnostics.counts, first.diagnostics.counts);
}

#[tokio::test]
async fn refresh_gives_the_same_verdict_from_a_fresh_worker() {
    let beam = Beam::real();
    let project = beam.project();
    let lines: Vec<_> = (0..7).map(|number| Line::of(number, number)).collect();
    project.write("A.lean", text_of(&lines, "\n"));
    project.sync("A.lean").await.unwrap();
    let before = worker_pids(&beam);
    assert!(!before.is_empty(), "a synced file has a worker");
    assert_verdict(&project.refresh("A.lean").await.unwrap(), &lines);
    // Lean lets the old worker go in its own time.
    eventually(HANG, "a new worker in place of the old one", async || {
        let after = worker_pids(&beam);
        (!after.is_empty() && before.iter().all(|pid| !after.contains(pid))).then_some(())
    })
    .await;
}

fn worker_pids(beam: &Beam) -> Vec<u32> {
    let workers = beam
        .lean_processes()
        .into_iter()
        .filter(|one| one.is_worker() && !one.is_for_probes());
    workers.map(|process| process.pid).collect()
}

#[tokio::test]
async fn odd_texts_are_judged_as_plain_lean_judges_them() {
    let beam = Beam::real();
    let project = beam.project();
    let mut command = command(programs::real_lean());
    command
        .args(["--server", "-Dserver.reportDelayMs=0"])
        .current_dir(project.root());
    let mut raw = RawLean::start(command).await;
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

#[tokio::test]
async fn many_files_at_once_each_get_their_own_verdict() {
    let beam = Beam::real();
    let project = beam.project();
    let count = 8;
    for number in 0..count {
        let lines: Vec<_> = (0..number).map(Line::Unknown).collect();
        project.write(&format!("F{number}.lean"), text_of(&lines, "\n"));
    }
    let syncs = (0..count).map(|number| {
        let project = project.clone();
        async move {
            project
                .sync(&format!("F{number}.lean"))
                .await
                .must("sync one of many")
        }
    });
    let results = within(HANG, "all verdicts", futures_util::future::join_all(syncs)).await;
    let errors: Vec<_> = results
        .iter()
        .map(|result| result.diagnostics.counts.error)
        .collect();
    assert_eq!(errors, (0..count as usize).collect::<Vec<_>>());
}

#[tokio::test]
async fn the_scope_decides_what_is_listed_and_never_what_is_counted() {
    let beam = Beam::real();
    let project = beam.project();
    project.write(
        "A.lean",
        text_of(&[Line::Check, Line::Sorry, Line::Mismatch], "\n"),
    );
    let mut params = Project::sync_params("A.lean");
    params.diagnostic_scope = Default::default();
    let errors = project.call::<Sync>(params.clone()).await.unwrap();
    assert_eq!(errors.diagnostics.items.unwrap().len(), 1);
    params.diagnostics_in_result = false;
    let counts = project.call::<Sync>(params).await.unwrap();
    assert_eq!(counts.diagnostics.items, None);
    assert_eq!(counts.diagnostics.counts, errors.diagnostics.counts);
    assert_eq!(counts.diagnostics.counts.total, 3);
}
