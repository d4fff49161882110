//! How long it takes until everything runs.

use serde_json::json;

use super::{Plan, figures::Times, lean, plain_client, table::Table};
use crate::{must::Must, raw_lean::RawLean, world::Beam};

const TEXT: &str = "#check nope\n";

/// Start of the daemon, of Lean, and the first verdict of all.
pub(super) async fn measure(plan: &Plan) {
    let mut table = Table::new("from cold");
    table.times("daemon ready (`serve`)", None, &daemon(plan).await);
    table.plain_times("Lean ready", &lean_alone(plan).await);
    let (plain, ours) = (first_verdict_plain(plan).await, first_verdict(plan).await);
    table.times("first verdict, nothing running", Some(&plain), &ours);
    table.memory("daemon, no workspace", None, idle_memory().await);
    table.print();
}

async fn daemon(plan: &Plan) -> Times {
    let mut times = Times::default();
    for _ in 0..plan.slow_rounds {
        let beam = Beam::real();
        times.take(beam.cli(["serve"]).run()).await.expect_code(0);
    }
    times
}

async fn lean_alone(plan: &Plan) -> Times {
    let mut times = Times::default();
    for _ in 0..plan.slow_rounds {
        drop(times.take(plain_client()).await);
    }
    times
}

async fn first_verdict_plain(plan: &Plan) -> Times {
    let mut times = Times::default();
    for _ in 0..plan.slow_rounds {
        let folder = tempfile::tempdir().must("make a folder");
        let path = folder.path().join("A.lean");
        let verdict = async {
            let mut lean = RawLean::start(lean(0)).await;
            lean.open(&path, TEXT);
            lean.verdict(&path).await
        };
        assert_eq!(times.take(verdict).await[0]["severity"], json!(1));
    }
    times
}

async fn first_verdict(plan: &Plan) -> Times {
    let mut times = Times::default();
    for _ in 0..plan.slow_rounds {
        let beam = Beam::real();
        let project = beam.project();
        project.write("A.lean", TEXT);
        let result = times.take(project.sync("A.lean")).await;
        assert_eq!(result.must("sync").diagnostics.counts.error, 1);
    }
    times
}

async fn idle_memory() -> u64 {
    let beam = Beam::real();
    beam.status()
        .await
        .resident_bytes
        .must("know the memory of the daemon")
}
