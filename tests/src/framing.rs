//! The framing of the Language Server Protocol, for the scripted server and for the raw client.
//!
//! Written apart from the daemon's own codec, so that a fault there is not mirrored here.

use std::io::{self, BufRead, Write};

use serde_json::Value;

/// Reads one message. `None` at a clean end of the stream.
///
/// # Errors
/// The stream broke, ended inside a message, or what it holds is no message.
pub fn read_message(input: &mut impl BufRead) -> io::Result<Option<Value>> {
    let Some(length) = read_header(input)? else {
        return Ok(None);
    };
    let mut body = vec![0; length];
    input.read_exact(&mut body)?;
    serde_json::from_slice(&body)
        .map(Some)
        .map_err(io::Error::other)
}

/// Writes one message and flushes.
///
/// # Errors
/// The stream broke.
pub fn write_message(output: &mut impl Write, message: &Value) -> io::Result<()> {
    output.write_all(&encode(message))?;
    output.flush()
}

/// A message with its header.
pub fn encode(message: &Value) -> Vec<u8> {
    let body = message.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

fn read_header(input: &mut impl BufRead) -> io::Result<Option<usize>> {
    let mut length = None;
    let mut first = true;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return if first {
                Ok(None)
            } else {
                Err(io::ErrorKind::UnexpectedEof.into())
            };
        }
        first = false;
        let line = line.trim_end_matches(['\r', '\n']);
        if line.is_empty() {
            return length
                .map(Some)
                .ok_or_else(|| io::Error::other("a header without Content-Length"));
        }
        if let Some(value) = line.strip_prefix("Content-Length:") {
            length = Some(value.trim().parse().map_err(io::Error::other)?);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_written_is_read_again_message_by_message() {
        let messages = [json!({"id": 1, "x": "∀ 😀"}), json!({"method": "exit"})];
        let mut bytes = Vec::new();
        for message in &messages {
            write_message(&mut bytes, message).unwrap();
        }
        let mut input = bytes.as_slice();
        for message in &messages {
            assert_eq!(read_message(&mut input).unwrap().as_ref(), Some(message));
        }
        assert_eq!(read_message(&mut input).unwrap(), None);
    }

    #[test]
    fn a_stream_that_ends_inside_a_message_is_an_error() {
        let bytes = encode(&json!({"id": 1}));
        for end in 1..bytes.len() {
            assert!(
                read_message(&mut &bytes[..end]).is_err(),
                "cut after {end} bytes"
            );
        }
    }
}
