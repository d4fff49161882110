//! `--self-check`: plays the client, so that a person sees which part of the chain does not work.

mod peer;

use std::{
    env, fs,
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::project::{PROJECT_FILES, project_around};
use peer::{Peer, PeerError};

/// How long the server may take over things that need neither daemon nor Lean.
const SHORT_LIMIT: Duration = Duration::from_secs(10);
/// How long Lean may take over the file.
const SYNC_WAIT: Duration = Duration::from_secs(600);
/// Most messages that are shown.
const MESSAGES_SHOWN: usize = 10;

/// How a check ended, as the exit code of the command line says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The file is fine.
    Fine = 0,
    /// Lean reports errors in the file.
    FileHasErrors = 1,
    /// The file or its project cannot be used.
    Unusable = 2,
    /// A part of the chain failed.
    Failed = 3,
    /// The daemon cannot be reached.
    NoDaemon = 4,
}

impl From<Verdict> for ExitCode {
    fn from(verdict: Verdict) -> Self {
        Self::from(verdict as u8)
    }
}

/// Starts this program as a server, checks `file` through it and writes to `report` what it finds;
/// progress goes to `live`.
///
/// # Errors
/// The report cannot be written.
pub fn self_check(
    file: &Path,
    report: &mut impl Write,
    live: &mut impl Write,
) -> io::Result<Verdict> {
    let mut check = Check { report, live };
    let (root, path) = match locate(file) {
        Ok(found) => found,
        Err(reason) => {
            check.fail(&reason, None)?;
            return Ok(Verdict::Unusable);
        }
    };
    check.pass(&format!(
        "{} belongs to the project {}",
        path.display(),
        root.display()
    ))?;
    let mut peer = match env::current_exe()
        .map_err(PeerError::from)
        .and_then(|own| Peer::start(&own))
    {
        Ok(peer) => peer,
        Err(error) => {
            check.fail(&error.to_string(), None)?;
            return Ok(Verdict::Failed);
        }
    };
    let outcome = check.conversation(&mut peer, &root, &path);
    match outcome {
        Ok(verdict) => verdict,
        Err(error) => {
            check.fail(&error.to_string(), Some(&advice(&mut peer)))?;
            Ok(Verdict::Failed)
        }
    }
}

/// The project of a file, both canonical.
fn locate(file: &Path) -> Result<(PathBuf, PathBuf), String> {
    let path = fs::canonicalize(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let root = project_around(&path).ok_or_else(|| {
        format!(
            "{} belongs to no project: no directory above it holds one of {}",
            path.display(),
            PROJECT_FILES.join(", ")
        )
    })?;
    Ok((root.to_owned(), path))
}

fn advice(peer: &mut Peer) -> String {
    let left = peer.leave().unwrap_or(false);
    match peer.complaints().trim() {
        "" if left => "It said nothing about the reason.".to_owned(),
        "" => "It said nothing about the reason and did not leave by itself.".to_owned(),
        text => format!("It said: {text}"),
    }
}

struct Check<'a, R, L> {
    report: &'a mut R,
    live: &'a mut L,
}

impl<R: Write, L: Write> Check<'_, R, L> {
    /// The outer error is about the server, the inner one about the report.
    fn conversation(
        &mut self,
        peer: &mut Peer,
        root: &Path,
        path: &Path,
    ) -> Result<io::Result<Verdict>, PeerError> {
        let (version, elapsed) =
            timed(|| peer.ask("server/discover", json!({}), SHORT_LIMIT, |_| {}))?;
        let info = &version["_meta"]["io.modelcontextprotocol/serverInfo"];
        let mut written = self.pass(&format!(
            "the server answers: {} {} ({elapsed})",
            text(&info["name"]),
            text(&info["version"])
        ));
        let (list, elapsed) = timed(|| peer.ask("tools/list", json!({}), SHORT_LIMIT, |_| {}))?;
        let count = list["tools"].as_array().map_or(0, Vec::len);
        written = written.and_then(|()| self.pass(&format!("it lists {count} tools ({elapsed})")));
        if let Err(error) = written {
            return Ok(Err(error));
        }
        let arguments = json!({
            "workspace": {"root": root}, "path": path,
            "diagnostics_in_result": true, "timeout_ms": u64::try_from(SYNC_WAIT.as_millis()).unwrap_or(u64::MAX),
        });
        let call = json!({"name": "lean_sync", "arguments": arguments});
        let live = &mut *self.live;
        let (result, elapsed) = timed(|| {
            peer.ask("tools/call", call, SYNC_WAIT + SHORT_LIMIT, |message| {
                show_progress(live, message);
            })
        })?;
        let verdict = self.sync_verdict(&result, &elapsed);
        let left = peer.leave()?;
        Ok(verdict.and_then(|verdict| self.leaving(left, verdict)))
    }

    fn sync_verdict(&mut self, result: &Value, elapsed: &str) -> io::Result<Verdict> {
        let content = &result["structuredContent"];
        if result["isError"] == true {
            let code = text(&content["code"]);
            let message = format!("lean_sync failed: {code}: {}", text(&content["message"]));
            self.fail(&message, content["hint"].as_str())?;
            return Ok(match code {
                "daemonUnavailable" | "protocolMismatch" => Verdict::NoDaemon,
                "invalidInput" | "invalidParams" => Verdict::Unusable,
                _ => Verdict::Failed,
            });
        }
        let counts = &content["diagnostics"]["counts"];
        let summary = format!("{} errors, {} warnings", counts["error"], counts["warning"]);
        if content["readiness"]["save_ready"] == true {
            self.pass(&format!("Lean checked the file: {summary} ({elapsed})"))?;
            return Ok(Verdict::Fine);
        }
        self.pass(&format!("Lean answered ({elapsed})"))?;
        let reason = text(&content["readiness"]["reason"]);
        self.fail(
            &format!("the file is not in order: {summary} ({reason})"),
            None,
        )?;
        self.show_messages(&content["diagnostics"]["items"])?;
        Ok(Verdict::FileHasErrors)
    }

    fn show_messages(&mut self, items: &Value) -> io::Result<()> {
        for item in items.as_array().into_iter().flatten().take(MESSAGES_SHOWN) {
            let start = &item["range"]["start"];
            let line = start["line"].as_u64().unwrap_or(0) + 1;
            let column = start["character"].as_u64().unwrap_or(0) + 1;
            writeln!(
                self.report,
                "     {line}:{column} {}",
                text(&item["message"])
            )?;
        }
        Ok(())
    }

    fn leaving(&mut self, left: bool, verdict: Verdict) -> io::Result<Verdict> {
        if left {
            self.pass("the server left when its input ended")?;
            return Ok(verdict);
        }
        self.fail("the server did not leave when its input ended", None)?;
        Ok(Verdict::Failed)
    }

    fn pass(&mut self, what: &str) -> io::Result<()> {
        writeln!(self.report, "ok   {what}")
    }

    fn fail(&mut self, what: &str, hint: Option<&str>) -> io::Result<()> {
        writeln!(self.report, "FAIL {what}")?;
        match hint {
            Some(hint) => writeln!(self.report, "     {hint}"),
            None => Ok(()),
        }
    }
}

fn show_progress(live: &mut impl Write, message: &Value) {
    if let Some(text) = message["params"]["message"].as_str() {
        // Progress is a courtesy; the report is what counts.
        let _unseen = writeln!(live, "     {text}");
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("?")
}

/// What `action` gives, and how long it took.
fn timed<T>(action: impl FnOnce() -> Result<T, PeerError>) -> Result<(T, String), PeerError> {
    let start = Instant::now();
    let value = action()?;
    Ok((value, format!("{} ms", start.elapsed().as_millis())))
}
