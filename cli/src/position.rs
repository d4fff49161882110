//! How a position is written on the command line.

use std::path::{Path, PathBuf};

use lean_beam_proto::{BeamError, ErrorCode};

/// A file and a place in it, zero-based as on the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// The file as it was named.
    pub(crate) file: PathBuf,
    /// Zero-based line.
    pub(crate) line: u32,
    /// Zero-based column in UTF-16 units; `None` where an anchor finds it.
    pub(crate) character: Option<u32>,
}

impl Place {
    /// Puts together what stands on the command line: `FILE LINE CHARACTER`, zero-based, or
    /// `FILE:LINE:COLUMN`, one-based. Without a column an anchor has to find it.
    ///
    /// # Errors
    /// `invalidInput` when the position is missing, incomplete, given twice or below one.
    pub(crate) fn parse(
        file: &Path,
        line: Option<u32>,
        character: Option<u32>,
        has_anchor: bool,
    ) -> Result<Self, BeamError> {
        let place = match (line, Suffix::of(file)) {
            (Some(line), None) => Self {
                file: file.to_owned(),
                line,
                character,
            },
            (None, Some(suffix)) => suffix.place()?,
            (Some(_), Some(_)) => return Err(usage("the position is given twice")),
            (None, None) => return Err(usage("the position is missing")),
        };
        match (place.character, has_anchor) {
            (None, false) => Err(usage(
                "the position has a line but neither column nor --anchor",
            )),
            _ => Ok(place),
        }
    }
}

/// `FILE:LINE` or `FILE:LINE:COLUMN`, taken apart.
#[derive(Debug)]
struct Suffix<'a> {
    file: &'a str,
    line: u32,
    column: Option<u32>,
}

impl<'a> Suffix<'a> {
    /// A file that is really called like that is no position.
    fn of(path: &'a Path) -> Option<Self> {
        if path.exists() {
            return None;
        }
        let (rest, last) = split_number(path.to_str()?)?;
        Some(match split_number(rest) {
            Some((file, line)) => Self {
                file,
                line,
                column: Some(last),
            },
            None => Self {
                file: rest,
                line: last,
                column: None,
            },
        })
    }

    fn place(&self) -> Result<Place, BeamError> {
        let below_one = || usage("lines and columns of FILE:LINE:COLUMN start at 1");
        Ok(Place {
            file: self.file.into(),
            line: self.line.checked_sub(1).ok_or_else(below_one)?,
            character: self
                .column
                .map(|column| column.checked_sub(1).ok_or_else(below_one))
                .transpose()?,
        })
    }
}

fn split_number(text: &str) -> Option<(&str, u32)> {
    let (rest, number) = text.rsplit_once(':')?;
    if rest.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some((rest, number.parse().ok()?))
}

fn usage(message: &str) -> BeamError {
    BeamError::new(ErrorCode::InvalidInput, message).with_hint(
        "Write FILE:LINE:COLUMN, one-based as editors show it, or FILE LINE CHARACTER, zero-based; with --anchor TEXT the column may be left out.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(
        file: &str,
        line: Option<u32>,
        character: Option<u32>,
        anchor: bool,
    ) -> Result<Place, String> {
        Place::parse(Path::new(file), line, character, anchor).map_err(|error| error.message)
    }

    fn place(file: &str, line: u32, character: Option<u32>) -> Place {
        Place {
            file: file.into(),
            line,
            character,
        }
    }

    #[test]
    fn separate_numbers_are_zero_based() {
        assert_eq!(
            parse("A.lean", Some(0), Some(7), false).unwrap(),
            place("A.lean", 0, Some(7))
        );
    }

    #[test]
    fn numbers_behind_colons_are_one_based() {
        assert_eq!(
            parse("d/A.lean:1:8", None, None, false).unwrap(),
            place("d/A.lean", 0, Some(7))
        );
        assert_eq!(
            parse("a:b.lean:3:1", None, None, false).unwrap(),
            place("a:b.lean", 2, Some(0))
        );
    }

    #[test]
    fn an_anchor_stands_for_the_column() {
        assert_eq!(
            parse("A.lean:5", None, None, true).unwrap(),
            place("A.lean", 4, None)
        );
        assert_eq!(
            parse("A.lean", Some(4), None, true).unwrap(),
            place("A.lean", 4, None)
        );
        assert!(
            parse("A.lean:5", None, None, false)
                .unwrap_err()
                .contains("--anchor")
        );
        assert!(parse("A.lean", Some(4), None, false).is_err());
    }

    #[test]
    fn what_is_no_position_is_refused_with_the_way_to_write_one() {
        for (file, line, character) in [
            ("A.lean", None, None),
            ("A.lean:x:1", None, None),
            ("A.lean:-1:1", None, None),
            ("A.lean:0:1", None, None),
            ("A.lean:1:0", None, None),
            (":1:2", None, None),
            ("A.lean:99999999999:1", None, None),
            ("A.lean:1:2", Some(3), Some(4)),
        ] {
            let error = Place::parse(Path::new(file), line, character, false).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidInput, "{file}");
            assert!(error.hint.unwrap().contains("FILE:LINE:COLUMN"));
        }
    }

    #[test]
    fn a_file_that_is_really_called_so_is_a_file() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("odd:1:2");
        std::fs::write(&file, "").unwrap();
        let parsed = Place::parse(&file, Some(3), Some(4), false).unwrap();
        assert_eq!((parsed.file, parsed.line), (file, 3));
    }

    proptest::proptest! {
        #[test]
        fn what_people_see_leads_back_to_what_the_wire_says(line in 0..u32::MAX, character in 0..u32::MAX) {
            let written = format!("Some.lean:{}:{}", u64::from(line) + 1, u64::from(character) + 1);
            let parsed = Place::parse(Path::new(&written), None, None, false).unwrap();
            proptest::prop_assert_eq!((parsed.line, parsed.character), (line, Some(character)));
        }
    }
}
