//! How a part of a file is written on the command line.

use std::path::{Path, PathBuf};

use lean_beam_proto::{
    BeamError, ErrorCode,
    text::{Position, Range},
};

use crate::{mark::Mark, source::Source};

/// A part of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stretch {
    /// The file as it was named.
    pub(crate) file: PathBuf,
    /// Whether the part was written with numbers from one.
    pub(crate) from_one: bool,
    part: Part,
}

/// Which part; zero-based.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    All,
    /// From the start of the first of these lines up to the end of the last.
    Lines(u32, u32),
    /// From the first place to the end of the line.
    ToEndOf(Position, u32),
    Range(Range),
}

impl Stretch {
    /// Puts together what stands on the command line: a file, a file with a part from one behind it, or a
    /// file and the four zero-based numbers of the protocol.
    ///
    /// # Errors
    /// `invalidInput` when the part is given twice, below one, or ends before it begins.
    pub(crate) fn parse(file: &Path, numbers: &[u32]) -> Result<Self, BeamError> {
        let written = Written::of(file);
        match (written, numbers) {
            (None, []) => Ok(Self::new(file, false, Part::All)),
            (None, [line, character, end_line, end_character]) => {
                let start = Position::new(*line, *character);
                let range = checked(start, Position::new(*end_line, *end_character))?;
                Ok(Self::new(file, false, Part::Range(range)))
            }
            (Some(written), []) => {
                let part = written.part()?;
                Ok(Self::new(Path::new(written.file), true, part))
            }
            (Some(_), _) => Err(usage("the part of the file is given twice")),
            (None, _) => Err(usage("the part of the file has not four numbers")),
        }
    }

    fn new(file: &Path, from_one: bool, part: Part) -> Self {
        Self {
            file: file.to_owned(),
            from_one,
            part,
        }
    }

    /// The range of the protocol, for the file with this text.
    pub(crate) fn range(&self, source: &Source) -> Range {
        match self.part {
            Part::All => Range::new(Position::new(0, 0), source.end()),
            Part::Lines(first, last) => {
                Range::new(Position::new(first, 0), source.end_of_line(last))
            }
            Part::ToEndOf(start, last) => Range::new(start, source.end_of_line(last)),
            Part::Range(range) => range,
        }
    }
}

/// `FILE:LINE`, `FILE:LINE:COLUMN` or one of them with `-LINE` or `-LINE:COLUMN` behind it, taken apart.
struct Written<'a> {
    file: &'a str,
    start: Mark,
    end: Option<Mark>,
}

impl<'a> Written<'a> {
    /// A file that is really called like that is all of that file.
    fn of(path: &'a Path) -> Option<Self> {
        if path.exists() {
            return None;
        }
        let text = path.to_str()?;
        let with_end = text.rsplit_once('-').and_then(|(head, tail)| {
            let (file, start) = Mark::behind(head)?;
            let end = Some(Mark::whole(tail)?);
            Some(Self { file, start, end })
        });
        with_end.or_else(|| {
            let (file, start) = Mark::behind(text)?;
            let end = None;
            Some(Self { file, start, end })
        })
    }

    fn part(&self) -> Result<Part, BeamError> {
        let start = zero_based(self.start)?;
        let end = self.end.map(zero_based).transpose()?;
        Ok(match ((start.line, start.column), end) {
            ((line, None), None) => Part::Lines(line, line),
            ((line, Some(column)), None) => {
                let point = Position::new(line, column);
                Part::Range(Range::new(point, point))
            }
            ((line, _), Some(end)) if end.line < line => return Err(backwards()),
            (
                (line, None),
                Some(Mark {
                    line: last,
                    column: None,
                }),
            ) => Part::Lines(line, last),
            (
                (line, Some(column)),
                Some(Mark {
                    line: last,
                    column: None,
                }),
            ) => Part::ToEndOf(Position::new(line, column), last),
            (
                (line, column),
                Some(Mark {
                    line: last,
                    column: Some(end),
                }),
            ) => {
                let start = Position::new(line, column.unwrap_or_default());
                Part::Range(checked(start, Position::new(last, end))?)
            }
        })
    }
}

fn zero_based(mark: Mark) -> Result<Mark, BeamError> {
    mark.zero_based()
        .ok_or_else(|| usage("lines and columns behind the file start at 1"))
}

fn checked(start: Position, end: Position) -> Result<Range, BeamError> {
    if end < start {
        return Err(backwards());
    }
    Ok(Range::new(start, end))
}

fn backwards() -> BeamError {
    usage("the part of the file ends before it begins")
}

fn usage(message: &str) -> BeamError {
    BeamError::new(ErrorCode::InvalidInput, message).with_hint(
        "Write FILE, FILE:LINE, FILE:LINE-LINE, FILE:LINE:COLUMN or FILE:LINE:COLUMN-LINE:COLUMN, one-based; or FILE and four zero-based numbers.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "one\n𝓝two\nthree";

    fn range(file: &str, numbers: &[u32]) -> Result<(PathBuf, [u32; 4]), String> {
        let stretch = Stretch::parse(Path::new(file), numbers).map_err(|error| error.message)?;
        let range = stretch.range(&Source::new(TEXT));
        let (start, end) = (range.start, range.end);
        Ok((
            stretch.file,
            [start.line, start.character, end.line, end.character],
        ))
    }

    #[test]
    fn every_way_to_write_a_part_is_understood() {
        for (written, expected) in [
            ("A.lean", [0, 0, 2, 5]),
            ("A.lean:2", [1, 0, 1, 5]),
            ("A.lean:1-2", [0, 0, 1, 5]),
            ("A.lean:1:3", [0, 2, 0, 2]),
            ("A.lean:1:3-2:1", [0, 2, 1, 0]),
            ("A.lean:1:3-2", [0, 2, 1, 5]),
            ("A.lean:1-2:3", [0, 0, 1, 2]),
            ("A.lean:77", [76, 0, 76, 0]),
        ] {
            assert_eq!(
                range(written, &[]),
                Ok(("A.lean".into(), expected)),
                "{written}"
            );
        }
        assert_eq!(
            range("A-1.lean", &[1, 2, 3, 4]),
            Ok(("A-1.lean".into(), [1, 2, 3, 4]))
        );
        assert_eq!(range("d-2:1-2", &[]), Ok(("d-2".into(), [0, 0, 1, 5])));
        assert_eq!(range("a-3", &[]).unwrap().0, Path::new("a-3"));
    }

    #[test]
    fn what_is_no_part_is_refused() {
        for (written, numbers) in [
            ("A.lean:2-1", vec![]),
            ("A.lean:2:3-2:2", vec![]),
            ("A.lean:0", vec![]),
            ("A.lean:1-0", vec![]),
            ("A.lean:1", vec![0, 0, 1, 1]),
            ("A.lean", vec![1, 0, 0, 1]),
            ("A.lean", vec![1, 0]),
        ] {
            assert!(range(written, &numbers).is_err(), "{written} {numbers:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn a_range_is_read_as_it_is_written(a in (0..u32::MAX, 0..u32::MAX), b in (0..u32::MAX, 0..u32::MAX)) {
            let (start, end) = (a.min(b), a.max(b));
            let one = |number: u32| u64::from(number) + 1;
            let written = format!("A.lean:{}:{}-{}:{}", one(start.0), one(start.1), one(end.0), one(end.1));
            let expected = [start.0, start.1, end.0, end.1];
            proptest::prop_assert_eq!(range(&written, &[]), Ok(("A.lean".into(), expected)));
            proptest::prop_assert_eq!(range("A.lean", &expected), Ok(("A.lean".into(), expected)));
        }
    }
}
