//! How a position is written on the command line.

use std::path::{Path, PathBuf};

use lean_beam_proto::{BeamError, ErrorCode};

use crate::mark::Mark;

/// A file and a place in it, zero-based as on the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// The file as it was named.
    pub(crate) file: PathBuf,
    /// Zero-based line.
    pub(crate) line: u32,
    /// Zero-based column in UTF-16 units; `None` where an anchor finds it.
    pub(crate) character: Option<u32>,
    /// Whether it was written with numbers from one.
    pub(crate) from_one: bool,
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
        let place = match (line, marked(file)) {
            (Some(line), None) => Self {
                file: file.to_owned(),
                line,
                character,
                from_one: false,
            },
            (None, Some(marked)) => marked_place(marked)?,
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

    /// As [`Place::parse`], where texts stand behind the position: those are given back. The numbers of
    /// `FILE LINE CHARACTER TEXT...` are taken from the front of `rest`, the second one only without an
    /// anchor.
    ///
    /// # Errors
    /// As [`Place::parse`].
    pub(crate) fn take<'a>(
        file: &Path,
        rest: &'a [String],
        has_anchor: bool,
    ) -> Result<(Self, &'a [String]), BeamError> {
        if marked(file).is_some() {
            let place = Self::parse(file, None, None, has_anchor)?;
            return Ok((place, rest));
        }
        let (line, rest) = split_first_number(rest);
        let (character, rest) = match line {
            Some(_) if !has_anchor => split_first_number(rest),
            _ => (None, rest),
        };
        let place = Self::parse(file, line, character, has_anchor)?;
        Ok((place, rest))
    }
}

fn split_first_number(texts: &[String]) -> (Option<u32>, &[String]) {
    if let Some((first, rest)) = texts.split_first()
        && let Ok(number) = first.parse()
    {
        return (Some(number), rest);
    }
    (None, texts)
}

/// `FILE:LINE` or `FILE:LINE:COLUMN`, taken apart. A file that is really called like that is no position.
fn marked(path: &Path) -> Option<(&str, Mark)> {
    if path.exists() {
        return None;
    }
    Mark::behind(path.to_str()?)
}

fn marked_place((file, mark): (&str, Mark)) -> Result<Place, BeamError> {
    let mark = mark
        .zero_based()
        .ok_or_else(|| usage("lines and columns of FILE:LINE:COLUMN start at 1"))?;
    Ok(Place {
        file: file.into(),
        line: mark.line,
        character: mark.column,
        from_one: true,
    })
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
            from_one: false,
        }
    }

    fn from_one(file: &str, line: u32, character: Option<u32>) -> Place {
        Place {
            from_one: true,
            ..place(file, line, character)
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
            from_one("d/A.lean", 0, Some(7))
        );
        assert_eq!(
            parse("a:b.lean:3:1", None, None, false).unwrap(),
            from_one("a:b.lean", 2, Some(0))
        );
    }

    #[test]
    fn an_anchor_stands_for_the_column() {
        assert_eq!(
            parse("A.lean:5", None, None, true).unwrap(),
            from_one("A.lean", 4, None)
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
    fn texts_stand_behind_the_position_in_either_form() {
        let take = |file: &str, rest: &[&str], anchor| {
            let rest: Vec<_> = rest.iter().map(|text| (*text).to_owned()).collect();
            Place::take(Path::new(file), &rest, anchor)
                .map(|(place, texts)| (place, texts.to_vec()))
                .map_err(|error| error.message)
        };
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        assert_eq!(
            take("A.lean:4:5", &["3", "simp"], false),
            Ok((from_one("A.lean", 3, Some(4)), texts(&["3", "simp"])))
        );
        assert_eq!(
            take("A.lean", &["3", "4", "5", "simp"], false),
            Ok((place("A.lean", 3, Some(4)), texts(&["5", "simp"])))
        );
        assert_eq!(
            take("A.lean", &["3", "4"], true),
            Ok((place("A.lean", 3, None), texts(&["4"])))
        );
        assert_eq!(
            take("A.lean:4", &[], true),
            Ok((from_one("A.lean", 3, None), texts(&[])))
        );
        assert!(
            take("A.lean", &["simp"], false)
                .unwrap_err()
                .contains("missing")
        );
        assert!(
            take("A.lean", &["3", "simp"], false)
                .unwrap_err()
                .contains("--anchor")
        );
        assert!(
            take("A.lean:4", &["simp"], false)
                .unwrap_err()
                .contains("--anchor")
        );
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
