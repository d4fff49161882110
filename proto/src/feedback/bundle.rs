//! Writing a report to disk: a directory or a zip file that is new, and for its owner alone.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, BufWriter, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use super::zip;

/// How many names are tried before giving up.
const NAMES: u32 = 1000;

/// Writes `members`, pairs of a relative name and a content, into a new directory below `base` whose name
/// begins with `stem`.
///
/// # Errors
/// The file system refuses.
pub(super) fn write_directory(
    base: &Path,
    stem: &str,
    members: &[(String, Vec<u8>)],
) -> io::Result<PathBuf> {
    make_base(base)?;
    let directory = first_free(base, stem, "", |path| {
        DirBuilder::new().mode(0o700).create(path)
    })?
    .0;
    for (name, content) in members {
        let path = directory.join(name);
        if let Some(parent) = path.parent() {
            DirBuilder::new()
                .mode(0o700)
                .recursive(true)
                .create(parent)?;
        }
        let mut file = create(&path)?;
        file.write_all(content)?;
    }
    Ok(directory)
}

/// Writes `members` into a new zip file in `base`, inside of a directory called as the file is.
///
/// # Errors
/// The file system refuses. Nothing is left then.
pub(super) fn write_zip(
    base: &Path,
    stem: &str,
    members: &[(String, Vec<u8>)],
) -> io::Result<PathBuf> {
    make_base(base)?;
    let (path, file) = first_free(base, stem, ".zip", create)?;
    let inside = path.file_stem().unwrap_or_default().to_string_lossy();
    let members: Vec<_> = members
        .iter()
        .map(|(name, content)| (format!("{inside}/{name}"), content.clone()))
        .collect();
    let mut out = BufWriter::new(file);
    let written = zip::write(&mut out, &members).and_then(|()| out.flush());
    if let Err(error) = written {
        // Half a file helps nobody; that it stays is no reason to hide the error.
        fs::remove_file(&path).ok();
        return Err(error);
    }
    Ok(path)
}

fn make_base(base: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).recursive(true).create(base)
}

fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
}

/// Makes the first of `stem`, `stem-2`, … that does not exist yet.
fn first_free<T>(
    base: &Path,
    stem: &str,
    ending: &str,
    make: impl Fn(&Path) -> io::Result<T>,
) -> io::Result<(PathBuf, T)> {
    for number in 1..=NAMES {
        let name = match number {
            1 => format!("{stem}{ending}"),
            number => format!("{stem}-{number}{ending}"),
        };
        let path = base.join(name);
        match make(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            outcome => return outcome.map(|made| (path, made)),
        }
    }
    Err(io::Error::new(
        io::ErrorKind::AlreadyExists,
        format!("{} has a thousand reports of this second", base.display()),
    ))
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, os::unix::fs::PermissionsExt as _, thread};

    use super::*;

    fn members() -> Vec<(String, Vec<u8>)> {
        vec![
            ("card.md".to_owned(), b"card".to_vec()),
            ("evidence/a.txt".to_owned(), b"a".to_vec()),
        ]
    }

    #[test]
    fn writers_of_the_same_moment_get_different_places_for_themselves_alone() {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().join("made/feedback");
        let writers: Vec<_> = (0..8)
            .map(|_| {
                let base = base.clone();
                thread::spawn(move || write_directory(&base, "report", &members()).unwrap())
            })
            .collect();
        let places: BTreeSet<_> = writers
            .into_iter()
            .map(|writer| writer.join().unwrap())
            .collect();
        assert_eq!(places.len(), 8);
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&base), 0o700);
        for place in places {
            assert_eq!(mode(&place), 0o700);
            assert_eq!(fs::read(place.join("card.md")).unwrap(), b"card");
            assert_eq!(mode(&place.join("evidence/a.txt")), 0o600);
        }
    }

    #[test]
    fn a_zip_file_is_never_written_over_another_file() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("report.zip"), "mine").unwrap();
        let path = write_zip(directory.path(), "report", &members()).unwrap();
        assert_eq!(path, directory.path().join("report-2.zip"));
        assert_eq!(
            fs::read(directory.path().join("report.zip")).unwrap(),
            b"mine"
        );
        let content = fs::read(path).unwrap();
        let name = b"report-2/evidence/a.txt";
        assert!(content.windows(name.len()).any(|window| window == name));
    }
}
