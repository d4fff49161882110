//! A tour in a few seconds: a private daemon, a small project, a mistake, questions about it, texts that are
//! tried without touching the file, the mistake mended, the module saved and imported.

mod lean;
mod portable;
mod report;
mod script;
mod stage;
mod tour;

use crate::{
    app::{App, Failure, Outcome},
    exit_code::Exit,
    output::human,
    signals::Signals,
};

use self::tour::Tour;
pub(super) use self::{
    lean::{Lean, version_number},
    stage::Stage,
};

/// Runs the demo and leaves nothing behind, whether it ends well, badly or by a signal.
pub(super) async fn run(app: &App, signals: &mut Signals) -> Outcome {
    app.output.narrate(&human::demo_title())?;
    let lean = signals
        .until_interrupted(lean::find(app))
        .await
        .map_err(Failure::Interrupted)??;
    // From here on there is something to clean up. The start itself is not interrupted: a daemon that is
    // only half started could not be told to stop.
    let stage = Stage::set(&lean)?;
    let outcome = match stage.start_daemon(app).await {
        Ok(ready) => {
            let tour = Box::pin(Tour::new(app, &stage, &lean, ready).run());
            match signals.until_interrupted(tour).await {
                Ok(outcome) => outcome,
                Err(exit) => Err(Failure::Interrupted(exit)),
            }
        }
        Err(error) => Err(Failure::Request(error)),
    };
    // A second signal means that even this takes too long; the daemon has been told to stop by then.
    let cleaned = signals.until_interrupted(stage.clear(app)).await;
    outcome?;
    cleaned.map_err(Failure::Interrupted)??;
    app.output.narrate(&human::demo_end())?;
    Ok(Exit::Ok)
}
