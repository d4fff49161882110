//! What the system says about itself and about processes.

use std::{
    fs,
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

use nix::{
    time::{clock_getcpuclockid, clock_gettime},
    unistd::Pid,
};

use crate::{must::Must, process};

/// Processes that used less than this in [`QUIET_SPAN`] are at rest.
const QUIET_CPU: Duration = Duration::from_millis(1);
/// How long processes are looked at.
const QUIET_SPAN: Duration = Duration::from_millis(20);
/// How long to wait for rest, at most: a figure from a machine that is not at rest is better than none.
const QUIET_LIMIT: Duration = Duration::from_secs(5);

/// How many processes wanted to run, on average over the last minute.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Load(pub(super) f64);

impl Load {
    pub(super) fn now() -> Self {
        let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let first = text.split(' ').next().unwrap_or_default();
        Self(first.parse().unwrap_or(f64::NAN))
    }
}

pub(super) fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// One line about the machine and how busy it was.
pub(super) fn describe((before, after): (Load, Load)) -> String {
    format!(
        "{} cores, {}; load {:.2} before, {:.2} after\n",
        cores(),
        std::env::consts::OS,
        before.0,
        after.0
    )
}

/// CPU time of a process up to now, its threads that have ended included.
pub(super) fn cpu(pid: u32) -> Duration {
    let pid = Pid::from_raw(i32::try_from(pid).must("have a process id"));
    // A process that is gone uses nothing any more.
    clock_getcpuclockid(pid)
        .and_then(clock_gettime)
        .map_or(Duration::ZERO, Duration::from)
}

/// CPU time of a process and of all its descendants that are alive.
pub(super) fn tree_cpu(pid: u32) -> Duration {
    let below = process::descendants(pid);
    let below: Duration = below.iter().map(|process| cpu(process.pid)).sum();
    cpu(pid) + below
}

/// Waits until these processes and their descendants are at rest.
pub(super) fn settle(pids: &[u32]) {
    let used = || -> Duration { pids.iter().map(|pid| tree_cpu(*pid)).sum() };
    let end = Instant::now() + QUIET_LIMIT;
    let mut before = used();
    while Instant::now() < end {
        thread::sleep(QUIET_SPAN);
        let now = used();
        if now.saturating_sub(before) < QUIET_CPU {
            return;
        }
        before = now;
    }
}

/// Memory of processes, in MiB.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Memory {
    /// Everything resident; what several processes share counts in each of them.
    pub(super) resident: f64,
    /// The share that is theirs: of a page that n processes map, an n-th.
    pub(super) proportional: f64,
}

impl Memory {
    /// That of one process; nothing when it is gone.
    pub(super) fn of(pid: u32) -> Self {
        let path = PathBuf::from(format!("/proc/{pid}/smaps_rollup"));
        let text = fs::read_to_string(path).unwrap_or_default();
        Self {
            resident: mebibytes(&text, "Rss:"),
            proportional: mebibytes(&text, "Pss:"),
        }
    }
}

impl std::iter::Sum for Memory {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            resident: sum.resident + one.resident,
            proportional: sum.proportional + one.proportional,
        })
    }
}

/// The field `name` of a text like `Rss:    1234 kB`.
fn mebibytes(text: &str, name: &str) -> f64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let kibibytes =
        line.and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<f64>().ok());
    kibibytes.unwrap_or(0.0) / 1024.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_process_uses_time_and_memory() {
        let own = std::process::id();
        assert!(cpu(own) > Duration::ZERO);
        let memory = Memory::of(own);
        assert!(
            memory.resident >= memory.proportional && memory.proportional > 0.1,
            "{memory:?}"
        );
    }

    #[test]
    fn fields_are_found_by_name() {
        assert_eq!(
            mebibytes("Rss:     2048 kB\nPss:     1024 kB\n", "Pss:"),
            1.0
        );
        assert_eq!(mebibytes("", "Pss:"), 0.0);
    }
}
