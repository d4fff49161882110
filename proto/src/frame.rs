//! One JSON value per line, with limits.

use serde::Serialize;
use serde_json::value::RawValue;

/// Longest request line that the daemon reads, in bytes.
pub const MAX_REQUEST_BYTES: usize = 16 * 1024 * 1024;

/// Longest line that a client reads, in bytes.
pub const MAX_RESPONSE_BYTES: usize = 64 * 1024 * 1024;

/// Why a value could not be put on a line.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// It has no JSON form.
    #[error("not representable as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// It is longer than the limit.
    #[error("a line of {actual} bytes is over the limit of {limit}")]
    TooLong {
        /// Length of the line.
        actual: usize,
        /// The limit.
        limit: usize,
    },
}

/// The line for `value`, with its newline.
///
/// # Errors
/// [`FrameError::TooLong`] when the line, without its newline, has more than `limit` bytes.
pub fn encode_line<T: Serialize + ?Sized>(value: &T, limit: usize) -> Result<Vec<u8>, FrameError> {
    let mut line = serde_json::to_vec(value)?;
    if line.len() > limit {
        return Err(FrameError::TooLong {
            actual: line.len(),
            limit,
        });
    }
    line.push(b'\n');
    Ok(line)
}

/// `value` as raw JSON.
///
/// # Errors
/// The value has no JSON form.
pub fn raw<T: Serialize + ?Sized>(value: &T) -> Result<Box<RawValue>, serde_json::Error> {
    serde_json::value::to_raw_value(value)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_limit_counts_the_line_without_its_newline() {
        assert_eq!(encode_line("abc", 5).unwrap(), b"\"abc\"\n");
        assert!(matches!(
            encode_line("abc", 4),
            Err(FrameError::TooLong {
                actual: 5,
                limit: 4
            })
        ));
    }

    proptest! {
        #[test]
        fn a_line_holds_exactly_one_newline_whatever_the_text(text in any::<String>()) {
            let line = encode_line(&text, usize::MAX).unwrap();
            prop_assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
            prop_assert_eq!(serde_json::from_slice::<String>(&line).unwrap(), text);
        }
    }
}
