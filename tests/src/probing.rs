//! Running texts in a file of a test's project.

use std::time::{Duration, Instant};

use lean_beam_proto::{
    BeamResult,
    client::Request,
    op::{
        Release, ReleaseParams, RunAt, RunAtHandle, RunAtParams, RunResult, RunWith, RunWithLinear,
        RunWithParams, Try, TryParams, TryResult,
    },
    text::Severity,
};

use crate::{
    must::Must,
    process::Process,
    wait::eventually,
    world::{Beam, Project},
};

/// A zero-based line and a UTF-16 column.
pub type Place = (u32, u32);

/// Just before the only occurrence of `what` in `text`.
///
/// # Panics
/// It is not there, or more than once.
pub fn before(text: &str, what: &str) -> Place {
    assert_eq!(text.matches(what).count(), 1, "{what:?} in {text}");
    let head = text.split(what).next().unwrap_or_default();
    let line = head.rsplit('\n').next().unwrap_or_default();
    let count = |number: usize| u32::try_from(number).must("count in 32 bits");
    (
        count(head.matches('\n').count()),
        count(line.encode_utf16().count()),
    )
}

/// A world with real Lean and a project with the one file `A.lean`, to run texts in.
pub async fn world(text: &str) -> (Beam, Project, Prober) {
    let beam = Beam::real();
    let project = beam.project();
    let prober = Prober::open(&project, "A.lean", text).await;
    (beam, project, prober)
}

/// One version of a file, to run texts in.
#[derive(Debug, Clone)]
pub struct Prober {
    project: Project,
    name: String,
    /// The version that is asked about.
    pub version: u64,
}

impl Prober {
    /// Writes a file and lets the daemon read it.
    pub async fn open(project: &Project, name: &str, text: &str) -> Self {
        project.write(name, text);
        Self {
            project: project.clone(),
            name: name.to_owned(),
            version: project.update(name).await.must("update").version,
        }
    }

    /// The file as it is now on disk, in the version that this gives it.
    pub async fn edited(&self, text: &str) -> Self {
        Self::open(&self.project, &self.name, text).await
    }

    /// Parameters for running `text` at a place.
    pub fn params(&self, (line, character): Place, text: &str) -> RunAtParams {
        RunAtParams {
            path: self.name.clone(),
            version: self.version,
            line,
            character: Some(character),
            anchor: None,
            text: text.to_owned(),
        }
    }

    /// A `run_at` request, for tests that need more than its result.
    pub fn request(&self, place: Place, text: &str) -> Request<RunAt> {
        self.project.request::<RunAt>(self.params(place, text))
    }

    /// `run_at`.
    ///
    /// # Errors
    /// As the daemon says.
    pub async fn run_at(&self, place: Place, text: &str) -> BeamResult<RunResult> {
        self.project.call::<RunAt>(self.params(place, text)).await
    }

    /// The rendered goals at a place, found by a text that changes nothing.
    pub async fn goals(&self, place: Place) -> String {
        let result = self.run_at(place, "skip").await.must("run skip");
        assert!(result.success, "{result:?}");
        rendered(&result).to_owned()
    }

    /// `run_at_handle`, whose text must succeed: the handle.
    pub async fn handle(&self, place: Place, text: &str) -> String {
        let params = self.params(place, text);
        let result = self.project.call::<RunAtHandle>(params).await;
        next_handle(&result.must("run at a place with a handle"))
    }

    /// `run_with`.
    ///
    /// # Errors
    /// As the daemon says.
    pub async fn run_with(&self, handle: &str, text: &str) -> BeamResult<RunResult> {
        self.project
            .call::<RunWith>(self.with_params(handle, text))
            .await
    }

    /// `run_with`, whose text must succeed: the next handle.
    pub async fn go_on(&self, handle: &str, text: &str) -> String {
        let result = self.run_with(handle, text).await;
        next_handle(&result.must("go on from a handle"))
    }

    /// `run_with_linear`.
    ///
    /// # Errors
    /// As the daemon says.
    pub async fn run_with_linear(&self, handle: &str, text: &str) -> BeamResult<RunResult> {
        self.project
            .call::<RunWithLinear>(self.with_params(handle, text))
            .await
    }

    /// `release`: whether there was something to give up.
    ///
    /// # Errors
    /// As the daemon says.
    pub async fn release(&self, handle: &str) -> BeamResult<bool> {
        let params = ReleaseParams {
            path: self.name.clone(),
            handle: handle.to_owned(),
        };
        let result = self.project.call::<Release>(params).await?;
        Ok(result.released)
    }

    /// `try`, with a limit for each candidate.
    ///
    /// # Errors
    /// As the daemon says.
    pub async fn try_all(
        &self,
        (line, character): Place,
        candidates: Vec<String>,
        limit: Duration,
        stop_on_first: bool,
    ) -> BeamResult<TryResult> {
        let params = TryParams {
            path: self.name.clone(),
            version: self.version,
            line,
            character: Some(character),
            anchor: None,
            candidates,
            stop_on_first,
            per_candidate_ms: Some(u64::try_from(limit.as_millis()).must("have a limit")),
        };
        self.project.call::<Try>(params).await
    }

    fn with_params(&self, handle: &str, text: &str) -> RunWithParams {
        RunWithParams {
            path: self.name.clone(),
            handle: handle.to_owned(),
            text: text.to_owned(),
        }
    }
}

/// The goals of a result, as Lean prints them.
pub fn rendered(result: &RunResult) -> &str {
    let state = result.proof_state.as_ref().must("be in a proof");
    &state.rendered
}

/// True when some message of a result is an error.
pub fn has_error(result: &RunResult) -> bool {
    let mut severities = result.messages.iter().map(|message| message.severity);
    severities.any(|severity| severity == Severity::Error)
}

fn next_handle(result: &RunResult) -> String {
    assert!(result.success, "{result:?}");
    result.next_handle.clone().must("get a handle")
}

/// The workers in which texts run, with their process ids.
pub async fn lane_workers(beam: &Beam) -> Vec<Process> {
    let workspaces = beam.status().await.workspaces;
    let processes = workspaces.into_iter().flat_map(|one| one.processes);
    processes
        .filter(|process| process.kind == "probe worker")
        .filter_map(|process| Process::find(process.pid))
        .collect()
}

/// How long a process has been computing, in clock ticks (hundredths of a second).
pub fn processor_time(process: &Process) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.pid)).unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    // Counted after the name: state is 0, so user time is 11 and system time 12.
    let field = |at: usize| after_name.split_whitespace().nth(at)?.parse::<u64>().ok();
    field(11).unwrap_or(0) + field(12).unwrap_or(0)
}

/// Waits until some worker of Lean computes without a pause.
pub async fn until_busy(beam: &Beam, limit: Duration) {
    let mut watch = Watch::new(beam);
    eventually(limit, "a busy worker", async || {
        (watch.share()? > 0.3).then_some(())
    })
    .await;
}

/// Waits until no worker of Lean computes.
pub async fn until_quiet(beam: &Beam, limit: Duration) {
    let mut watch = Watch::new(beam);
    eventually(limit, "quiet workers", async || {
        (watch.share()? < 0.1).then_some(())
    })
    .await;
}

/// Looks at the processor time of Lean's workers again and again.
struct Watch<'a> {
    beam: &'a Beam,
    since: Instant,
    workers: Vec<(Process, u64)>,
}

impl<'a> Watch<'a> {
    /// Long enough for hundredths of a second to mean something.
    const SPAN: Duration = Duration::from_millis(400);

    fn new(beam: &'a Beam) -> Self {
        Self {
            beam,
            since: Instant::now(),
            workers: workers(beam),
        }
    }

    /// What share of one processor the workers that are still there have used since the last look, when that is
    /// long enough ago.
    fn share(&mut self) -> Option<f64> {
        let elapsed = self.since.elapsed();
        if elapsed < Self::SPAN {
            return None;
        }
        let used: u64 = self
            .workers
            .iter()
            .map(|(process, before)| processor_time(process).saturating_sub(*before))
            .sum();
        let found_all = workers(self.beam).len() <= self.workers.len();
        *self = Self::new(self.beam);
        let used = u32::try_from(used).must("have a small number of ticks");
        found_all.then(|| f64::from(used) / 100.0 / elapsed.as_secs_f64())
    }
}

fn workers(beam: &Beam) -> Vec<(Process, u64)> {
    let is_worker = |process: &Process| process.command.iter().any(|part| part == "--worker");
    let workers = beam.lean_processes().into_iter().filter(is_worker);
    workers
        .map(|process| {
            let used = processor_time(&process);
            (process, used)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_found_by_what_stands_there() {
        assert_eq!(before("a\n𝔸 b\nc", "b"), (1, 3));
        assert_eq!(before("a\n𝔸 b\nc", "a"), (0, 0));
    }
}
