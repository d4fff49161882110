//! `config.toml`: what a user may set, with a default for everything.

use std::{fs, io, path::PathBuf, time::Duration};

use lean_beam_proto::{BeamError, BeamResult, ErrorCode, frame, paths, status::Limits};
use serde::Deserialize;

/// The whole file. Unknown keys are errors: a misspelt limit must not pass for a limit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Config {
    /// Where it was read from, where there was a file.
    #[serde(skip)]
    pub(crate) file: Option<PathBuf>,
    daemon: DaemonConfig,
    workspace: WorkspaceConfig,
    pub(crate) lean: LeanConfig,
    pub(crate) probe: ProbeConfig,
    pub(crate) limits: LimitConfig,
    pub(crate) log: LogConfig,
}

/// The daemon's own life.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct DaemonConfig {
    /// A daemon that nobody used for this long leaves.
    idle_seconds: u64,
    /// The same, once its program has been replaced: the next client starts the new one.
    replaced_idle_seconds: u64,
}

/// The life of a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct WorkspaceConfig {
    /// A workspace that nobody used for this long is unloaded.
    idle_seconds: u64,
    /// A document that nobody used for this long is closed in Lean; it is opened again when it is needed.
    document_idle_seconds: u64,
}

/// How Lean is started.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct LeanConfig {
    /// Lean's `server.reportDelayMs`: how long it collects messages before it reports them. Default 0: measured
    /// with incremental diagnostics, collecting gains nothing, and every verdict would wait for it.
    pub(crate) report_delay_ms: u32,
    /// Threads of each Lean process; Lean's own default when absent.
    pub(crate) threads: Option<u32>,
}

/// How much speculation may use.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ProbeConfig {
    /// Lanes of one document: how many texts are tried at once in it, each in a Lean worker of its own.
    pub(crate) lanes_per_document: usize,
    /// Lanes of a workspace.
    pub(crate) lanes: usize,
    /// A lane that nobody used for this long is closed.
    lane_idle_seconds: u64,
    /// Whether a lane is made ready after a `sync` that leaves errors or `sorry`, where texts are likely to be
    /// tried next; only once a text was run in the workspace.
    pub(crate) warm: bool,
}

/// What one client may ask for.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct LimitConfig {
    /// Requests in flight at once.
    pub(crate) requests: usize,
    /// Size of a Lean file in bytes.
    pub(crate) file_bytes: u64,
    /// Documents that a workspace keeps open in Lean, each in a worker of its own.
    pub(crate) open_documents: usize,
    /// Workspaces that keep a Lean server.
    pub(crate) workspaces: usize,
    /// Private memory of all Lean processes; over it, what was used least recently goes.
    pub(crate) lean_memory_bytes: u64,
    /// Private memory of one worker; over it, it is stopped.
    pub(crate) worker_memory_bytes: u64,
    /// Private memory of one worker over which it is let go at a quiet moment when it has doubled since its
    /// document was first complete.
    pub(crate) recycle_memory_bytes: u64,
}

/// What is logged.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct LogConfig {
    /// A filter such as `info` or `lean_beam_daemon=debug`; `LEAN_BEAM_LOG` goes before it.
    pub(crate) filter: String,
    /// Size at which the log file is renamed and begun anew, in bytes.
    pub(crate) file_bytes: u64,
}

impl Default for DaemonConfig {
    fn default() -> Self {
        Self {
            idle_seconds: 60 * 60,
            replaced_idle_seconds: 5 * 60,
        }
    }
}

impl Default for WorkspaceConfig {
    fn default() -> Self {
        Self {
            idle_seconds: 15 * 60,
            document_idle_seconds: 10 * 60,
        }
    }
}

impl Default for ProbeConfig {
    fn default() -> Self {
        Self {
            lanes_per_document: 2,
            // One for every 2 GiB.
            lanes: usize::try_from(machine_memory() >> 31)
                .unwrap_or(usize::MAX)
                .clamp(4, 16),
            lane_idle_seconds: 5 * 60,
            warm: true,
        }
    }
}

impl Default for LimitConfig {
    fn default() -> Self {
        let memory = machine_memory();
        Self {
            requests: 1024,
            file_bytes: 16 * 1024 * 1024,
            // One for every 256 MiB: room for workers that load a large library.
            open_documents: usize::try_from(memory >> 28)
                .unwrap_or(usize::MAX)
                .clamp(16, 128),
            workspaces: 8,
            lean_memory_bytes: memory / 2,
            worker_memory_bytes: (memory / 3).max(2 << 30),
            recycle_memory_bytes: (memory / 12).max(1 << 30),
        }
    }
}

impl ProbeConfig {
    /// A lane that nobody used for this long is closed.
    pub(crate) fn lane_idle(&self) -> Duration {
        Duration::from_secs(self.lane_idle_seconds)
    }
}

/// Memory of the machine in bytes; a modest guess where the system does not tell.
fn machine_memory() -> u64 {
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = text.lines().find_map(|line| {
        line.strip_prefix("MemTotal:")?
            .trim()
            .strip_suffix("kB")?
            .trim()
            .parse::<u64>()
            .ok()
    });
    total.map_or(8 << 30, |kilobytes| kilobytes << 10)
}

impl Default for LogConfig {
    fn default() -> Self {
        Self {
            filter: "info".to_owned(),
            file_bytes: 8 * 1024 * 1024,
        }
    }
}

impl Config {
    /// Reads the user's file; a missing one means the defaults.
    ///
    /// # Errors
    /// `invalidInput` naming the file and the line when it cannot be read or understood.
    pub(crate) fn load() -> BeamResult<Self> {
        let Some(file) = paths::config_file() else {
            return Ok(Self::default());
        };
        match fs::read_to_string(&file) {
            Ok(text) => Self::parse(&text)
                .map(|config| Self {
                    file: Some(file.clone()),
                    ..config
                })
                .map_err(|error| bad_file(&file, &error)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(bad_file(&file, &error.to_string())),
        }
    }

    fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }

    /// A daemon that nobody used for this long leaves.
    pub(crate) fn daemon_idle(&self) -> Duration {
        Duration::from_secs(self.daemon.idle_seconds)
    }

    /// A workspace that nobody used for this long is unloaded.
    pub(crate) fn workspace_idle(&self) -> Duration {
        Duration::from_secs(self.workspace.idle_seconds)
    }

    /// A document that nobody used for this long is closed in Lean.
    pub(crate) fn document_idle(&self) -> Duration {
        Duration::from_secs(self.workspace.document_idle_seconds)
    }

    /// The limits for `status`.
    /// How long a daemon whose program has been replaced stays without being used.
    pub(crate) fn replaced_idle(&self) -> Duration {
        Duration::from_secs(self.daemon.replaced_idle_seconds).min(self.daemon_idle())
    }

    pub(crate) fn limits_for_status(&self) -> Limits {
        Limits {
            daemon_idle_ms: self.daemon.idle_seconds.saturating_mul(1000),
            workspace_idle_ms: self.workspace.idle_seconds.saturating_mul(1000),
            request_bytes: frame::MAX_REQUEST_BYTES,
            response_bytes: frame::MAX_RESPONSE_BYTES,
            requests: self.limits.requests,
            file_bytes: self.limits.file_bytes,
            document_idle_ms: self.workspace.document_idle_seconds.saturating_mul(1000),
            open_documents: self.limits.open_documents,
            workspaces: self.limits.workspaces,
            lanes: self.probe.lanes,
            lanes_per_document: self.probe.lanes_per_document,
            lean_memory_bytes: self.limits.lean_memory_bytes,
            worker_memory_bytes: self.limits.worker_memory_bytes,
            recycle_memory_bytes: self.limits.recycle_memory_bytes,
            lane_idle_ms: self.probe.lane_idle_seconds.saturating_mul(1000),
            lean_threads: self.lean.threads,
        }
    }
}

fn bad_file(file: &std::path::Path, error: &str) -> BeamError {
    BeamError::new(
        ErrorCode::InvalidInput,
        format!(
            "the configuration file {} cannot be used: {error}",
            file.display()
        ),
    )
    .with_hint("Mend or remove the file; docs/operations.md lists what it may say.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_a_default() {
        let config =
            Config::parse("[workspace]\nidle_seconds = 5\n[limits]\nfile_bytes = 10\n").unwrap();
        assert_eq!(config.workspace_idle(), Duration::from_secs(5));
        assert_eq!(config.daemon_idle(), Duration::from_secs(3600));
        assert_eq!(
            (config.limits.file_bytes, config.limits.requests),
            (10, 1024)
        );
        assert_eq!(Config::parse("").unwrap(), Config::default());
    }

    #[test]
    fn a_misspelt_key_is_an_error_with_its_line() {
        let error = Config::parse("[limits]\nrequest = 3\n").unwrap_err();
        assert!(
            error.contains("request") && error.contains("line 2"),
            "{error}"
        );
    }
}
