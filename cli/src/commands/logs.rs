//! The end of the daemon's log.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    time::Duration,
};

use lean_beam_proto::{
    BeamError, ErrorCode,
    client::Request,
    op::{Empty, Status},
    paths,
};
use serde::Serialize;
use tokio::time::sleep;

use super::find::{Found, find};
use crate::{
    app::{App, Outcome},
    args::LogsArgs,
    exit_code::Exit,
};

/// How often a followed log is looked at.
const POLL: Duration = Duration::from_millis(250);
/// No more than this of the log is looked at for its last lines.
const TAIL_BYTES: u64 = 4 * 1024 * 1024;

/// Prints the last lines, and goes on when asked to.
pub(super) async fn logs(app: &App, args: &LogsArgs) -> Outcome {
    let path = log_file(app).await?;
    let mut log = Log::open(&path).map_err(|error| unreadable(&path, &error))?;
    let lines = log.last_lines(args.lines)?;
    if args.follow {
        app.output.text(&lines.join("\n"))?;
        return follow(app, log).await;
    }
    #[derive(Serialize)]
    struct Tail<'a> {
        log_file: &'a Path,
        lines: &'a [String],
    }
    let tail = Tail {
        log_file: &path,
        lines: &lines,
    };
    app.output.show(&tail, || lines.join("\n"))?;
    Ok(Exit::Ok)
}

/// The log of the daemon that runs, which may have another environment than we; else the usual place.
async fn log_file(app: &App) -> Result<PathBuf, BeamError> {
    let usual = paths::log_file(&paths::state_dir()?);
    let Ok(Found::Ours(connection)) = find(&app.connector()?).await else {
        return Ok(usual);
    };
    let request = Request::<Status>::new(Empty {}).within(Duration::from_secs(2));
    let answer = async { connection.send(&request).await?.finish().await }.await;
    Ok(answer.map_or(usual, |answer| answer.output.log_file.into()))
}

async fn follow(app: &App, mut log: Log) -> Outcome {
    loop {
        sleep(POLL).await;
        let news = log.news()?;
        if !news.is_empty() {
            app.output.raw(&String::from_utf8_lossy(&news))?;
        }
    }
}

/// A log that may grow and be replaced.
#[derive(Debug)]
struct Log {
    path: PathBuf,
    file: File,
}

impl Log {
    fn open(path: &Path) -> io::Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            file: File::open(path)?,
        })
    }

    /// The last lines, leaving the place of reading at the end.
    fn last_lines(&mut self, number: usize) -> io::Result<Vec<String>> {
        let length = self.file.metadata()?.len();
        let start = length.saturating_sub(TAIL_BYTES);
        self.file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        self.file.read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<_> = text.lines().collect();
        let first = lines.len().saturating_sub(number);
        Ok(lines[first..]
            .iter()
            .map(|line| (*line).to_owned())
            .collect())
    }

    /// What was added since the last look, also across a change of files.
    fn news(&mut self) -> io::Result<Vec<u8>> {
        let mut news = Vec::new();
        if self.file.metadata()?.len() < self.file.stream_position()? {
            self.file.rewind()?;
        }
        self.file.read_to_end(&mut news)?;
        if let Some(file) = self.successor()? {
            self.file = file;
            self.file.read_to_end(&mut news)?;
        }
        Ok(news)
    }

    /// The file that stands at our path now, when it is another one.
    fn successor(&self) -> io::Result<Option<File>> {
        let file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let (ours, theirs) = (self.file.metadata()?, file.metadata()?);
        let same = ours.ino() == theirs.ino() && ours.dev() == theirs.dev();
        Ok((!same).then_some(file))
    }
}

fn unreadable(path: &Path, error: &io::Error) -> BeamError {
    let message = match error.kind() {
        io::ErrorKind::NotFound => format!("there is no log at {}", path.display()),
        _ => format!("cannot read the log {}: {error}", path.display()),
    };
    BeamError::new(ErrorCode::InvalidParams, message).with_hint(format!(
        "The daemon writes it once it has been started; {} names another directory for it.",
        paths::STATE_DIR_VARIABLE
    ))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn log(text: &str) -> (tempfile::TempDir, PathBuf, Log) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("daemon.log");
        fs::write(&path, text).unwrap();
        let log = Log::open(&path).unwrap();
        (directory, path, log)
    }

    fn append(path: &Path, text: &str) {
        let mut old = fs::read_to_string(path).unwrap();
        old.push_str(text);
        fs::write(path, old).unwrap();
    }

    #[test]
    fn the_last_lines_are_shown_and_then_what_is_added() {
        let (_directory, path, mut log) = log("1\n2\n3\n");
        assert_eq!(log.last_lines(2).unwrap(), ["2", "3"]);
        assert_eq!(log.news().unwrap(), b"");
        append(&path, "4\n");
        assert_eq!(log.news().unwrap(), b"4\n");
    }

    #[test]
    fn a_new_file_in_its_place_is_followed_and_nothing_is_lost() {
        let (_directory, path, mut log) = log("1\n");
        log.last_lines(9).unwrap();
        append(&path, "2\n");
        fs::rename(&path, path.with_extension("old")).unwrap();
        assert_eq!(log.news().unwrap(), b"2\n");
        fs::write(&path, "3\n").unwrap();
        assert_eq!(log.news().unwrap(), b"3\n");
    }

    #[test]
    fn a_file_that_was_cut_is_read_from_its_start() {
        let (_directory, path, mut log) = log("a long first line\n");
        log.last_lines(1).unwrap();
        fs::write(&path, "new\n").unwrap();
        assert_eq!(log.news().unwrap(), b"new\n");
    }
}
