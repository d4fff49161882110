//! A real check of a small file, with times.

use std::time::{Duration, Instant};

use lean_beam_proto::{
    BeamError, ErrorCode,
    client::Request,
    op::{Sync, SyncParams, SyncResult},
};
use serde_json::json;

use super::finding::Finding;
use crate::{
    app::{App, Failure},
    commands::demo::{Lean, Stage},
    output::human::words,
};

const TRIAL: &str = "trial";
const FILE: &str = "Doctor.lean";
/// It must be fine for every Lean 4.
const TEXT: &str = "theorem doctor (p : Prop) (h : p) : p := h\n";
/// What is added for the second look.
const MORE: &str = "theorem doctor_again (p : Prop) (h : p) : p := h\n";
/// Without `--timeout` no step may take longer than this.
const STEP_LIMIT: Duration = Duration::from_secs(120);

/// How long the steps took.
#[derive(Debug)]
struct Times {
    ready: Duration,
    first: Duration,
    next: Duration,
}

/// Checks a small file twice with a daemon of its own.
pub(super) async fn run(app: &App, stage: &Stage, lean: &Lean) -> Finding {
    match steps(app, stage).await {
        Ok(times) => Finding::ok(
            TRIAL,
            format!(
                "Lean {} checked a small file: daemon ready in {}, first verdict in {}, next verdict in {}",
                lean.version,
                words::duration(times.ready),
                words::duration(times.first),
                words::duration(times.next)
            ),
        )
        .data(json!({
            "lean": lean.program,
            "daemon_ready_ms": milliseconds(times.ready),
            "first_verdict_ms": milliseconds(times.first),
            "next_verdict_ms": milliseconds(times.next),
        })),
        Err(error) => failed(&error),
    }
}

/// The stage itself could not be set.
pub(super) fn no_stage(failure: &Failure) -> Finding {
    Finding::problem(
        TRIAL,
        format!("no place for a trial can be made: {failure}"),
    )
    .remedy("Set TMPDIR to a directory that can be written.")
}

/// Why there was no trial.
pub(super) fn left_out(why: &str) -> Finding {
    Finding::note(TRIAL, format!("left out: {why}"))
}

async fn steps(app: &App, stage: &Stage) -> Result<Times, BeamError> {
    let ready = stage.start_daemon(app).await?;
    let first = check(app, stage, TEXT).await?;
    let next = check(app, stage, &format!("{TEXT}{MORE}")).await?;
    Ok(Times { ready, first, next })
}

async fn check(app: &App, stage: &Stage, text: &str) -> Result<Duration, BeamError> {
    let written = stage.write(FILE, text);
    written.map_err(|error| BeamError::internal(format!("cannot write {FILE}: {error}")))?;
    let params = SyncParams {
        path: FILE.to_owned(),
        ..SyncParams::default()
    };
    let request = Request::<Sync>::new(params)
        .in_workspace(stage.root())
        .within(app.deadline().unwrap_or(STEP_LIMIT));
    let started = Instant::now();
    let answer = app
        .send_to(stage.connector(), &request, "checking a small file")
        .await?;
    judge(&answer.output).map(|()| started.elapsed())
}

fn judge(result: &SyncResult) -> Result<(), BeamError> {
    if result.diagnostics.counts.error == 0 && result.readiness.save_ready {
        return Ok(());
    }
    Err(BeamError::new(
        ErrorCode::InvalidResult,
        format!(
            "Lean finds {} in a file that has none",
            words::counted(result.diagnostics.counts.error, "error")
        ),
    )
    .with_hint("The toolchain may be incomplete: install it again."))
}

fn failed(error: &BeamError) -> Finding {
    let remedy = error.hint.clone().unwrap_or_else(|| {
        "Run it again; if it stays like this, `lean-beam logs` of your own daemon may say more."
            .to_owned()
    });
    Finding::problem(
        TRIAL,
        format!("checking a small file failed: {}", error.message),
    )
    .remedy(remedy)
    .data(json!({ "error": error }))
}

/// As a number with one digit behind the point.
fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 10_000.0).round() / 10.0
}
