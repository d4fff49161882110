//! Carrying out one tool call: one task, one connection to the daemon, one outcome.

mod feedback;
mod forward;
mod installed;
mod output;
mod pace;
mod reporter;
mod root;
mod shared;
mod utilities;

pub(crate) use output::Output;
pub(crate) use shared::Shared;

use std::sync::Arc;

use lean_beam_proto::{BeamError, BeamResult};
use tokio::{
    sync::oneshot,
    time::{Instant, timeout_at},
};

use crate::{
    protocol::{CallOutcome, Order},
    tools::{Action, Arguments, DEFAULT_DEADLINE, Tool, Wait},
};
use forward::{Passage, deadline_exceeded};
use reporter::Reporter;

/// Opens when a call may start. A call that was not held back has none.
pub(crate) type Gate = Option<oneshot::Receiver<()>>;

/// Carries out a call. Dropping the future stops the work, in the daemon too.
pub(crate) async fn carry_out(order: Order, gate: Gate, shared: Arc<Shared>) -> CallOutcome {
    let arrival = Instant::now();
    let mut reporter = Reporter::new(&order, &shared, arrival);
    reporter.prepare().await;
    let result = work(&order, gate, &shared, arrival, &mut reporter).await;
    reporter.settle().await;
    match result {
        Ok(json) => CallOutcome::succeeded(json, order.tool.when_cut),
        Err(error) => CallOutcome::failed(&error),
    }
}

async fn work(
    order: &Order,
    gate: Gate,
    shared: &Shared,
    arrival: Instant,
    reporter: &mut Reporter,
) -> BeamResult<String> {
    let tool = order.tool;
    let arguments = order.arguments.as_ref();
    reporter
        .during(pass(tool, gate, arguments.ok(), arrival))
        .await?;
    let arguments = arguments.map_err(BeamError::clone)?;
    let deadline = deadline(tool, arguments, arrival);
    match &tool.action {
        Action::Version => match timeout_at(deadline, utilities::version(shared)).await {
            Ok(json) => Ok(json),
            Err(_elapsed) => Err(deadline_exceeded(tool, "the daemon did not answer in time")),
        },
        Action::Stats => match timeout_at(deadline, utilities::stats(shared)).await {
            Ok(result) => result,
            Err(_elapsed) => Err(deadline_exceeded(tool, "the daemon did not answer in time")),
        },
        Action::Feedback(_) => {
            let report = timeout_at(deadline, feedback::report(tool, arguments, shared));
            match reporter.during(report).await {
                Ok(result) => result,
                Err(_elapsed) => Err(deadline_exceeded(tool, "the report was not ready in time")),
            }
        }
        Action::Forward(forward) => {
            let passage = Passage {
                tool,
                forward,
                arguments,
                deadline,
                shared,
            };
            passage.go(reporter).await
        }
    }
}

/// Waits until the calls that must come first are over.
async fn pass(
    tool: &Tool,
    gate: Gate,
    arguments: Option<&Arguments>,
    arrival: Instant,
) -> BeamResult<()> {
    let Some(gate) = gate else { return Ok(()) };
    let opened = match (tool.wait, arguments) {
        (Wait::Adjustable, Some(arguments)) => {
            timeout_at(deadline(tool, arguments, arrival), gate).await
        }
        _ => Ok(gate.await),
    };
    match opened {
        Err(_elapsed) => Err(deadline_exceeded(
            tool,
            "an earlier lean_drop_workspace has not finished, so nothing was sent",
        )),
        // The gate is only lost together with the server.
        Ok(_) => Ok(()),
    }
}

fn deadline(tool: &Tool, arguments: &Arguments, arrival: Instant) -> Instant {
    let (start, wait) = match tool.wait {
        Wait::Adjustable => (arrival, arguments.timeout.unwrap_or(DEFAULT_DEADLINE)),
        Wait::Fixed(wait) => (Instant::now(), wait),
    };
    // A wait that no clock can count to is as good as a year.
    let year = std::time::Duration::from_secs(365 * 24 * 3600);
    start + wait.min(year)
}
