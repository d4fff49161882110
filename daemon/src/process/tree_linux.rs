//! Processes by `/proc`.

use std::{
    fs,
    time::{Duration, Instant},
};

use nix::{
    sys::{
        signal::{Signal, kill},
        wait::{WaitPidFlag, WaitStatus, waitpid},
    },
    unistd::{Pid, SysconfVar, sysconf},
};

use super::{ProcessKey, TreeProcess};
use crate::process::SESSION_VARIABLE;

/// How long killed processes may take to disappear.
const REAP_LIMIT: Duration = Duration::from_secs(2);
/// How often that is looked at.
const REAP_INTERVAL: Duration = Duration::from_millis(5);

/// What `/proc/<pid>/stat` says.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) pid: i32,
    pub(super) parent: i32,
    start: u64,
    zombie: bool,
}

impl Entry {
    pub(super) fn key(&self) -> ProcessKey {
        ProcessKey {
            pid: self.pid,
            start: self.start,
        }
    }
}

/// Every process that can be seen.
pub(super) fn snapshot() -> Vec<Entry> {
    pids().filter_map(stat).collect()
}

/// The processes whose environment carries the session marker.
pub(super) fn marked(marker: &str) -> Vec<ProcessKey> {
    let wanted = format!("{SESSION_VARIABLE}={marker}");
    let is_marked = |pid: &i32| {
        fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environ| {
            environ
                .split(|byte| *byte == 0)
                .any(|entry| entry == wanted.as_bytes())
        })
    };
    pids()
        .filter(is_marked)
        .filter_map(stat)
        .map(|entry| entry.key())
        .collect()
}

/// True while that very process exists and is no zombie.
pub(super) fn is_alive(key: &ProcessKey) -> bool {
    stat(key.pid).is_some_and(|entry| entry.start == key.start && !entry.zombie)
}

/// Kills the processes and waits until they are gone; those that are our children by now are reaped.
pub(super) fn kill_and_reap(processes: &[ProcessKey]) {
    for process in processes.iter().filter(|process| is_alive(process)) {
        kill(Pid::from_raw(process.pid), Signal::SIGKILL).ok();
    }
    let deadline = Instant::now() + REAP_LIMIT;
    let mut left: Vec<_> = processes.to_vec();
    loop {
        left.retain(|process| !is_reaped(process));
        if left.is_empty() || Instant::now() >= deadline {
            return;
        }
        // On a thread for blocking work, with a limit: there is no event for a process that is not our child.
        std::thread::sleep(REAP_INTERVAL);
    }
}

/// Reaps a process if it is a dead child of ours. True when nothing is left to wait for.
fn is_reaped(process: &ProcessKey) -> bool {
    match waitpid(Pid::from_raw(process.pid), Some(WaitPidFlag::WNOHANG)) {
        Ok(WaitStatus::StillAlive) => false,
        Ok(_) => true,
        // Not our child (any more): its own parent reaps it.
        Err(_) => !is_alive(process),
    }
}

/// Command line and memory of a process, if it still lives.
pub(super) fn details(entry: &Entry) -> Option<TreeProcess> {
    let command = fs::read(format!("/proc/{}/cmdline", entry.pid)).ok()?;
    let command = command
        .split(|byte| *byte == 0)
        .filter(|part| !part.is_empty())
        .map(|part| String::from_utf8_lossy(part).into_owned())
        .collect();
    let (resident_bytes, private_bytes) = memory(entry.pid.unsigned_abs())?;
    Some(TreeProcess {
        pid: entry.pid.unsigned_abs(),
        parent: entry.parent.unsigned_abs(),
        command,
        resident_bytes,
        private_bytes,
    })
}

/// Resident memory of a process.
pub(super) fn resident_bytes(pid: u32) -> Option<u64> {
    memory(pid).map(|(resident, _)| resident)
}

/// Resident memory of a process, and what of it is shared with nobody.
fn memory(pid: u32) -> Option<(u64, u64)> {
    let statm = fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    let mut pages = statm
        .split_whitespace()
        .skip(1)
        .map(|field| field.parse::<u64>().ok());
    let (resident, shared) = (pages.next()??, pages.next()??);
    let page = u64::try_from(sysconf(SysconfVar::PAGE_SIZE).ok()??).ok()?;
    Some((resident * page, resident.saturating_sub(shared) * page))
}

fn pids() -> impl Iterator<Item = i32> {
    fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn stat(pid: i32) -> Option<Entry> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is the program's name in brackets and may hold anything, brackets included.
    let (_, rest) = text.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let start = fields.nth(17)?.parse().ok()?;
    Some(Entry {
        pid,
        parent,
        start,
        zombie: matches!(state, "Z" | "X"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_seen_with_its_parent_and_memory() {
        let own = snapshot()
            .into_iter()
            .find(|entry| entry.pid.unsigned_abs() == std::process::id())
            .unwrap();
        assert_eq!(
            own.parent.unsigned_abs(),
            std::os::unix::process::parent_id()
        );
        assert!(is_alive(&own.key()));
        assert!(
            !is_alive(&ProcessKey {
                start: own.start + 1,
                ..own.key()
            }),
            "another process with our id"
        );
        assert!(details(&own).unwrap().resident_bytes > 100_000);
    }
}
