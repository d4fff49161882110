//! Making the artifacts of one module: through Lake where there is a lakefile, with `lean` itself otherwise.
//!
//! One build at a time in a project: Lake is not made for two, and two of ours could load a half-new state of
//! each other's imports. The running servers are never touched.

mod build;
mod lake;
mod plain;
mod scratch;

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
};

use lean_beam_proto::{BeamError, BeamResult, ErrorCode};
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

use crate::{
    imports::{ArtifactPaths, Layout},
    process::ChildSpec,
    session::MemoryKills,
    text::DocumentText,
};

/// The name of the one build in [`MemoryKills`].
const BUILD: &str = "build";

/// The build lane of one project.
#[derive(Debug)]
pub(crate) struct Builds {
    lane: Semaphore,
    tasks: TaskTracker,
    /// Process id of the program that builds now; 0 while none does.
    running: AtomicU32,
    /// Whether it was stopped for its memory.
    kills: MemoryKills,
    /// What Lake made last, by module.
    // Held for single look-ups only, never across an await.
    made: Mutex<HashMap<String, Made>>,
}

/// An artifact, and what it was made of.
#[derive(Debug)]
struct Made {
    source_hash: String,
    /// Its stamp.
    olean: String,
}

/// What to save.
#[derive(Debug)]
pub(crate) struct SavePlan {
    pub(crate) root: PathBuf,
    pub(crate) layout: Layout,
    /// Program and environment, without arguments.
    pub(crate) tool: ChildSpec,
    pub(crate) module: String,
    /// The source file.
    pub(crate) source: PathBuf,
    /// What it must hold: the text that was judged.
    pub(crate) text: Arc<DocumentText>,
    /// The project's own modules that it imports directly.
    pub(crate) imports: Vec<String>,
}

impl Builds {
    pub(crate) fn new(tasks: TaskTracker) -> Self {
        Self {
            lane: Semaphore::new(1),
            tasks,
            running: AtomicU32::new(0),
            kills: MemoryKills::default(),
            made: Mutex::default(),
        }
    }

    fn made(&self) -> MutexGuard<'_, HashMap<String, Made>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Process id of the program that builds now.
    pub(crate) fn running(&self) -> Option<u32> {
        Some(self.running.load(Ordering::Relaxed)).filter(|pid| *pid != 0)
    }

    /// A process of the build takes too much memory and is about to be stopped.
    pub(crate) fn note_memory_kill(&self, bytes: u64, ceiling: u64) {
        self.kills.note(BUILD, bytes, ceiling);
    }

    /// Makes the artifacts. `progress` hears what Lake says about its steps. Dropping the future ends the
    /// build and leaves the old artifacts.
    ///
    /// # Errors
    /// `saveFailed` with the end of the output, `saveTargetNotModule`, `contentModified` when the file is no
    /// longer what was judged, `runtimeSetup` when the program cannot be started, `saveUnsupportedSetup` when the
    /// project's artifacts are not where they are looked for, `workerMemoryLimit` when the build was stopped.
    pub(crate) async fn save(
        &self,
        plan: &SavePlan,
        progress: impl FnMut(&str),
    ) -> BeamResult<ArtifactPaths> {
        let _turn = self
            .lane
            .acquire()
            .await
            .map_err(|error| BeamError::internal(error.to_string()))?;
        let built = match plan.layout {
            Layout::Plain => plain::save(plan, self).await,
            Layout::Lake => lake::save(plan, self, progress).await,
        };
        built.map_err(|error| {
            let over = self.kills.take(BUILD, &plan.module);
            over.filter(|_| error.code == ErrorCode::SaveFailed)
                .unwrap_or(error)
        })
    }
}

/// The file is not what was judged: what was made of it is not what was asked for.
fn modified(plan: &SavePlan) -> BeamError {
    BeamError::new(
        ErrorCode::ContentModified,
        format!("{} changed while it was being saved", plan.source.display()),
    )
    .with_hint("Save it again.")
}

/// True when the file still holds the text that was judged. Touches the file system.
fn source_is_unchanged(plan: &SavePlan) -> bool {
    std::fs::read(&plan.source).is_ok_and(|bytes| bytes == plan.text.as_str().as_bytes())
}
