//! The steps of the demo.

use std::time::{Duration, Instant};

use lean_beam_proto::{
    BeamError, ErrorCode,
    client::Request,
    op::{
        DiagnosticScope, Hover, HoverResult, Operation, PositionParams, Sync, SyncParams,
        SyncResult,
    },
};
use serde::Serialize;

use super::{lean::Lean, stage::Stage};
use crate::{
    app::{App, Failure},
    output::human,
    source::Source,
};

/// The file of the demo. It needs nothing but Lean's core.
const FILE: &str = "Demo.lean";
/// It swaps the two sides, but proves the same one twice.
const MISTAKEN: &str = "\
theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p := by
  constructor
  · exact h.right
  · exact h.right
";
/// The same with the other side last.
const MENDED: &str = "\
theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p := by
  constructor
  · exact h.right
  · exact h.left
";
/// Zero-based line of the mistake.
const LINE: u32 = 3;
/// What is asked about on that line.
const ANCHOR: &str = "h.right";
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

/// What the demo found, for programs.
#[derive(Debug, Serialize)]
struct Report<'a> {
    lean: &'a Lean,
    mistaken: &'a SyncResult,
    hover: &'a HoverResult,
    mended: &'a SyncResult,
    times_ms: Times,
}

#[derive(Debug, Serialize)]
struct Times {
    daemon_ready: f64,
    first_verdict: f64,
    hover: f64,
    next_verdict: f64,
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
        let output = &self.app.output;
        let root = self.stage.root();
        output.narrate(&human::demo_setting(
            &self.lean.version,
            &self.lean.program,
            &root,
            self.ready,
        ))?;

        self.stage.write(FILE, MISTAKEN)?;
        output.narrate(&human::demo_step(
            1,
            "A proof with a mistake",
            FILE,
            MISTAKEN,
            None,
        ))?;
        let (mistaken, first) = self.sync("sync Demo.lean", MISTAKEN).await?;
        expect(!mistaken.readiness.save_ready, "Lean accepts the mistake")?;

        output.narrate(&human::demo_question(2, "What is `h` there?"))?;
        let (hover, hovered) = self.hover(mistaken.version).await?;

        self.stage.write(FILE, MENDED)?;
        output.narrate(&human::demo_step(
            3,
            "The mistake mended",
            FILE,
            MENDED,
            Some(LINE),
        ))?;
        let (mended, next) = self.sync("sync Demo.lean", MENDED).await?;
        expect(mended.readiness.save_ready, "Lean refuses the mended proof")?;

        output.narrate(&human::demo_times(self.ready, first, hovered, next))?;
        self.report(
            &mistaken,
            &hover,
            &mended,
            [self.ready, first, hovered, next],
        )
    }

    async fn sync(&self, shown: &str, text: &str) -> Result<(SyncResult, Duration), Failure> {
        self.app.output.narrate(&human::demo_command(shown))?;
        let params = SyncParams {
            path: FILE.to_owned(),
            diagnostic_scope: DiagnosticScope::All,
            diagnostics_in_result: true,
        };
        let (result, elapsed) = self.ask::<Sync>(params).await?;
        let source = Source::new(text);
        let items = result.diagnostics.items.as_deref().unwrap_or_default();
        let messages = human::diagnostics(&result.path, Some(&source), items);
        self.app
            .output
            .narrate(&(messages + &human::sync_summary(FILE, &result, elapsed)))?;
        Ok((result, elapsed))
    }

    async fn hover(&self, version: u64) -> Result<(HoverResult, Duration), Failure> {
        let asked = format!("{FILE}:{}", LINE + 1);
        self.app.output.narrate(&human::demo_command(&format!(
            "hover {asked} --anchor {ANCHOR}"
        )))?;
        let params = PositionParams {
            path: FILE.to_owned(),
            version,
            line: LINE,
            character: None,
            anchor: Some(ANCHOR.to_owned()),
        };
        let (result, elapsed) = self.ask::<Hover>(params).await?;
        self.app
            .output
            .narrate(&human::hover(FILE, &result, &asked))?;
        Ok((result, elapsed))
    }

    async fn ask<O: Operation>(&self, params: O::Params) -> Result<(O::Output, Duration), Failure> {
        let request = Request::<O>::new(params)
            .in_workspace(self.stage.root())
            .within(self.app.deadline().unwrap_or(STEP_LIMIT));
        let started = Instant::now();
        let answer = self
            .app
            .send_to(self.stage.connector(), &request, FILE)
            .await?;
        Ok((answer.output, started.elapsed()))
    }

    fn report(
        &self,
        mistaken: &SyncResult,
        hover: &HoverResult,
        mended: &SyncResult,
        times: [Duration; 4],
    ) -> Result<(), Failure> {
        let [daemon_ready, first_verdict, hovered, next_verdict] =
            times.map(|time| (time.as_secs_f64() * 100_000.0).round() / 100.0);
        let report = Report {
            lean: self.lean,
            mistaken,
            hover,
            mended,
            times_ms: Times {
                daemon_ready,
                first_verdict,
                hover: hovered,
                next_verdict,
            },
        };
        // For people everything has been told on the way.
        Ok(self.app.output.show(&report, String::new)?)
    }
}

fn expect(as_planned: bool, otherwise: &str) -> Result<(), Failure> {
    if as_planned {
        return Ok(());
    }
    Err(Failure::Request(
        BeamError::new(
            ErrorCode::InvalidResult,
            format!("the demo did not go as planned: {otherwise}"),
        )
        .with_hint("Another Lean may help: LEAN_BEAM_LEAN names one."),
    ))
}
