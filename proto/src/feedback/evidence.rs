//! Evidence that a report carries. Files come from a few known places only, and never through a link.

use std::{
    fs::File,
    io::{self, Read as _},
    os::fd::OwnedFd,
    path::{Component, Path, PathBuf},
};

use nix::{
    errno::Errno,
    fcntl::{OFlag, openat},
    sys::stat::Mode,
};

use super::input::{Evidence, invalid};
use crate::error::BeamResult;
#[cfg(test)]
use crate::{incidents, paths};

/// Largest piece, in bytes.
const PIECE_BYTES: u64 = 1024 * 1024;
/// Most bytes of all pieces together.
const TOTAL_BYTES: usize = 8 * 1024 * 1024;
/// The one hidden directory that may be looked into: Lake's, which holds build logs and traces.
const LAKE: &str = ".lake";

/// Where evidence may come from.
#[derive(Debug, Clone, Default)]
pub(super) struct Places {
    /// The project, where there is one: its files, apart from hidden ones.
    pub(super) root: Option<PathBuf>,
    /// The directory of crash records, and the log files.
    pub(super) own: Vec<PathBuf>,
}

/// A piece that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    /// Its file name in a bundle.
    pub(super) name: String,
    /// Its text.
    pub(super) text: String,
}

/// Reads all pieces.
///
/// # Errors
/// `invalidInput` naming the piece that lies elsewhere, is a link, is hidden, too large, no text, or cannot be
/// read.
pub(super) fn read(evidence: &[Evidence], places: &Places) -> BeamResult<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut total = 0;
    for (index, evidence) in evidence.iter().enumerate() {
        let fault =
            |field: &str, fault: &str| invalid(&format!("evidence[{index}].{field}"), fault);
        let (field, text) = match (&evidence.content, &evidence.path) {
            (Some(content), _) => ("content", content.clone()),
            (None, path) => {
                let path = Path::new(path.as_deref().unwrap_or_default());
                let text = read_file(path, places).map_err(|reason| {
                    fault("path", &reason).with_hint(
                        "Evidence is a text file of the project, the daemon's log or a crash record. Give anything else as `content`.",
                    )
                })?;
                ("path", text)
            }
        };
        total += text.len();
        if text.len() as u64 > PIECE_BYTES {
            return Err(fault(field, "has more than 1 MiB"));
        }
        if total > TOTAL_BYTES {
            return Err(fault(
                field,
                "makes all evidence together larger than 8 MiB",
            ));
        }
        pieces.push(Piece {
            name: evidence.name.clone(),
            text,
        });
    }
    Ok(pieces)
}

/// The text of the file at `path`, if it may be shown. The error says what is wrong with it.
fn read_file(path: &Path, places: &Places) -> Result<String, String> {
    let (place, below) = locate(path, places)?;
    let file = open_below(&place, &below).map_err(|error| match error {
        Errno::ELOOP | Errno::ENOTDIR => "leads through a link or no directory".to_owned(),
        Errno::ENOENT => "does not exist".to_owned(),
        other => format!("cannot be read: {}", other.desc()),
    })?;
    let mut file = File::from(file);
    let metadata = file.metadata().map_err(|error| unreadable(&error))?;
    if !metadata.is_file() {
        return Err("is no regular file".to_owned());
    }
    if metadata.len() > PIECE_BYTES {
        return Err("has more than 1 MiB".to_owned());
    }
    let mut bytes = Vec::new();
    // One byte more than allowed, in case that it grows meanwhile.
    file.by_ref()
        .take(PIECE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| unreadable(&error))?;
    String::from_utf8(bytes).map_err(|_| "is no text in UTF-8".to_owned())
}

fn unreadable(error: &io::Error) -> String {
    format!("cannot be read: {error}")
}

/// The known place that `path` lies in, and the names that lead from there to it. Nothing is looked at yet.
fn locate(path: &Path, places: &Places) -> Result<(PathBuf, Vec<PathBuf>), String> {
    let is_plain = |component: Component<'_>| {
        matches!(
            component,
            Component::RootDir | Component::Normal(_) | Component::CurDir
        )
    };
    if path.as_os_str().is_empty() || !path.components().all(is_plain) {
        return Err("has `..` in it, or is empty".to_owned());
    }
    let path = match (path.is_absolute(), &places.root) {
        (true, _) => path.to_owned(),
        (false, Some(root)) => root.join(path),
        (false, None) => return Err("is relative, but there is no project".to_owned()),
    };
    for own in &places.own {
        if let Ok(below) = path.strip_prefix(own) {
            return Ok(split(own, below));
        }
    }
    let root = places.root.as_deref();
    let Some(below) = root.and_then(|root| path.strip_prefix(root).ok()) else {
        return Err("lies in no place that evidence may come from".to_owned());
    };
    let is_hidden = |component: Component<'_>| {
        let name = component.as_os_str();
        name != LAKE && name.to_string_lossy().starts_with('.')
    };
    if below.components().any(is_hidden) {
        return Err("is hidden, and hidden files may hold credentials".to_owned());
    }
    Ok(split(root.unwrap_or(Path::new("/")), below))
}

/// A place that is a file itself is a name in its directory.
fn split(place: &Path, below: &Path) -> (PathBuf, Vec<PathBuf>) {
    let names: Vec<_> = below.iter().map(PathBuf::from).collect();
    match (names.is_empty(), place.parent(), place.file_name()) {
        (true, Some(parent), Some(name)) => (parent.to_owned(), vec![PathBuf::from(name)]),
        _ => (place.to_owned(), names),
    }
}

/// Opens a file step by step, so that no step can be a link, whoever changes what meanwhile.
fn open_below(place: &Path, names: &[PathBuf]) -> Result<OwnedFd, Errno> {
    let step = OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    let directory = step | OFlag::O_DIRECTORY | OFlag::O_RDONLY;
    let place = place
        .canonicalize()
        .map_err(|error| error.raw_os_error().map_or(Errno::EIO, Errno::from_raw))?;
    let mut at = nix::fcntl::open(&place, directory, Mode::empty())?;
    let Some((last, parents)) = names.split_last() else {
        return Ok(at);
    };
    for name in parents {
        at = openat(&at, name, directory, Mode::empty())?;
    }
    // Not to wait for whoever would write into a pipe.
    openat(
        &at,
        last,
        step | OFlag::O_RDONLY | OFlag::O_NONBLOCK,
        Mode::empty(),
    )
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    struct World {
        _directory: tempfile::TempDir,
        base: PathBuf,
        places: Places,
    }

    fn world() -> World {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().canonicalize().unwrap();
        let (root, state) = (base.join("project"), base.join("state"));
        for made in [
            root.join("sub"),
            root.join(".lake"),
            root.join(".git"),
            incidents::directory(&state),
        ] {
            fs::create_dir_all(made).unwrap();
        }
        for (file, text) in [
            (root.join("A.lean"), "def a := 1"),
            (root.join("sub/B.lean"), "def b := 2"),
            (root.join(".lake/trace"), "trace"),
            (root.join(".git/config"), "token"),
            (root.join(".env"), "token"),
            (paths::log_file(&state), "log"),
            (state.join("registrations.json"), "token"),
            (incidents::directory(&state).join("1.json"), "{}"),
            (base.join("outside"), "outside"),
        ] {
            fs::write(file, text).unwrap();
        }
        let places = Places {
            root: Some(root),
            own: vec![incidents::directory(&state), paths::log_file(&state)],
        };
        World {
            _directory: directory,
            base,
            places,
        }
    }

    fn try_path(world: &World, path: &str) -> Result<String, String> {
        let evidence = Evidence {
            name: "e".to_owned(),
            content: None,
            path: Some(path.replace('@', world.base.to_str().unwrap())),
        };
        match read(&[evidence], &world.places) {
            Ok(pieces) => Ok(pieces[0].text.clone()),
            Err(error) => {
                assert_eq!(error.data.unwrap()["field"], "evidence[0].path");
                Err(error.message)
            }
        }
    }

    #[test]
    fn files_of_the_project_the_log_and_crash_records_can_be_shown() {
        let world = world();
        for (path, text) in [
            ("A.lean", "def a := 1"),
            ("./sub/B.lean", "def b := 2"),
            ("@/project/A.lean", "def a := 1"),
            (".lake/trace", "trace"),
            ("@/state/daemon.log", "log"),
            ("@/state/incidents/1.json", "{}"),
        ] {
            assert_eq!(try_path(&world, path).unwrap(), text, "{path}");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        let world = world();
        let root = world.places.root.clone().unwrap();
        symlink(world.base.join("outside"), root.join("link")).unwrap();
        symlink(&world.base, root.join("up")).unwrap();
        symlink(root.join("A.lean"), root.join("inner-link")).unwrap();
        fs::write(root.join("binary"), [0xff, 0xfe]).unwrap();
        fs::write(root.join("large"), vec![b'x'; PIECE_BYTES as usize + 1]).unwrap();
        nix::unistd::mkfifo(&root.join("pipe"), Mode::S_IRWXU).unwrap();
        for path in [
            "",
            "..",
            "../outside",
            "sub/../../outside",
            "@/outside",
            "@/project/../outside",
            "/etc/passwd",
            "/proc/self/environ",
            "@/state/registrations.json",
            "@/state",
            "@/projectile",
            "link",
            "inner-link",
            "up/outside",
            "up/project/A.lean",
            ".env",
            ".git/config",
            "sub",
            "missing",
            "A.lean/x",
            "binary",
            "large",
            "pipe",
        ] {
            let refused = try_path(&world, path);
            assert!(refused.is_err(), "{path}: {refused:?}");
            assert!(!refused.unwrap_err().contains("token"), "{path}");
        }
    }

    #[test]
    fn a_place_that_was_named_through_a_link_is_still_a_place() {
        let world = world();
        symlink(world.base.join("project"), world.base.join("alias")).unwrap();
        let places = Places {
            root: Some(world.base.join("alias")),
            own: Vec::new(),
        };
        assert_eq!(
            read_file(Path::new("A.lean"), &places).unwrap(),
            "def a := 1"
        );
    }

    #[test]
    fn inline_texts_count_towards_the_limits() {
        let piece = |length: usize| Evidence {
            name: "e".to_owned(),
            content: Some("x".repeat(length)),
            path: None,
        };
        let mebibyte = PIECE_BYTES as usize;
        assert!(read(&vec![piece(mebibyte); 8], &Places::default()).is_ok());
        assert!(read(&vec![piece(mebibyte); 9], &Places::default()).is_err());
        assert!(read(&[piece(mebibyte + 1)], &Places::default()).is_err());
    }
}
