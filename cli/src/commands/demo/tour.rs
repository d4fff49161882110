//! The steps of the demo.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use lean_beam_proto::{
    BeamError, ErrorCode,
    client::Request,
    op::{
        DiagnosticScope, GoalMode, Goals, GoalsParams, GoalsResult, Hover, HoverResult, Operation,
        PositionParams, ProofStatus, RunAtHandle, RunAtParams, RunResult, RunWithLinear,
        RunWithParams, Save, SaveParams, SaveResult, Sync, SyncParams, SyncResult, Try, TryParams,
        TryResult,
    },
};

use super::{
    lean::Lean,
    report::{Found, Report, Timed},
    script::{
        ANCHOR, CANDIDATES, FILE, FIRST_TACTIC, LINE, MENDED, MISTAKEN, RIGHT_CANDIDATE, STEPS,
        TACTIC, USE, USER,
    },
    stage::Stage,
};
use crate::{
    app::{App, Failure},
    output::human::{self, Subject},
    source::Source,
};

/// Without `--timeout` no step may take longer than this.
const STEP_LIMIT: Duration = Duration::from_secs(120);

/// One run through the steps.
#[derive(Debug)]
pub(super) struct Tour<'a> {
    app: &'a App,
    stage: &'a Stage,
    lean: &'a Lean,
    ready: Duration,
}

impl<'a> Tour<'a> {
    /// A tour with a daemon that got ready in `ready`.
    pub(super) fn new(app: &'a App, stage: &'a Stage, lean: &'a Lean, ready: Duration) -> Self {
        Self {
            app,
            stage,
            lean,
            ready,
        }
    }

    /// Takes all steps.
    pub(super) async fn run(self) -> Result<(), Failure> {
        self.narrate(human::demo_setting(
            &self.lean.version,
            &self.lean.program,
            &self.stage.root(),
            self.ready,
        ))?;
        let mistaken = self.mistake().await?;
        let version = mistaken.result.version;
        let found = Found {
            goals: self.goals(version).await?,
            hover: self.question(version).await?,
            attempts: self.candidates(version).await?,
            steps: self.handles(version).await?,
            mended: self.mended().await?,
            saved: self.save().await?,
            used: self.import().await?,
            mistaken,
        };
        self.narrate(human::demo_times(&[
            ("daemon ready", self.ready, ""),
            ("first verdict", found.mistaken.elapsed, "Lean had to start"),
            ("goals", found.goals.elapsed, ""),
            ("hover", found.hover.elapsed, ""),
            (
                "five candidates",
                found.attempts.elapsed,
                "in Lean processes of their own",
            ),
            ("three steps by handles", found.steps.elapsed, ""),
            (
                "verdict after the edit",
                found.mended.elapsed,
                "Lean was warm",
            ),
            ("save", found.saved.elapsed, "a build of its own"),
            ("verdict on the importer", found.used.elapsed, ""),
        ]))?;
        let report = Report::new(self.lean, self.ready, &found);
        // For people everything has been told on the way.
        Ok(self.app.output.show(&report, String::new)?)
    }

    async fn mistake(&self) -> Result<Timed<SyncResult>, Failure> {
        self.stage.write(FILE, MISTAKEN)?;
        let title = "A proof with a mistake";
        self.narrate(human::demo_step(1, title, FILE, MISTAKEN, None))?;
        let verdict = self.sync(FILE, MISTAKEN).await?;
        let ready = verdict.result.readiness.save_ready;
        expect(!ready, "Lean accepts the mistake")?;
        Ok(verdict)
    }

    async fn goals(&self, version: u64) -> Result<Timed<GoalsResult>, Failure> {
        self.narrate(human::demo_question(2, "What is to be proved there?"))?;
        let asked = format!("{FILE}:{}", LINE + 1);
        self.command(&format!("goals before {asked} --anchor {TACTIC}"))?;
        let params = GoalsParams {
            path: FILE.to_owned(),
            version,
            line: LINE,
            character: None,
            anchor: Some(TACTIC.to_owned()),
            mode: GoalMode::Before,
        };
        let goals = self.ask::<Goals>(params).await?;
        let source = Source::new(MISTAKEN);
        let subject = Subject {
            path: FILE,
            asked: &asked,
            source: Some(&source),
        };
        self.narrate(human::goals(&goals.result, GoalMode::Before, subject))?;
        let is_open = goals.result.status == ProofStatus::Open;
        expect(is_open, "nothing is left to be proved")?;
        Ok(goals)
    }

    async fn question(&self, version: u64) -> Result<Timed<HoverResult>, Failure> {
        self.narrate(human::demo_question(3, "What is `h` there?"))?;
        let asked = format!("{FILE}:{}", LINE + 1);
        self.command(&format!("hover {asked} --anchor {ANCHOR}"))?;
        let hover = self.ask::<Hover>(position(version)).await?;
        let subject = Subject {
            path: FILE,
            asked: &asked,
            source: None,
        };
        self.narrate(human::hover(&hover.result, subject))?;
        Ok(hover)
    }

    /// Tries other tactics in the place of the mistaken one.
    async fn candidates(&self, version: u64) -> Result<Timed<TryResult>, Failure> {
        self.narrate(human::demo_question(
            4,
            "Which of these would do in its place?",
        ))?;
        let place = format!("{FILE}:{}", LINE + 1);
        let quoted = CANDIDATES.map(|text| format!("'{text}'")).join(" ");
        self.command(&format!("try {place} --anchor {TACTIC} {quoted}"))?;
        let candidates = CANDIDATES.map(str::to_owned).to_vec();
        let params = TryParams {
            path: FILE.to_owned(),
            version,
            line: LINE,
            character: None,
            anchor: Some(TACTIC.to_owned()),
            candidates: candidates.clone(),
            stop_on_first: false,
            per_candidate_ms: None,
        };
        let tried = self.ask::<Try>(params).await?;
        self.narrate(human::attempts(
            &tried.result,
            &candidates,
            &place,
            tried.elapsed,
        ))?;
        let is_right = tried.result.first_success == Some(RIGHT_CANDIDATE);
        expect(is_right, "another candidate is the best one")?;
        Ok(tried)
    }

    /// Proves the theorem in steps, each of which goes on where the last one ended.
    async fn handles(&self, version: u64) -> Result<Timed<Vec<RunResult>>, Failure> {
        let title =
            "The proof in steps, each from where the last one ended, and the file stays as it is";
        self.narrate(human::demo_question(5, title))?;
        let started = Instant::now();
        let mut steps = vec![self.first_step(version).await?];
        for text in &STEPS[1..] {
            let handle = steps.last().and_then(|step| step.next_handle.clone());
            steps.push(self.next_step(handle, text).await?);
        }
        let elapsed = started.elapsed();
        let state = steps.last().and_then(|step| step.proof_state.as_ref());
        let is_proved = state.is_some_and(|state| state.status == ProofStatus::Solved);
        expect(is_proved, "the steps do not prove the theorem")?;
        Ok(Timed {
            result: steps,
            elapsed,
        })
    }

    async fn first_step(&self, version: u64) -> Result<RunResult, Failure> {
        let (line, anchor) = FIRST_TACTIC;
        let (place, text) = (format!("{FILE}:{}", line + 1), STEPS[0]);
        self.command(&format!("run-at-handle {place} --anchor {anchor} '{text}'"))?;
        let params = RunAtParams {
            path: FILE.to_owned(),
            version,
            line,
            character: None,
            anchor: Some(anchor.to_owned()),
            text: text.to_owned(),
        };
        let step = self.ask::<RunAtHandle>(params).await?;
        self.tell_step(step, text, &place)
    }

    async fn next_step(&self, handle: Option<String>, text: &str) -> Result<RunResult, Failure> {
        let handle = handle.ok_or_else(|| off_the_plan("a step gave no handle"))?;
        self.command(&format!("run-with-linear {FILE} {handle} '{text}'"))?;
        let place = format!("{FILE} after {handle}");
        let params = RunWithParams {
            path: FILE.to_owned(),
            handle,
            text: text.to_owned(),
        };
        let step = self.ask::<RunWithLinear>(params).await?;
        self.tell_step(step, text, &place)
    }

    fn tell_step(
        &self,
        step: Timed<RunResult>,
        text: &str,
        place: &str,
    ) -> Result<RunResult, Failure> {
        self.narrate(human::run(
            &step.result,
            ("text", text),
            place,
            step.elapsed,
        ))?;
        Ok(step.result)
    }

    async fn mended(&self) -> Result<Timed<SyncResult>, Failure> {
        self.stage.write(FILE, MENDED)?;
        let title = "The mistake mended";
        self.narrate(human::demo_step(6, title, FILE, MENDED, Some(LINE)))?;
        let verdict = self.sync(FILE, MENDED).await?;
        let ready = verdict.result.readiness.save_ready;
        expect(ready, "Lean refuses the mended proof")?;
        Ok(verdict)
    }

    /// Makes the module's artifacts, which files that import it need.
    async fn save(&self) -> Result<Timed<SaveResult>, Failure> {
        self.narrate(human::demo_question(7, "Saved, for files that import it"))?;
        self.command(&format!("save {FILE}"))?;
        let params = SaveParams {
            path: FILE.to_owned(),
            diagnostic_scope: DiagnosticScope::Errors,
        };
        let saved = self.ask::<Save>(params).await?;
        let root = self.stage.root();
        let name = |path: &str| match Path::new(path).strip_prefix(&root) {
            Ok(below) => below.display().to_string(),
            Err(_) => path.to_owned(),
        };
        self.narrate(human::saved(FILE, &saved.result, saved.elapsed, &name))?;
        Ok(saved)
    }

    async fn import(&self) -> Result<Timed<SyncResult>, Failure> {
        self.stage.write(USER, USE)?;
        let title = "Used by another file";
        self.narrate(human::demo_step(8, title, USER, USE, None))?;
        let verdict = self.sync(USER, USE).await?;
        let ready = verdict.result.readiness.save_ready;
        expect(ready, "Lean refuses what imports the saved module")?;
        Ok(verdict)
    }

    async fn sync(&self, file: &str, text: &str) -> Result<Timed<SyncResult>, Failure> {
        self.command(&format!("sync {file}"))?;
        let params = SyncParams {
            path: file.to_owned(),
            diagnostic_scope: DiagnosticScope::All,
            diagnostics_in_result: true,
        };
        let verdict = self.ask::<Sync>(params).await?;
        let result = &verdict.result;
        let items = result.diagnostics.items.as_deref().unwrap_or_default();
        let messages = human::diagnostics(&result.path, Some(&Source::new(text)), items);
        self.narrate(messages + &human::sync_summary(file, result, verdict.elapsed))?;
        Ok(verdict)
    }

    async fn ask<O: Operation>(&self, params: O::Params) -> Result<Timed<O::Output>, Failure> {
        let request = Request::<O>::new(params)
            .in_workspace(self.stage.root())
            .within(self.app.deadline().unwrap_or(STEP_LIMIT));
        let started = Instant::now();
        let answer = self
            .app
            .send_to(self.stage.connector(), &request, FILE)
            .await?;
        Ok(Timed {
            result: answer.output,
            elapsed: started.elapsed(),
        })
    }

    fn command(&self, arguments: &str) -> Result<(), Failure> {
        self.narrate(human::demo_command(arguments))
    }

    #[expect(
        clippy::needless_pass_by_value,
        reason = "every caller has just made the text"
    )]
    fn narrate(&self, text: String) -> Result<(), Failure> {
        Ok(self.app.output.narrate(&text)?)
    }
}

fn position(version: u64) -> PositionParams {
    PositionParams {
        path: FILE.to_owned(),
        version,
        line: LINE,
        character: None,
        anchor: Some(ANCHOR.to_owned()),
    }
}

fn expect(as_planned: bool, otherwise: &str) -> Result<(), Failure> {
    if as_planned {
        return Ok(());
    }
    Err(off_the_plan(otherwise))
}

fn off_the_plan(what: &str) -> Failure {
    Failure::Request(
        BeamError::new(
            ErrorCode::InvalidResult,
            format!("the demo did not go as planned: {what}"),
        )
        .with_hint("Another Lean may help: LEAN_BEAM_LEAN names one."),
    )
}
