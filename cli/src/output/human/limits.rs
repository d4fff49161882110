//! What the daemon keeps within.

use lean_beam_proto::status::Limits;

use super::{
    table,
    words::{bytes, counted, millis},
};

/// Every limit in force.
pub(super) fn limits(limits: &Limits) -> String {
    let row = |name: &str, value: String| vec![name.to_owned(), value];
    let threads = limits.lean_threads.map_or_else(
        || "as many threads as Lean takes".to_owned(),
        |threads| counted(threads as usize, "thread"),
    );
    table(&[
        row(
            "Lean's memory",
            format!(
                "{} in all, {} a worker",
                bytes(limits.lean_memory_bytes),
                bytes(limits.worker_memory_bytes)
            ),
        ),
        row(
            "",
            format!(
                "let go over {} when it has doubled",
                bytes(limits.recycle_memory_bytes)
            ),
        ),
        row("Lean's threads", format!("{threads} a process")),
        row(
            "at once",
            format!(
                "{}, {} open in each",
                counted(limits.workspaces, "project"),
                counted(limits.open_documents, "file")
            ),
        ),
        row(
            "lanes for texts",
            format!(
                "{} a project, {} a file",
                limits.lanes, limits.lanes_per_document
            ),
        ),
        row(
            "unused for",
            format!(
                "file {}, lane {}, project {}, daemon {}",
                millis(limits.document_idle_ms),
                millis(limits.lane_idle_ms),
                millis(limits.workspace_idle_ms),
                millis(limits.daemon_idle_ms)
            ),
        ),
        row(
            "requests",
            format!(
                "{} in flight, {} each, answers {}",
                limits.requests,
                bytes(limits.request_bytes as u64),
                bytes(limits.response_bytes as u64)
            ),
        ),
        row("Lean file", bytes(limits.file_bytes)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_is_shown() {
        let all = Limits {
            daemon_idle_ms: 3_600_000,
            workspace_idle_ms: 900_000,
            document_idle_ms: 600_000,
            lane_idle_ms: 300_000,
            request_bytes: 16 << 20,
            response_bytes: 64 << 20,
            requests: 1024,
            file_bytes: 17 << 20,
            open_documents: 92,
            workspaces: 8,
            lanes: 11,
            lanes_per_document: 2,
            lean_memory_bytes: 12 << 30,
            worker_memory_bytes: 7 << 30,
            recycle_memory_bytes: 2 << 30,
            lean_threads: Some(4),
        };
        let text = limits(&all);
        for part in [
            "12.0 GiB in all, 7.0 GiB a worker",
            "over 2.0 GiB",
            "4 threads a process",
            "8 projects, 92 files open in each",
            "11 a project, 2 a file",
            "file 10 min, lane 5 min, project 15 min, daemon 60 min",
            "1024 in flight, 16 MiB each, answers 64 MiB",
            "17 MiB",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
