//! Texts that change, also while somebody waits for the verdict.

use std::time::Duration;

use lean_beam_proto::{
    BeamResult, ErrorCode,
    client::Request,
    op::{DocumentState, Sync, SyncResult},
};
use lean_beam_tests::{
    lean_text::{Line, slow_proof, text_of},
    must::{Must, MustFail},
    wait::{HANG, eventually},
    world::{Beam, Project},
};

use crate::assert_verdict;

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
