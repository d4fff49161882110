//! Counters.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use lean_beam_proto::status::{OperationStats, ProbeStats, StatsResult, WorkspaceStats};

use super::{
    heading, limits, table,
    words::{counted, duration},
};

/// Operations with their times, then workspaces with what Lean did for them.
pub(crate) fn stats(stats: &StatsResult) -> String {
    let mut text = format!(
        "{}{}\n",
        counted(
            usize::try_from(stats.connections).unwrap_or(usize::MAX),
            "connection"
        ),
        since(stats.since_ms)
    );
    if stats.malformed > 0 {
        text.push_str(&format!(
            "{} of them without an understandable request\n",
            stats.malformed
        ));
    }
    if !stats.operations.is_empty() {
        text.push('\n');
        text.push_str(&heading("Operations"));
        text.push_str(&table(&operations(stats)));
    }
    text.push('\n');
    text.push_str(&heading("Limits"));
    text.push_str(&limits(&stats.limits));
    for workspace in &stats.workspaces {
        text.push('\n');
        text.push_str(&heading(&workspace.root));
        text.push_str(&table(&self::workspace(workspace)));
    }
    text
}

fn since(since_ms: u64) -> String {
    let start = UNIX_EPOCH + Duration::from_millis(since_ms);
    match SystemTime::now().duration_since(start) {
        Ok(span) => format!(" in {}", duration(span)),
        Err(_) => String::new(),
    }
}

fn operations(stats: &StatsResult) -> Vec<Vec<String>> {
    let titles = ["", "count", "ok", "mean", "longest", "errors"].map(str::to_owned);
    let mut rows = vec![titles.to_vec()];
    rows.extend(
        stats
            .operations
            .iter()
            .map(|(name, numbers)| operation(name, numbers)),
    );
    rows
}

fn operation(name: &str, numbers: &OperationStats) -> Vec<String> {
    let mean = numbers.total_us / numbers.count.max(1);
    let errors = numbers
        .errors
        .iter()
        .map(|(code, count)| format!("{code} {count}"));
    vec![
        name.to_owned(),
        numbers.count.to_string(),
        numbers.ok.to_string(),
        duration(Duration::from_micros(mean)),
        duration(Duration::from_micros(numbers.max_us)),
        errors.collect::<Vec<_>>().join(", "),
    ]
}

fn workspace(numbers: &WorkspaceStats) -> Vec<Vec<String>> {
    let row = |(name, number): (&str, u64)| vec![name.to_owned(), number.to_string()];
    let own = [
        ("servers started", numbers.servers_started),
        ("server crashes", numbers.server_crashes),
        ("worker crashes", numbers.worker_crashes),
        ("files opened", numbers.documents_opened),
        ("edits", numbers.edits),
        ("requests to Lean", numbers.lean_requests),
        ("  overtaken by an edit", numbers.overtaken),
        ("  cancelled", numbers.cancelled),
        ("files let go", numbers.documents_evicted),
        ("  whose worker only grew", numbers.workers_recycled),
        ("workers over the ceiling", numbers.workers_over_ceiling),
        ("unloaded", numbers.unloads),
    ];
    let mut rows = own.map(row).to_vec();
    rows.extend(probes(&numbers.probes));
    rows
}

/// What became of texts that were run, and what is kept for the next ones.
fn probes(numbers: &ProbeStats) -> Vec<Vec<String>> {
    let lanes = format!("{}, {} busy", numbers.lanes, numbers.busy_lanes);
    [
        ("texts run", numbers.runs.to_string()),
        ("  stopped for their time", numbers.timeouts.to_string()),
        ("  whose worker died", numbers.crashes.to_string()),
        ("  cancelled", numbers.cancelled.to_string()),
        ("  waiting now", numbers.waiting.to_string()),
        ("lanes for texts", lanes),
        ("  warmed up ahead", numbers.warm_ups.to_string()),
        ("  let go", numbers.evicted.to_string()),
        ("  over the ceiling", numbers.over_ceiling.to_string()),
        ("handles", numbers.handles.to_string()),
    ]
    .map(|(name, number)| vec![name.to_owned(), number])
    .to_vec()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn times_are_means_and_errors_are_named() {
        let sync = OperationStats {
            count: 4,
            ok: 3,
            errors: BTreeMap::from([("workerCrashed".to_owned(), 1)]),
            total_us: 800_000,
            max_us: 500_000,
        };
        let result = StatsResult {
            operations: BTreeMap::from([("sync".to_owned(), sync)]),
            workspaces: vec![WorkspaceStats {
                root: "/p".to_owned(),
                edits: 9,
                probes: ProbeStats {
                    lanes: 3,
                    busy_lanes: 1,
                    ..ProbeStats::default()
                },
                ..WorkspaceStats::default()
            }],
            ..StatsResult::default()
        };
        let text = anstream::adapter::strip_str(&stats(&result)).to_string();
        assert!(
            text.contains("  sync  4      3   0.20 s  0.50 s   workerCrashed 1\n"),
            "{text}"
        );
        assert!(text.contains("\n/p\n"), "{text}");
        assert!(text.contains("  edits                     9\n"), "{text}");
        assert!(
            text.contains("  lanes for texts           3, 1 busy\n"),
            "{text}"
        );
    }
}
