//! Making the artifacts of one module: through Lake where there is a lakefile, with `lean` itself otherwise.
//!
//! One build at a time in a project: Lake is not made for two, and two of ours could load a half-new state of
//! each other's imports. The running servers are never touched.

mod build;
mod lake;
mod plain;
mod scratch;

use std::{path::PathBuf, sync::Arc};

use lean_beam_proto::{BeamError, BeamResult, ErrorCode};
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

use crate::{
    imports::{ArtifactPaths, Layout},
    process::ChildSpec,
    text::DocumentText,
};

/// The build lane of one project.
#[derive(Debug)]
pub(crate) struct Builds {
    lane: Semaphore,
    tasks: TaskTracker,
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
        }
    }

    /// Makes the artifacts. `progress` hears what Lake says about its steps. Dropping the future ends the
    /// build and leaves the old artifacts.
    ///
    /// # Errors
    /// `saveFailed` with the end of the output, `saveTargetNotModule`, `contentModified` when the file is no
    /// longer what was judged, `runtimeSetup` when the program cannot be started.
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
        match plan.layout {
            Layout::Plain => plain::save(plan, &self.tasks).await,
            Layout::Lake => lake::save(plan, &self.tasks, progress).await,
        }
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
