//! Starting programs, and looking at the processes of the system.

use std::{
    ffi::OsStr,
    fs,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    process::Command,
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

use crate::must::Must;

/// An option of Lean that only servers for probes get.
pub const PROBE_OPTION: &str = "showPartialSyntaxErrors";

/// A command for `program`: the one place of the harness where programs are started.
#[expect(
    clippy::disallowed_methods,
    reason = "the harness starts the programs under test and ends them itself"
)]
pub fn command(program: impl AsRef<OsStr>) -> Command {
    Command::new(program)
}

/// A process as it was when it was looked at. Two looks at one process are equal, whatever it does.
#[derive(Debug, Clone)]
pub struct Process {
    /// Its id.
    pub pid: u32,
    /// Its parent's id.
    pub parent: u32,
    /// When it started, in clock ticks since the system's start: id and start name a process for ever.
    pub started: u64,
    /// One letter, `Z` for a zombie.
    pub state: char,
    /// Its session.
    pub session: u32,
    /// Its program and arguments.
    pub command: Vec<String>,
}

impl PartialEq for Process {
    fn eq(&self, other: &Self) -> bool {
        (self.pid, self.started) == (other.pid, other.started)
    }
}

impl Eq for Process {}

impl Process {
    /// The process `pid`. `None` when there is none.
    pub fn find(pid: u32) -> Option<Self> {
        let stat = fs::read_to_string(proc_file(pid, "stat")).ok()?;
        let rest = stat.get(stat.rfind(')')? + 2..)?;
        let fields: Vec<_> = rest.split(' ').collect();
        let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
        let id = |at: usize| u32::try_from(number(at)?).ok();
        Some(Self {
            pid,
            parent: id(1)?,
            started: number(19)?,
            state: fields.first()?.chars().next()?,
            session: id(3)?,
            command: command_line(pid),
        })
    }

    /// File name of its program, as it was started.
    pub fn program(&self) -> &str {
        let program = self.command.first().map_or("", String::as_str);
        program.rsplit('/').next().unwrap_or(program)
    }

    /// Whether it is a Lean server, for documents or for probes, and no worker.
    pub fn is_server(&self) -> bool {
        self.has_argument("--server")
    }

    /// Whether it is a worker of a Lean server.
    pub fn is_worker(&self) -> bool {
        self.has_argument("--worker")
    }

    /// Whether it belongs to a server that runs probes beside the documents.
    pub fn is_for_probes(&self) -> bool {
        self.command.iter().any(|part| part.contains(PROBE_OPTION))
    }

    /// Its working directory, while it is alive.
    pub fn directory(&self) -> Option<PathBuf> {
        fs::read_link(proc_file(self.pid, "cwd")).ok()
    }

    fn has_argument(&self, argument: &str) -> bool {
        self.command.iter().any(|part| part == argument)
    }

    /// True while this very process, and no later one of its id, is alive and no zombie.
    pub fn is_alive(&self) -> bool {
        Self::find(self.pid).is_some_and(|now| now.started == self.started && now.state != 'Z')
    }

    /// Sends a signal to it. A process that is gone already is no error.
    pub fn signal(&self, signal: Signal) {
        if !self.is_alive() {
            return;
        }
        let pid = i32::try_from(self.pid).must("have a process id");
        match kill(Pid::from_raw(pid), signal) {
            Ok(()) | Err(nix::errno::Errno::ESRCH) => {}
            Err(error) => panic!("could not signal {self:?}: {error}"),
        }
    }
}

/// All processes that are alive and whose environment holds `mark`.
///
/// An environment is inherited by every child, whatever it does with sessions, groups and parents, so a
/// mark that nobody else has finds them all.
pub fn marked(mark: &Path) -> Vec<Process> {
    let mark = mark.as_os_str().as_bytes();
    all_pids()
        .filter(|pid| environment_holds(*pid, mark))
        .filter_map(Process::find)
        .filter(|process| process.state != 'Z')
        .collect()
}

/// All descendants of `pid` that are alive, without itself.
pub fn descendants(pid: u32) -> Vec<Process> {
    let all: Vec<_> = all_pids().filter_map(Process::find).collect();
    let mut found: Vec<Process> = Vec::new();
    let mut parents = vec![pid];
    while let Some(parent) = parents.pop() {
        for child in all.iter().filter(|process| process.parent == parent) {
            parents.push(child.pid);
            found.push(child.clone());
        }
    }
    found.retain(|process| process.state != 'Z');
    found
}

/// How much memory a process has in use, in bytes, counting what it shares with others; 0 when it is gone.
pub fn resident_bytes(pid: u32) -> u64 {
    let status = fs::read_to_string(proc_file(pid, "status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kibibytes.unwrap_or_default() * 1024
}

/// True when the user of this process may do anything.
pub fn is_root() -> bool {
    nix::unistd::geteuid().is_root()
}

fn all_pids() -> impl Iterator<Item = u32> {
    fs::read_dir("/proc")
        .must("list the processes")
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

fn environment_holds(pid: u32, mark: &[u8]) -> bool {
    // A process that is gone by now, or that belongs to somebody else, is none of ours.
    fs::read(proc_file(pid, "environ"))
        .is_ok_and(|environment| environment.windows(mark.len()).any(|part| part == mark))
}

fn command_line(pid: u32) -> Vec<String> {
    let bytes = fs::read(proc_file(pid, "cmdline")).unwrap_or_default();
    bytes
        .split(|byte| *byte == 0)
        .filter(|part| !part.is_empty())
        .map(|part| String::from_utf8_lossy(part).into_owned())
        .collect()
}

fn proc_file(pid: u32, name: &str) -> PathBuf {
    PathBuf::from(format!("/proc/{pid}/{name}"))
}

#[cfg(test)]
mod tests {
    use std::process::Stdio;

    use super::*;
    use crate::wait::{HANG, eventually_blocking};

    #[test]
    fn a_child_is_found_by_its_mark_and_by_its_parent_until_it_is_gone() {
        let mark = tempfile::tempdir().unwrap();
        let mut child = command("cat")
            .env("HOME", mark.path())
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        // Until the program is in place, the child still has our own environment.
        let found = eventually_blocking(HANG, || marked(mark.path()).pop()).unwrap();
        assert_eq!(found.pid, child.id());
        assert_eq!(found.parent, std::process::id());
        assert!(
            descendants(std::process::id())
                .iter()
                .any(|one| one.pid == found.pid)
        );
        assert!(found.is_alive());
        found.signal(Signal::SIGKILL);
        child.wait().unwrap();
        assert!(!found.is_alive());
        assert_eq!(marked(mark.path()), []);
    }
}
