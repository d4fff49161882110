//! Lines and columns behind the name of a file, as editors show them.

/// A line and perhaps a column, counted from one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    pub(crate) line: u32,
    pub(crate) column: Option<u32>,
}

impl Mark {
    /// `FILE:LINE` or `FILE:LINE:COLUMN`, taken apart.
    pub(crate) fn behind(text: &str) -> Option<(&str, Self)> {
        let (rest, last) = split_number(text)?;
        Some(match split_number(rest) {
            Some((file, line)) => {
                let column = Some(last);
                (file, Self { line, column })
            }
            None => {
                let (line, column) = (last, None);
                (rest, Self { line, column })
            }
        })
    }

    /// `LINE` or `LINE:COLUMN` and nothing before it.
    pub(crate) fn whole(text: &str) -> Option<Self> {
        Some(match text.split_once(':') {
            Some((line, column)) => Self {
                line: number(line)?,
                column: Some(number(column)?),
            },
            None => Self {
                line: number(text)?,
                column: None,
            },
        })
    }

    /// The same, counted from zero; `None` when a number is below one.
    pub(crate) fn zero_based(self) -> Option<Self> {
        let column = match self.column {
            Some(column) => Some(column.checked_sub(1)?),
            None => None,
        };
        let line = self.line.checked_sub(1)?;
        Some(Self { line, column })
    }
}

/// `REST:NUMBER`, taken apart.
fn split_number(text: &str) -> Option<(&str, u32)> {
    let (rest, last) = text.rsplit_once(':')?;
    if rest.is_empty() {
        return None;
    }
    Some((rest, number(last)?))
}

/// Digits and nothing else, so that no sign is taken for a part of a number.
fn number(text: &str) -> Option<u32> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}
