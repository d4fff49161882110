//! What each command does, one file per family.

mod control;
mod daemon;
mod demo;
mod documents;
mod find;
mod logs;
mod navigate;
mod position;
mod probe;
mod program;
mod proofs;
mod request;
mod status;

use crate::{
    app::{App, Failure, Outcome},
    args::{
        Command, ControlCommand, DaemonCommand, DocumentCommand, NavigateCommand, ProbeCommand,
        ProgramCommand, ProofCommand,
    },
    signals::Signals,
};

/// Runs `command` until it is done or a signal comes. The demo looks after signals itself, because it
/// has to clean up.
pub(crate) async fn run(app: &App, command: Command, signals: &mut Signals) -> Outcome {
    // The families differ much in size; boxed, the large ones do not weigh on the small ones.
    let outcome = match command {
        Command::Demo => return Box::pin(demo::run(app, signals)).await,
        Command::Documents(command) => {
            let work = Box::pin(documents(app, command));
            signals.until_interrupted(work).await
        }
        Command::Probe(command) => {
            let work = Box::pin(probe(app, command));
            signals.until_interrupted(work).await
        }
        Command::Proof(command) => {
            let work = Box::pin(proofs(app, command));
            signals.until_interrupted(work).await
        }
        Command::Navigate(command) => {
            let work = Box::pin(navigate(app, command));
            signals.until_interrupted(work).await
        }
        Command::Daemon(command) => {
            let work = Box::pin(daemon(app, command));
            signals.until_interrupted(work).await
        }
        Command::Control(command) => {
            let work = Box::pin(control(app, command));
            signals.until_interrupted(work).await
        }
        Command::Program(command) => {
            let work = Box::pin(program(app, command));
            signals.until_interrupted(work).await
        }
    };
    outcome.unwrap_or_else(|exit| Err(Failure::Interrupted(exit)))
}

async fn documents(app: &App, command: DocumentCommand) -> Outcome {
    match command {
        DocumentCommand::Sync(args) => documents::sync(app, &args).await,
        DocumentCommand::Refresh(args) => documents::refresh(app, &args).await,
        DocumentCommand::Update(args) => documents::update(app, &args).await,
        DocumentCommand::Close(args) => documents::close(app, &args).await,
        DocumentCommand::OpenFiles => documents::open_files(app).await,
    }
}

async fn probe(app: &App, command: ProbeCommand) -> Outcome {
    match command {
        ProbeCommand::RunAt(args) => probe::run_at(app, &args).await,
        ProbeCommand::RunAtHandle(args) => probe::run_at_handle(app, &args).await,
        ProbeCommand::RunWith(args) => probe::run_with(app, &args).await,
        ProbeCommand::RunWithLinear(args) => probe::run_with_linear(app, &args).await,
        ProbeCommand::Release(args) => probe::release(app, &args).await,
        ProbeCommand::Try(args) => probe::try_candidates(app, &args).await,
    }
}

async fn proofs(app: &App, command: ProofCommand) -> Outcome {
    match command {
        ProofCommand::Goals(args) => proofs::goals(app, &args).await,
        ProofCommand::TermGoal(args) => proofs::term_goal(app, &args).await,
        ProofCommand::CheckAxioms(args) => proofs::check_axioms(app, &args).await,
    }
}

async fn navigate(app: &App, command: NavigateCommand) -> Outcome {
    match command {
        NavigateCommand::Hover(args) => navigate::hover(app, &args).await,
    }
}

async fn daemon(app: &App, command: DaemonCommand) -> Outcome {
    match command {
        DaemonCommand::Serve(args) if args.foreground => daemon::serve_in_foreground(app).await,
        DaemonCommand::Serve(_) => daemon::serve(app).await,
        DaemonCommand::Stop => daemon::stop(app).await,
        DaemonCommand::Restart => daemon::restart(app).await,
        DaemonCommand::Status => status::status(app).await,
        DaemonCommand::Logs(args) => logs::logs(app, &args).await,
    }
}

async fn control(app: &App, command: ControlCommand) -> Outcome {
    match command {
        ControlCommand::Drop => control::drop_workspace(app).await,
        ControlCommand::Stats => control::stats(app).await,
        ControlCommand::ResetStats => control::reset_stats(app).await,
        ControlCommand::Cancel(args) => control::cancel(app, args).await,
        ControlCommand::Request(args) => request::request(app, args).await,
    }
}

async fn program(app: &App, command: ProgramCommand) -> Outcome {
    match command {
        ProgramCommand::Version => status::version(app).await,
        ProgramCommand::CompletionsFor(args) => program::completions(app, &args),
        ProgramCommand::Man(args) => program::man(app, &args),
    }
}
