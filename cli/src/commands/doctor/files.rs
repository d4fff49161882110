//! The configuration, the log and the records of crashes.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::Path,
};

use lean_beam_proto::{
    incidents::{self, Incident},
    paths::{self, CONFIG_VARIABLE, STATE_DIR_VARIABLE},
};
use nix::sys::{
    resource::{Resource, getrlimit},
    statvfs::statvfs,
};
use serde_json::json;

use super::{ask::ask, finding::Finding};
use crate::{app::App, output::human::words};

const CONFIG: &str = "configuration";
const LOG: &str = "log";
const INCIDENTS: &str = "incidents";
const LIMITS: &str = "limits";
/// Below this, a full disk is near.
const LOW_DISK_BYTES: u64 = 64 << 20;
/// Lean, its workers and many clients at once need some.
const FEW_OPEN_FILES: u64 = 1024;
/// How many records are shown.
const SHOWN_INCIDENTS: usize = 5;

/// Asks the daemon program whether it can use the configuration file.
pub(super) async fn config(app: &App) -> Finding {
    let Some(file) = paths::config_file() else {
        return Finding::note(CONFIG, "no home directory, so no configuration file");
    };
    if fs::symlink_metadata(&file).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        let message = format!("none ({}), so the defaults hold", file.display());
        return Finding::ok(CONFIG, message);
    }
    let data = json!({ "file": file });
    // Without a daemon program, another finding says so.
    let Ok(program) = app
        .connector()
        .and_then(|connector| connector.daemon_program())
    else {
        return Finding::note(CONFIG, file.display().to_string()).data(data);
    };
    match ask(&program, ["--check-config"], Path::new("/")).await {
        Ok(_) => Finding::ok(CONFIG, file.display().to_string()).data(data),
        Err(fault) => Finding::problem(CONFIG, fault)
            .remedy(format!(
                "Mend {}, or move it away; {CONFIG_VARIABLE} names another file.",
                file.display()
            ))
            .data(data),
    }
}

/// Looks whether the daemon can write its log.
pub(super) fn log() -> Finding {
    let directory = match paths::state_dir() {
        Ok(directory) => directory,
        Err(error) => {
            return Finding::problem(LOG, error.message).remedy(error.hint.unwrap_or_default());
        }
    };
    let file = paths::log_file(&directory);
    let data = json!({ "file": file, "variable": STATE_DIR_VARIABLE });
    match try_to_write(&directory, &file) {
        Ok(()) => room(&directory, &file).data(data),
        Err(error) => unwritable(&file, &error).data(data),
    }
}

/// Writes for real: a full disk lets files be opened.
fn try_to_write(directory: &Path, log: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    if log.exists() {
        let mut file = OpenOptions::new().append(true).open(log)?;
        return file.write_all(b"lean-beam doctor: the log can be written\n");
    }
    let mut probe = tempfile::Builder::new()
        .prefix(".doctor-")
        .tempfile_in(directory)?;
    probe.write_all(&[0; 4096])?;
    probe.as_file().sync_all()
}

fn room(directory: &Path, file: &Path) -> Finding {
    // The width of these numbers differs between systems.
    let free = statvfs(directory).map_or(u128::MAX, |found| {
        u128::from(found.blocks_available()) * u128::from(found.fragment_size())
    });
    let free = u64::try_from(free).unwrap_or(u64::MAX);
    if free < LOW_DISK_BYTES {
        let message = format!(
            "only {} are left on the disk of {}",
            words::bytes(free),
            file.display()
        );
        return Finding::warning(LOG, message).remedy(format!(
            "Make room, or set {STATE_DIR_VARIABLE} to a directory on another disk."
        ));
    }
    Finding::ok(LOG, format!("{} can be written", file.display()))
}

fn unwritable(file: &Path, error: &io::Error) -> Finding {
    let why = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "the disk is full".to_owned(),
        _ => error.to_string(),
    };
    Finding::problem(LOG, format!("{} cannot be written: {why}", file.display())).remedy(format!(
        "Make room or mend the permissions, or set {STATE_DIR_VARIABLE} to a directory that can be written; then `lean-beam restart`. Without a log the daemon works, but says nothing about faults."
    ))
}

/// Lists what crashed.
pub(super) fn incidents() -> Finding {
    let Ok(state_dir) = paths::state_dir() else {
        return Finding::note(INCIDENTS, "no state directory, so no records");
    };
    let directory = incidents::directory(&state_dir);
    let records = incidents::read(&directory);
    if records.is_empty() {
        return Finding::ok(INCIDENTS, "nothing has crashed");
    }
    let newest: Vec<_> = records.iter().take(SHOWN_INCIDENTS).collect();
    let lines: Vec<_> = newest.iter().map(|record| one_line(record)).collect();
    let message = format!(
        "{}, newest first: {}",
        words::counted(records.len(), "crash record"),
        lines.join("; ")
    );
    Finding::note(INCIDENTS, message)
        .remedy(format!(
            "The files in {} say more, and hold no source text; put them into a report. Remove them to forget them.",
            directory.display()
        ))
        .data(json!({ "directory": directory, "count": records.len(), "newest": newest }))
}

fn one_line(record: &Incident) -> String {
    let message = record.message.lines().next().unwrap_or_default();
    format!("{} ({message})", record.kind)
}

/// Looks at what the system allows.
pub(super) fn limits() -> Finding {
    let Ok((open_files, _)) = getrlimit(Resource::RLIMIT_NOFILE) else {
        return Finding::note(LIMITS, "the system does not tell its limits");
    };
    let data = json!({ "open_files": open_files });
    if open_files < FEW_OPEN_FILES {
        let message = format!("only {open_files} files may be open at once");
        return Finding::warning(LIMITS, message)
            .remedy(format!(
                "Run `ulimit -n {FEW_OPEN_FILES}` in the shell that starts the daemon, then `lean-beam restart`."
            ))
            .data(data);
    }
    Finding::ok(LIMITS, format!("{open_files} files may be open at once")).data(data)
}

#[cfg(test)]
mod tests {
    use super::super::finding::State;
    use super::*;

    #[test]
    fn a_full_disk_is_called_so() {
        let file = paths::log_file(Path::new("/state"));
        let finding = unwritable(&file, &io::Error::from(io::ErrorKind::StorageFull));
        assert_eq!(finding.state, State::Problem);
        assert!(finding.message.contains("disk is full"));
        assert!(finding.remedy.unwrap().contains(STATE_DIR_VARIABLE));
    }

    #[test]
    fn looking_leaves_no_file_behind() {
        let directory = tempfile::tempdir().unwrap();
        let log = paths::log_file(directory.path());
        try_to_write(directory.path(), &log).unwrap();
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
        fs::write(&log, "before\n").unwrap();
        try_to_write(directory.path(), &log).unwrap();
        assert!(fs::read_to_string(&log).unwrap().starts_with("before\n"));
    }
}
