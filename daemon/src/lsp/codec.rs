//! Frames: a `Content-Length` header, an empty line, that many bytes of JSON.

use bytes::{Buf, Bytes, BytesMut};
use tokio_util::codec::Decoder;

/// Longest header block; a real one has some thirty bytes.
const MAX_HEADER_BYTES: usize = 4096;

/// Longest body; Lean's answers stay far below it.
const MAX_BODY_BYTES: usize = 256 * 1024 * 1024;

/// How much of an offending header is shown.
const SNIPPET_BYTES: usize = 120;

/// Why a stream of frames cannot be read any further.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CodecError {
    /// The header is not one, typically because something printed to standard output.
    #[error("expected a message header, found {0:?}")]
    Header(String),
    /// The announced body is longer than anything sensible.
    #[error("a message of {0} bytes is announced, over the limit of {MAX_BODY_BYTES}")]
    TooLong(usize),
    /// The stream itself failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// Cuts a byte stream into the bodies of its frames.
#[derive(Debug, Default)]
pub(crate) struct LspCodec {
    /// Length of the body that comes next, once its header was read.
    body: Option<usize>,
}

impl Decoder for LspCodec {
    type Item = Bytes;
    type Error = CodecError;

    fn decode(&mut self, buffer: &mut BytesMut) -> Result<Option<Bytes>, CodecError> {
        let length = match self.body {
            Some(length) => length,
            None => match take_header(buffer)? {
                Some(length) => {
                    self.body = Some(length);
                    length
                }
                None => return Ok(None),
            },
        };
        if buffer.len() < length {
            buffer.reserve(length - buffer.len());
            return Ok(None);
        }
        self.body = None;
        Ok(Some(buffer.split_to(length).freeze()))
    }
}

/// Removes a complete header block from `buffer` and returns the length that it announces.
fn take_header(buffer: &mut BytesMut) -> Result<Option<usize>, CodecError> {
    let Some(end) = memchr::memmem::find(buffer, b"\r\n\r\n") else {
        return if buffer.len() > MAX_HEADER_BYTES || !could_be_header(buffer) {
            Err(bad_header(buffer))
        } else {
            Ok(None)
        };
    };
    let length = content_length(&buffer[..end]).ok_or_else(|| bad_header(buffer))?;
    if length > MAX_BODY_BYTES {
        return Err(CodecError::TooLong(length));
    }
    buffer.advance(end + 4);
    Ok(Some(length))
}

/// False as soon as the bytes cannot become a header, so that stray output is reported at once and not
/// after it happens to hold an empty line.
fn could_be_header(bytes: &[u8]) -> bool {
    bytes.split(|byte| *byte == b'\n').all(|line| {
        let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
        let name = name.strip_suffix(b"\r").unwrap_or(name);
        name.iter()
            .all(|byte| byte.is_ascii_alphabetic() || *byte == b'-')
    })
}

fn content_length(header: &[u8]) -> Option<usize> {
    let header = std::str::from_utf8(header).ok()?;
    header.split("\r\n").find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.trim()
            .eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse().ok())?
    })
}

fn bad_header(bytes: &[u8]) -> CodecError {
    let shown = &bytes[..bytes.len().min(SNIPPET_BYTES)];
    CodecError::Header(String::from_utf8_lossy(shown).into_owned())
}

/// The frame around `body`.
pub(crate) fn encode_frame(body: &[u8]) -> Vec<u8> {
    let mut frame = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    frame.extend_from_slice(body);
    frame
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decode_all(codec: &mut LspCodec, buffer: &mut BytesMut) -> Result<Vec<Vec<u8>>, CodecError> {
        let mut bodies = Vec::new();
        while let Some(body) = codec.decode(buffer)? {
            bodies.push(body.to_vec());
        }
        Ok(bodies)
    }

    #[test]
    fn other_headers_and_other_spellings_are_accepted() {
        let mut buffer = BytesMut::from("Content-Type: x/y\r\ncontent-length:  2 \r\n\r\n{}rest");
        assert_eq!(
            decode_all(&mut LspCodec::default(), &mut buffer).unwrap(),
            [b"{}".to_vec()]
        );
        assert_eq!(&buffer[..], b"rest");
    }

    #[test]
    fn stray_output_is_an_error_that_shows_it() {
        for text in [
            "hello world, no header here\n",
            "PANIC at 12: oops",
            "Content-Length: x\r\n\r\n",
            "{\"jsonrpc\":\"2.0\"}\r\n\r\n",
        ] {
            let error = LspCodec::default()
                .decode(&mut BytesMut::from(text))
                .unwrap_err();
            assert!(
                matches!(&error, CodecError::Header(shown) if text.starts_with(shown.as_str())),
                "{text:?}: {error}"
            );
        }
    }

    #[test]
    fn an_absurd_length_is_refused_before_any_memory_is_taken() {
        let mut buffer = BytesMut::from("Content-Length: 99999999999\r\n\r\n");
        assert!(matches!(
            LspCodec::default().decode(&mut buffer),
            Err(CodecError::TooLong(99_999_999_999))
        ));
    }

    proptest! {
        #[test]
        fn frames_survive_any_split(bodies in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..60), 0..6), cuts in proptest::collection::vec(1usize..40, 1..30)) {
            let stream: Vec<u8> = bodies.iter().flat_map(|body| encode_frame(body)).collect();
            let (mut codec, mut buffer, mut seen) = (LspCodec::default(), BytesMut::new(), Vec::new());
            let (mut rest, mut cuts) = (&stream[..], cuts.iter().cycle());
            while !rest.is_empty() {
                let (now, later) = rest.split_at(rest.len().min(*cuts.next().unwrap()));
                buffer.extend_from_slice(now);
                rest = later;
                seen.extend(decode_all(&mut codec, &mut buffer).unwrap());
            }
            prop_assert_eq!(seen, bodies);
            prop_assert!(buffer.is_empty());
        }
    }
}
