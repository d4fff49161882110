//! Projects with a lakefile, with a stand-in for Lake: whatever Lake does, the answer is right or says what went
//! wrong.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::{fs, path::Path};

use lean_beam_proto::{
    BeamResult, ErrorCode,
    client::Request,
    event::Event,
    op::{
        Operation, Save, SaveParams, SaveResult, Sync, SyncResult, WorkspaceSymbols,
        WorkspaceSymbolsParams,
    },
};
use lean_beam_tests::{
    lake::{MOOD_VARIABLE, Mood},
    must::{Must, MustFail},
    programs,
    wait::{HANG, within},
    world::{Beam, Lean, Project},
};
use serde_json::json;

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

    /// What is told of setups and builds during a call, and its result.
    async fn told<O: Operation>(&self, params: O::Params) -> (Vec<String>, O::Output) {
        let exchange = async {
            let connection = self
                .beam
                .connector()
                .ensure()
                .await
                .must("reach the daemon");
            let request: Request<O> = self.project.request(params);
            let mut call = connection.send(&request).await.must("send");
            let mut said = Vec::new();
            while let Some(event) = call.next_event().await.must("read events") {
                if let Event::Setup { message, .. } = event {
                    said.push(message);
                }
            }
            (said, call.finish().await.must("finish").output)
        };
        within(HANG, "a call that tells what it does", exchange).await
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
async fn sources_may_be_where_the_lakefile_says() {
    let world = World::new();
    let project = &world.project;
    project.write("lakefile.toml", "name = \"demo\"\nsrcDir = \"src\"\n");
    project.write("src/A.lean", "import Sub.B\ntheorem a : b = 1 := rfl\n");
    project.write("src/Sub/B.lean", "def b := 1\n");
    let error = project.sync("src/A.lean").await.must_fail();
    assert_eq!(error.code, ErrorCode::SyncBarrierIncomplete, "{error:?}");
    let saved = world.save("src/Sub/B.lean").await.must("save the import");
    assert_eq!(saved.module, "Sub.B");
    assert!(saved.olean.ends_with(".lake/build/lib/lean/Sub/B.olean"));
    let saved = world.save("src/A.lean").await.must("save the importer");
    assert_eq!(saved.module, "A");
    let references = project.call::<WorkspaceSymbols>(WorkspaceSymbolsParams {
        query: "b".to_owned(),
        limit: None,
    });
    let unindexed = references.await.must("search").unindexed;
    assert!(
        !unindexed.iter().any(|path| path.starts_with("src/")),
        "{unindexed:?}"
    );

    project.write("src/Sub/B.lean", "def b := 2\n");
    let error = project.sync("src/A.lean").await.must_fail();
    assert_eq!(error.code, ErrorCode::SyncBarrierIncomplete, "{error:?}");
    world.save("src/Sub/B.lean").await.must("save the edit");
    let judged = project.sync("src/A.lean").await.must("judge again");
    assert!(!judged.readiness.save_ready, "the theorem is wrong now");
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
    let (said, result) = world.told::<Sync>(Project::sync_params("A.lean")).await;
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
async fn whatever_lake_does_no_stale_import_passes_and_the_plan_mends_it() {
    let world = World::new();
    world.save("B.lean").await.must("save the import");
    assert!(world.sync().await.must("sync").readiness.save_ready);
    let moods = [
        Mood::Good,
        Mood::Exit(1),
        Mood::Exit(3),
        Mood::Junk,
        Mood::Killed,
        Mood::Slow,
        Mood::LongLine,
    ];
    for (number, mood) in moods.into_iter().enumerate() {
        let text = format!("-- {number}\ndef b := 1\n");
        world.project.write("B.lean", text);
        world.be(mood);
        match world.sync().await {
            Ok(result) => assert!(!result.readiness.save_ready, "{mood:?}: {result:?}"),
            Err(error) => {
                assert_eq!(error.code, ErrorCode::SyncBarrierIncomplete, "{mood:?}");
            }
        }
        world.be(Mood::Good);
        let error = world.sync().await.must_fail();
        assert_eq!(error.code, ErrorCode::SyncBarrierIncomplete, "{mood:?}");
        let plan = error.data.must("have data")["recovery_plan"].clone();
        assert_eq!(plan, json!([{"op": "refresh", "path": "A.lean"}]));
        let result = world.project.refresh("A.lean").await.must("refresh");
        assert!(result.readiness.save_ready, "{mood:?}: {result:?}");
        assert!(world.sync().await.must("sync").readiness.save_ready);
    }
}

#[tokio::test]
async fn a_save_is_what_lake_built_whatever_else_lake_does() {
    let world = World::new();
    let mut saved = world.save("B.lean").await.must("save");
    for (number, mood) in [Mood::Exit(2), Mood::Exit(3), Mood::Junk]
        .into_iter()
        .enumerate()
    {
        let before = fs::read(&saved.olean).must("read the artifact");
        world
            .project
            .write("B.lean", format!("def b := 1 + {number}\n"));
        world.project.sync("B.lean").await.must("judge");
        world.be(mood);
        let error = world.save("B.lean").await.must_fail();
        assert_eq!(error.code, ErrorCode::SaveFailed, "{mood:?}: {error:?}");
        let data = error.data.must("have data");
        assert!(data["output"].is_array(), "{mood:?}: {data}");
        assert_eq!(fs::read(&saved.olean).must("read the artifact"), before);
        world.be(Mood::Good);
        let again = world.save("B.lean").await.must("save");
        assert_ne!(again.source_hash, saved.source_hash);
        assert_ne!(fs::read(&again.olean).must("read the artifact"), before);
        saved = again;
    }
}

#[tokio::test]
async fn the_steps_of_a_build_are_told_while_it_goes_on() {
    let world = World::new();
    world.project.sync("B.lean").await.must("judge");
    world.be(Mood::Slow);
    let params = SaveParams {
        path: "B.lean".to_owned(),
        ..SaveParams::default()
    };
    let (said, saved) = world.told::<Save>(params).await;
    for step in ["building B", "[1/5]", "[5/5]"] {
        assert!(
            said.iter().any(|line| line.contains(step)),
            "{step}: {said:?}"
        );
    }
    assert!(Path::new(&saved.olean).is_file());
}

#[tokio::test]
async fn a_build_directory_elsewhere_is_a_clear_error() {
    let world = World::new();
    world.project.write("B.lean", "def b := 1\n");
    world.project.sync("B.lean").await.must("judge");
    world.be(Mood::Junk);
    let error = world.save("B.lean").await.must_fail();
    assert_eq!(error.code, ErrorCode::SaveUnsupportedSetup, "{error:?}");
    assert!(error.hint.must("have a hint").contains("lake build"));
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
