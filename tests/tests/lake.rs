//! Projects with a lakefile, with a stand-in for Lake: whatever Lake does, the answer is right or says what went
//! wrong.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::{fs, path::Path};

use lean_beam_proto::{
    BeamResult, ErrorCode,
    client::Request,
    event::Event,
    op::{Save, SaveParams, SaveResult, SyncResult},
};
use lean_beam_tests::{
    lake::{MOOD_VARIABLE, Mood},
    must::{Must, MustFail},
    programs,
    wait::{HANG, within},
    world::{Beam, Lean, Project},
};

struct World {
    beam: Beam,
    project: Project,
    mood: tempfile::NamedTempFile,
}

impl World {
    fn new() -> Self {
        let mood = tempfile::NamedTempFile::new().must("make a mood");
        let text = |path: &Path| path.to_str().must("have a path").to_owned();
        let beam = Beam::builder()
            .lean(Lean::Real)
            .env("LEAN_BEAM_LAKE", &text(&programs::built("fake_lake")))
            .env(MOOD_VARIABLE, &text(mood.path()))
            .build();
        let project = beam.project();
        project.write("lakefile.toml", "name = \"demo\"\n");
        project.write("A.lean", "import B\ntheorem a : b = 1 := rfl\n");
        project.write("B.lean", "def b := 1\n");
        Self {
            beam,
            project,
            mood,
        }
    }

    fn be(&self, mood: Mood) {
        fs::write(self.mood.path(), mood.text()).must("set the mood");
    }

    async fn save(&self, path: &str) -> BeamResult<SaveResult> {
        self.project
            .call::<Save>(SaveParams {
                path: path.to_owned(),
                ..SaveParams::default()
            })
            .await
    }

    async fn sync(&self) -> BeamResult<SyncResult> {
        self.project.sync("A.lean").await
    }
}

#[tokio::test]
async fn an_unbuilt_import_is_named_and_saving_it_mends_the_file() {
    let world = World::new();
    let error = world.sync().await.must_fail();
    assert_eq!(error.code, ErrorCode::SyncBarrierIncomplete, "{error:?}");
    let saved = world.save("B.lean").await.must("save through Lake");
    assert!(Path::new(&saved.olean).is_file() && Path::new(&saved.c).is_file());
    assert!(
        world
            .sync()
            .await
            .must("sync after the save")
            .readiness
            .save_ready
    );
    world.project.write("B.lean", "def b := 2\n");
    assert_eq!(
        world.sync().await.must_fail().code,
        ErrorCode::SyncBarrierIncomplete,
        "an import was edited"
    );
    world.save("B.lean").await.must("save the edit");
    assert!(
        !world
            .sync()
            .await
            .must("judge with the new import")
            .readiness
            .save_ready
    );
    assert_eq!(world.beam.status().await.workspaces.len(), 1);
}

#[tokio::test]
async fn refresh_lets_lake_build_the_imports_once() {
    let world = World::new();
    let result = world.project.refresh("A.lean").await.must("refresh");
    assert!(result.readiness.save_ready, "{result:?}");
}

#[tokio::test]
async fn a_failing_setup_is_an_error_and_never_a_clean_verdict() {
    for mood in [Mood::Exit(1), Mood::Exit(3), Mood::Junk] {
        let world = World::new();
        world.save("B.lean").await.must("save the import");
        world.be(mood);
        match world.sync().await {
            Ok(result) => assert!(
                !result.readiness.save_ready && result.diagnostics.counts.error > 0,
                "{mood:?}: {result:?}"
            ),
            Err(error) => assert_eq!(error.code, ErrorCode::SyncBarrierIncomplete, "{mood:?}"),
        }
        world.be(Mood::Good);
        assert!(
            world
                .sync()
                .await
                .must("sync when Lake is well again")
                .readiness
                .save_ready,
            "{mood:?}"
        );
    }
}

#[tokio::test]
async fn without_a_configuration_for_the_file_lean_goes_on_alone() {
    let world = World::new();
    world.save("B.lean").await.must("save the import");
    world.be(Mood::Exit(2));
    assert!(world.sync().await.must("sync").readiness.save_ready);
}

#[tokio::test]
async fn what_lake_says_while_it_sets_up_is_told_apart_from_diagnostics() {
    let world = World::new();
    world.save("B.lean").await.must("save the import");
    world.be(Mood::Slow);
    let exchange = async {
        let connection = world
            .beam
            .connector()
            .ensure()
            .await
            .must("reach the daemon");
        let request: Request<lean_beam_proto::op::Sync> =
            world.project.request(Project::sync_params("A.lean"));
        let mut call = connection.send(&request).await.must("send");
        let mut said = Vec::new();
        while let Some(event) = call.next_event().await.must("read events") {
            if let Event::Setup { message, .. } = event {
                said.push(message);
            }
        }
        (said, call.finish().await.must("finish").output)
    };
    let (said, result) = within(HANG, "a slow setup", exchange).await;
    assert!(
        said.iter().any(|line| line.contains("Doing step")),
        "{said:?}"
    );
    assert_eq!(result.diagnostics.counts.total, 0, "{result:?}");
}

#[tokio::test]
async fn builds_that_fail_leave_the_old_artifacts_and_say_how_they_ended() {
    let world = World::new();
    let saved = world.save("B.lean").await.must("save");
    let before = fs::read(&saved.olean).must("read the artifact");
    world.project.write("B.lean", "def b := 1 + 0\n");
    for (mood, told) in [(Mood::Exit(1), "boom"), (Mood::Killed, "signal")] {
        world
            .project
            .sync("B.lean")
            .await
            .must("judge before Lake turns bad");
        world.be(mood);
        let error = world.save("B.lean").await.must_fail();
        assert_eq!(error.code, ErrorCode::SaveFailed, "{mood:?}");
        assert!(format!("{error:?}").contains(told), "{error:?}");
        assert_eq!(
            fs::read(&saved.olean).must("read the artifact"),
            before,
            "{mood:?}"
        );
        world.be(Mood::Good);
    }
    world.be(Mood::LongLine);
    world
        .save("B.lean")
        .await
        .must("save though Lake prints without end");
}

#[tokio::test]
async fn a_lakefile_without_lake_says_what_was_looked_for() {
    let beam = Beam::builder()
        .lean(Lean::Real)
        .env("LEAN_BEAM_LAKE", "/nowhere/lake")
        .build();
    let project = beam.project();
    project.write("lakefile.lean", "");
    project.write("A.lean", "def a := 1\n");
    let error = project.sync("A.lean").await.must_fail();
    assert_eq!(error.code, ErrorCode::RuntimeSetup);
    assert!(
        error.message.contains("lake") && error.message.contains("/nowhere/lake"),
        "{error}"
    );
    assert!(error.hint.is_some());
}
