//! What every command has at hand, and how a command becomes an exit code.

use std::{
    env, io,
    path::{Path, PathBuf},
    time::Duration,
};

use lean_beam_proto::{
    BeamError, ClientInfo, ErrorCode,
    client::{Answer, Connector, Request},
    op::Operation,
};
use tokio::runtime::Builder;

use crate::{
    args::{Cli, Globals},
    commands,
    exit_code::Exit,
    files::Files,
    output::{Output, human},
    root::{self, ProjectFile},
    signals::Signals,
};

/// Why a command did not get to its end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The command line makes no sense; nothing was asked.
    #[error("{0}")]
    Usage(BeamError),
    /// The request failed.
    #[error("{0}")]
    Request(#[from] BeamError),
    /// Standard output or a local file cannot be used.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// A signal came.
    #[error("interrupted")]
    Interrupted(Exit),
}

/// How a command ends.
pub(crate) type Outcome = Result<Exit, Failure>;

/// What every command has at hand.
#[derive(Debug)]
pub(crate) struct App {
    /// Options of every command.
    pub(crate) globals: Globals,
    /// Where results go.
    pub(crate) output: Output,
}

/// Runs the command.
pub(crate) fn run(cli: Cli) -> Exit {
    let app = App {
        output: Output::new(&cli.globals),
        globals: cli.globals,
    };
    let outcome = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Failure::Io)
        .and_then(|runtime| {
            runtime.block_on(async {
                let mut signals = Signals::listen()?;
                commands::run(&app, cli.command, &mut signals).await
            })
        });
    outcome.unwrap_or_else(|failure| app.report(failure))
}

impl App {
    /// How to reach the daemon.
    pub(crate) fn connector(&self) -> Result<Connector, BeamError> {
        Connector::new(ClientInfo::named("lean-beam"))
    }

    /// The project, for commands that name no file.
    pub(crate) fn project(&self) -> Result<PathBuf, Failure> {
        let here = current_directory()?;
        root::project(self.globals.root.as_deref(), &here).map_err(Failure::Usage)
    }

    /// The project of a file.
    pub(crate) fn project_of_file(&self, file: &Path) -> Result<ProjectFile, Failure> {
        let here = current_directory()?;
        root::project_of_file(self.globals.root.as_deref(), file, &here).map_err(Failure::Usage)
    }

    /// The files of the project at `root`, for showing them.
    pub(crate) fn files(&self, root: &Path) -> Result<Files, Failure> {
        Ok(Files::new(root, &current_directory()?))
    }

    /// Sends a request about the daemon, which is started where needed, and waits for its result.
    pub(crate) async fn ask<O: Operation>(
        &self,
        params: O::Params,
    ) -> Result<Answer<O::Output>, BeamError> {
        let subject = O::NAME.replace('_', " ");
        self.send::<O>(Request::new(params), &subject).await
    }

    /// Sends a request about a project.
    pub(crate) async fn ask_project<O: Operation>(
        &self,
        root: &Path,
        params: O::Params,
        subject: &str,
    ) -> Result<Answer<O::Output>, BeamError> {
        self.send::<O>(Request::new(params).in_workspace(root), subject)
            .await
    }

    /// Sends `request` with the deadline of the command line.
    async fn send<O: Operation>(
        &self,
        request: Request<O>,
        subject: &str,
    ) -> Result<Answer<O::Output>, BeamError> {
        let request = match self.deadline() {
            Some(deadline) => request.within(deadline),
            None => request,
        };
        self.send_to(&self.connector()?, &request, subject).await
    }

    /// Sends `request` to the daemon of `connector` and shows how it goes on.
    pub(crate) async fn send_to<O: Operation>(
        &self,
        connector: &Connector,
        request: &Request<O>,
        subject: &str,
    ) -> Result<Answer<O::Output>, BeamError> {
        let mut progress = self.output.progress(subject);
        let mut call = progress.during(connector.call(request)).await?;
        while let Some(event) = progress.during(call.next_event()).await? {
            progress.show(&event);
        }
        call.finish().await
    }

    /// What `--timeout` says.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        self.globals.timeout
    }

    /// Says what went wrong and turns it into an exit code.
    fn report(&self, failure: Failure) -> Exit {
        match failure {
            Failure::Usage(error) => {
                self.output.failure(&error);
                Exit::Usage
            }
            Failure::Request(error) => {
                self.output.failure(&error);
                if let Ok(here) = current_directory() {
                    self.output.advice(&human::recovery(&error, &here));
                }
                Exit::of(&error)
            }
            // The reader, `head` perhaps, has seen enough.
            Failure::Io(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Ok,
            Failure::Io(error) => {
                let error = BeamError::new(ErrorCode::InternalError, error.to_string());
                self.output.failure(&error);
                Exit::RequestFailed
            }
            Failure::Interrupted(exit) => {
                self.output.interrupted();
                exit
            }
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "relative paths on the command line are relative to the current directory"
)]
fn current_directory() -> io::Result<PathBuf> {
    env::current_dir()
}
