//! Lean-beam's side of a comparison: a private daemon and a project.

use std::time::{Duration, Instant};

use lean_beam_proto::op::{
    Definition, DiagnosticScope, GoalMode, Goals, GoalsParams, Hover, Ping, PositionParams, Sync,
    SyncParams,
};

use super::{
    lean_file::LeanFile,
    machine,
    questions::Asked,
    raw::{RawLean, Reporting},
};
use crate::{
    must::Must,
    process::Process,
    world::{Beam, Project},
};

/// A private daemon with one project, and a plain Lean beside it with its own copies of the files.
#[derive(Debug)]
pub(super) struct Pair {
    // Before the world, whose end must find nothing running.
    pub(super) raw: RawLean,
    pub(super) raw_project: Project,
    pub(super) project: Project,
    pub(super) beam: Beam,
}

impl Pair {
    /// Starts both. The daemon's Lean starts with the first document.
    pub(super) async fn start() -> Self {
        let beam = world();
        let project = beam.project();
        let raw_project = beam.project_named("raw");
        let raw = RawLean::start(&beam, raw_project.root(), Reporting::OURS);
        beam.ensure().await;
        Self {
            raw,
            raw_project,
            project,
            beam,
        }
    }

    /// Opens a file on both sides; gives the daemon's version of it.
    pub(super) async fn open(&mut self, name: &str, file: &LeanFile) -> u64 {
        let path = self.raw_project.path(name);
        self.raw.open(&path, &file.text());
        self.project.write(name, file.text());
        let (_, version) = sync(&self.project, name, file).await;
        version
    }

    /// Waits until the daemon's Lean has judged all of a file that is on disk.
    pub(super) async fn wait_for_verdict(&self, name: &str) {
        let params = SyncParams {
            path: name.to_owned(),
            diagnostic_scope: DiagnosticScope::Errors,
            diagnostics_in_result: false,
        };
        self.project.call::<Sync>(params).await.must("sync a file");
    }

    /// A question through the daemon, which must have an answer: how long it took.
    pub(super) async fn ask(&self, name: &str, version: u64, asked: Asked) -> Duration {
        let position = Project::position(name, version, asked.place());
        let begin = Instant::now();
        let has_answer = match asked {
            Asked::Hover => {
                let result = self.project.call::<Hover>(position).await;
                result.must("hover").contents.is_some()
            }
            Asked::Goals => {
                let result = self.project.call::<Goals>(after(position)).await;
                !result.must("get goals").goals.is_empty()
            }
            Asked::Definition => {
                let result = self.project.call::<Definition>(position).await;
                !result.must("find a definition").locations.is_empty()
            }
        };
        let took = begin.elapsed();
        assert!(has_answer, "there is nothing for {asked:?} in {name}");
        took
    }

    /// A question that the daemon answers alone: how long it took.
    pub(super) async fn ping(&self) -> Duration {
        let begin = Instant::now();
        let params = lean_beam_proto::op::Empty {};
        self.project.call::<Ping>(params).await.must("ping");
        begin.elapsed()
    }

    pub(super) fn daemon(&self) -> Process {
        self.beam.daemon().must("find the daemon")
    }

    /// Waits until neither side does anything any more.
    pub(super) fn settle(&self) {
        machine::settle(&[self.daemon().pid, self.raw.pid()]);
    }
}

fn after(position: PositionParams) -> GoalsParams {
    GoalsParams {
        path: position.path,
        version: position.version,
        line: position.line,
        character: position.character,
        anchor: position.anchor,
        mode: GoalMode::After,
    }
}

/// A world whose daemon does not stay for long when a benchmark is killed, and closes no document on its own.
pub(super) fn world() -> Beam {
    Beam::builder()
        .config("[daemon]\nidle_seconds = 300\n[limits]\nopen_documents = 1000\n")
        .build()
}

/// Lean's verdict on a file that is on disk, through the daemon: how long it took, and of which version.
pub(super) async fn sync(project: &Project, name: &str, file: &LeanFile) -> (Duration, u64) {
    let params = SyncParams {
        path: name.to_owned(),
        diagnostic_scope: DiagnosticScope::Errors,
        diagnostics_in_result: false,
    };
    let begin = Instant::now();
    let result = project.call::<Sync>(params).await.must("sync a file");
    let took = begin.elapsed();
    let found = result.diagnostics.counts.error;
    assert_eq!(found, file.errors(), "errors in {name}");
    (took, result.version)
}
