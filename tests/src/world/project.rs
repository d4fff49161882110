//! A project directory in a private world.

use std::{
    fs,
    path::{Path, PathBuf},
};

use lean_beam_proto::{
    BeamResult,
    client::{Connector, Request},
    op::{
        Close, CloseParams, CloseResult, DiagnosticScope, DropWorkspace, DropWorkspaceResult,
        Empty, Hover, HoverResult, OpenFiles, OpenFilesResult, Operation, PositionParams, Refresh,
        Save, SaveParams, SaveResult, Sync, SyncParams, SyncResult, Update, UpdateParams,
        UpdateResult,
    },
};

use super::{Beam, Cli, beam};
use crate::must::Must;

/// A directory with a `lean-toolchain` and files that the test writes.
#[derive(Debug, Clone)]
pub struct Project {
    root: PathBuf,
    connector: Connector,
}

impl Project {
    pub(super) fn create(beam: &Beam, root: &Path) -> Self {
        fs::create_dir_all(root).must("make a project");
        fs::write(root.join("lean-toolchain"), "leanprover/lean4:v4.35.0\n")
            .must("write the toolchain file");
        if let Some(user) = beam.user() {
            std::os::unix::fs::chown(root, Some(user), Some(user)).must("give the project away");
        }
        Self {
            root: root.canonicalize().must("find the project's real path"),
            connector: beam.connector(),
        }
    }

    /// Its canonical root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The root as text, for requests.
    pub fn root_text(&self) -> &str {
        self.root.to_str().must("have a path of plain text")
    }

    /// The absolute path of a file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Writes a file, with the directories above it, and gives its absolute path.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory).must("make a directory");
        }
        fs::write(&path, content).must("write a file");
        path
    }

    /// The text of a file.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).must("read a file")
    }

    /// Replaces the only occurrence of `old` in a file.
    ///
    /// # Panics
    /// `old` is not there, or more than once.
    pub fn edit(&self, name: &str, old: &str, new: &str) {
        let text = self.read(name);
        assert_eq!(text.matches(old).count(), 1, "{old:?} in {name}");
        self.write(name, text.replacen(old, new, 1));
    }

    /// Removes a file.
    pub fn remove(&self, name: &str) {
        fs::remove_file(self.path(name)).must("remove a file");
    }

    /// Sends one request about this project.
    ///
    /// # Errors
    /// As the daemon says.
    pub async fn call<O: Operation>(&self, params: O::Params) -> BeamResult<O::Output> {
        beam::call(&self.connector, &self.request::<O>(params)).await
    }

    /// Sends a request about this project as it is.
    ///
    /// # Errors
    /// As the daemon says.
    pub async fn send<O: Operation>(&self, request: &Request<O>) -> BeamResult<O::Output> {
        beam::call(&self.connector, request).await
    }

    /// A request about this project, for tests that need more than its result.
    pub fn request<O: Operation>(&self, params: O::Params) -> Request<O> {
        Request::new(params).in_workspace(self.root_text())
    }

    /// Parameters of `sync` that ask for everything.
    pub fn sync_params(name: &str) -> SyncParams {
        SyncParams {
            path: name.to_owned(),
            diagnostic_scope: DiagnosticScope::All,
            diagnostics_in_result: true,
        }
    }

    /// `sync` with all diagnostics in the result.
    ///
    /// # Errors
    /// As the daemon says.
    pub async fn sync(&self, name: &str) -> BeamResult<SyncResult> {
        self.call::<Sync>(Self::sync_params(name)).await
    }

    /// How many errors Lean finds in a file.
    ///
    /// # Panics
    /// There is no verdict.
    pub async fn errors(&self, name: &str) -> usize {
        self.sync(name).await.must("sync").diagnostics.counts.error
    }

    /// `refresh` with all diagnostics in the result.
    ///
    /// # Errors
    /// As the daemon says.
    pub async fn refresh(&self, name: &str) -> BeamResult<SyncResult> {
        self.call::<Refresh>(Self::sync_params(name)).await
    }

    /// `update`.
    ///
    /// # Errors
    /// As the daemon says.
    pub async fn update(&self, name: &str) -> BeamResult<UpdateResult> {
        let path = name.to_owned();
        self.call::<Update>(UpdateParams { path }).await
    }

    /// `close`.
    ///
    /// # Errors
    /// As the daemon says.
    pub async fn close(&self, name: &str) -> BeamResult<CloseResult> {
        let path = name.to_owned();
        self.call::<Close>(CloseParams { path }).await
    }

    /// `save`, with no more than a path.
    ///
    /// # Errors
    /// As the daemon says.
    pub async fn save(&self, name: &str) -> BeamResult<SaveResult> {
        let params = SaveParams {
            path: name.to_owned(),
            ..SaveParams::default()
        };
        self.call::<Save>(params).await
    }

    /// `drop_workspace`.
    ///
    /// # Errors
    /// As the daemon says.
    pub async fn drop_workspace(&self) -> BeamResult<DropWorkspaceResult> {
        self.call::<DropWorkspace>(Empty {}).await
    }

    /// `hover` at a zero-based line and UTF-16 column of a version.
    ///
    /// # Errors
    /// As the daemon says.
    pub async fn hover(
        &self,
        name: &str,
        version: u64,
        (line, character): (u32, u32),
    ) -> BeamResult<HoverResult> {
        self.call::<Hover>(Self::position(name, version, (line, character)))
            .await
    }

    /// Parameters of the operations about a position.
    pub fn position(name: &str, version: u64, (line, character): (u32, u32)) -> PositionParams {
        PositionParams {
            path: name.to_owned(),
            version,
            line,
            character: Some(character),
            anchor: None,
        }
    }

    /// `open_files`.
    ///
    /// # Errors
    /// As the daemon says.
    pub async fn open_files(&self) -> BeamResult<OpenFilesResult> {
        self.call::<OpenFiles>(Empty {}).await
    }

    /// A call of the command line in the project's root.
    pub fn cli<'a>(&self, beam: &Beam, arguments: impl IntoIterator<Item = &'a str>) -> Cli {
        beam.cli(arguments).in_directory(&self.root)
    }
}
