//! Request lines.

use std::io;

use bytes::BytesMut;
use lean_beam_proto::frame;
use tokio_util::codec::{Decoder, LinesCodec, LinesCodecError};

/// Lines with a limit. Unlike the library's own codec it does not take what stands before the end of the
/// input for a line: a request that was cut off must not be carried out.
#[derive(Debug)]
pub(super) struct RequestCodec(LinesCodec);

impl Default for RequestCodec {
    fn default() -> Self {
        Self(LinesCodec::new_with_max_length(frame::MAX_REQUEST_BYTES))
    }
}

impl Decoder for RequestCodec {
    type Item = String;
    type Error = LinesCodecError;

    fn decode(&mut self, buffer: &mut BytesMut) -> Result<Option<String>, LinesCodecError> {
        self.0.decode(buffer)
    }

    fn decode_eof(&mut self, buffer: &mut BytesMut) -> Result<Option<String>, LinesCodecError> {
        match self.0.decode(buffer)? {
            Some(line) => Ok(Some(line)),
            None if buffer.is_empty() => Ok(None),
            None => {
                buffer.clear();
                // The codec remembers how far it has looked.
                *self = Self::default();
                Err(LinesCodecError::Io(io::ErrorKind::UnexpectedEof.into()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_newline_is_no_line() {
        let mut buffer = BytesMut::from("{}\n{\"op\"");
        let mut codec = RequestCodec::default();
        assert_eq!(
            codec.decode_eof(&mut buffer).unwrap().as_deref(),
            Some("{}")
        );
        assert!(codec.decode_eof(&mut buffer).is_err());
        assert!(codec.decode_eof(&mut buffer).unwrap().is_none());
    }
}
