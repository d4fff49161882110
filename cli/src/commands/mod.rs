//! What each command does, one file per family.

mod control;
mod daemon;
mod demo;
pub(crate) mod doctor;
mod documents;
mod feedback;
mod find;
mod logs;
mod navigate;
mod position;
mod probe;
mod program;
mod proofs;
mod request;
mod save;
pub(crate) mod setup;
mod status;
mod symbols;
mod todo;
pub(crate) mod watch;

use std::{future::Future, pin::Pin};

use crate::{
    app::{App, Failure, Outcome},
    args::{
        CodeActionCommand, Command, ControlCommand, DaemonCommand, DocumentCommand,
        NavigateCommand, OperationsCommand, ProbeCommand, ProgramCommand, ProofCommand,
        SaveCommand, SymbolCommand, TodoCommand,
    },
    signals::Signals,
};

/// Runs `command` until it is done or a signal comes. The demo looks after signals itself, because it
/// has to clean up.
pub(crate) async fn run(app: &App, command: Command, signals: &mut Signals) -> Outcome {
    let work: Pin<Box<dyn Future<Output = Outcome> + '_>> = match command {
        Command::Demo => return Box::pin(demo::run(app, signals)).await,
        Command::Operations(OperationsCommand::Doctor(args)) => {
            return Box::pin(doctor::run(app, &args, signals)).await;
        }
        Command::Operations(OperationsCommand::Setup(args)) => Box::pin(setup::setup(app, args)),
        Command::Operations(OperationsCommand::FeedbackReport(args)) => {
            Box::pin(feedback::feedback(app, args))
        }
        Command::Documents(command) => Box::pin(documents(app, command)),
        Command::Save(command) => Box::pin(saves(app, command)),
        Command::Probe(command) => Box::pin(probe(app, command)),
        Command::Proof(command) => Box::pin(proofs(app, command)),
        Command::Todo(command) => Box::pin(todo(app, command)),
        Command::Navigate(command) => Box::pin(navigate(app, command)),
        Command::Symbols(command) => Box::pin(symbols(app, command)),
        Command::Daemon(command) => Box::pin(daemon(app, command)),
        Command::Control(command) => Box::pin(control(app, command)),
        Command::Program(command) => Box::pin(program(app, command)),
    };
    let outcome = signals.until_interrupted(work).await;
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

async fn saves(app: &App, command: SaveCommand) -> Outcome {
    match command {
        SaveCommand::Save(args) => save::save(app, &args).await,
        SaveCommand::CloseSave(args) => save::close_save(app, &args).await,
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
        NavigateCommand::SignatureHelp(args) => navigate::signature_help(app, &args).await,
        NavigateCommand::Definition(args) => navigate::definition(app, &args).await,
        NavigateCommand::References(args) => navigate::references(app, &args).await,
        NavigateCommand::Completions(args) => navigate::completions(app, &args).await,
    }
}

async fn symbols(app: &App, command: SymbolCommand) -> Outcome {
    match command {
        SymbolCommand::DocumentSymbols(args) => symbols::document_symbols(app, &args).await,
        SymbolCommand::WorkspaceSymbols(args) => symbols::workspace_symbols(app, &args).await,
    }
}

async fn todo(app: &App, command: TodoCommand) -> Outcome {
    match command {
        TodoCommand::Todo(args) => todo::todo(app, &args).await,
        TodoCommand::CodeAction(CodeActionCommand::Resolve(args)) => {
            todo::resolve(app, &args).await
        }
    }
}

async fn daemon(app: &App, command: DaemonCommand) -> Outcome {
    match command {
        DaemonCommand::Serve(args) if args.foreground => daemon::serve_in_foreground(app).await,
        DaemonCommand::Serve(_) => daemon::serve(app).await,
        DaemonCommand::Stop => daemon::stop(app).await,
        DaemonCommand::Restart => daemon::restart(app).await,
        DaemonCommand::Status(args) if args.watch => watch::watch(app, &args).await,
        DaemonCommand::Status(_) => status::status(app).await,
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
