//! Figures: lean-beam beside a plain language server client, in one run on one machine.
//!
//! Absolute times depend on the machine; what counts is what lean-beam adds.

mod delays;
mod documents;
mod figures;
mod start;
mod table;

use std::process::Command;

use crate::{process, programs, raw_lean::RawLean};

/// Measures everything and prints it. `quick` takes fewer rounds and fewer documents.
pub async fn run(quick: bool) {
    let plan = if quick { Plan::QUICK } else { Plan::FULL };
    start::measure(&plan).await;
    for documents in plan.documents {
        documents::measure(&plan, *documents).await;
    }
    delays::measure(&plan).await;
}

/// How much is measured.
struct Plan {
    /// Rounds of what takes milliseconds.
    rounds: usize,
    /// Rounds of what takes longer.
    slow_rounds: usize,
    /// How many documents are open at once.
    documents: &'static [usize],
}

impl Plan {
    const FULL: Self = Self {
        rounds: 100,
        slow_rounds: 10,
        documents: &[1, 10, 100],
    };
    const QUICK: Self = Self {
        rounds: 15,
        slow_rounds: 3,
        documents: &[1, 10],
    };
}

/// A plain client with a Lean that reports at once, as lean-beam's does.
async fn plain_client() -> RawLean {
    RawLean::start(lean(0)).await
}

/// The command for a plain Lean server.
fn lean(report_delay_ms: u32) -> Command {
    let mut command = process::command(programs::real_lean());
    command
        .arg("--server")
        .arg(format!("-Dserver.reportDelayMs={report_delay_ms}"));
    command
}
