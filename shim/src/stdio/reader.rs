//! The thread that reads lines.
//!
//! A thread of its own, because an asynchronous read of standard input blocks the end of a process.

use std::{
    io::{self, BufRead, BufReader, Read},
    thread,
};

use tokio::sync::mpsc;

/// What a read can find at once; longer lines take several reads.
const CHUNK_BYTES: usize = 16 * 1024;

/// What came in.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// One line without its newline.
    Line(Vec<u8>),
    /// A line longer than the limit, which was skipped.
    TooLong,
}

/// Starts the thread. It ends at the end of `source`, at a read error or when nobody listens; the
/// channel closes with it.
pub(crate) fn spawn_reader(
    source: impl Read + Send + 'static,
    limit: usize,
    lines: mpsc::Sender<Input>,
) -> io::Result<()> {
    let run = move || {
        let mut source = BufReader::with_capacity(CHUNK_BYTES, source);
        // A read error means that the client is gone, as the end of input does.
        while let Ok(Some(input)) = read_line(&mut source, limit) {
            if lines.blocking_send(input).is_err() {
                break;
            }
        }
    };
    thread::Builder::new()
        .name("stdin".to_owned())
        .spawn(run)
        .map(drop)
}

/// The next line; `None` at the end of input. The last line needs no newline.
fn read_line(source: &mut impl BufRead, limit: usize) -> io::Result<Option<Input>> {
    let mut line = Vec::new();
    let mut too_long = false;
    let mut started = false;
    loop {
        let chunk = match source.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        if chunk.is_empty() {
            return Ok(started.then_some(finish(line, too_long)));
        }
        started = true;
        let newline = chunk.iter().position(|byte| *byte == b'\n');
        let piece = &chunk[..newline.unwrap_or(chunk.len())];
        if line.len() + piece.len() > limit {
            too_long = true;
            line = Vec::new();
        }
        if !too_long {
            line.extend_from_slice(piece);
        }
        let used = piece.len() + usize::from(newline.is_some());
        source.consume(used);
        if newline.is_some() {
            return Ok(Some(finish(line, too_long)));
        }
    }
}

fn finish(line: Vec<u8>, too_long: bool) -> Input {
    if too_long {
        Input::TooLong
    } else {
        Input::Line(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(text: &[u8], limit: usize, chunk: usize) -> Vec<Input> {
        let mut source = BufReader::with_capacity(chunk, text);
        std::iter::from_fn(|| read_line(&mut source, limit).unwrap()).collect()
    }

    fn line(text: &str) -> Input {
        Input::Line(text.as_bytes().to_vec())
    }

    #[test]
    fn lines_are_found_whatever_the_chunks() {
        for chunk in [1, 2, 3, 100] {
            let found = read_all(b"one\n\ntwo\r\nlast", 100, chunk);
            assert_eq!(found, [line("one"), line(""), line("two\r"), line("last")]);
        }
        assert_eq!(read_all(b"", 100, 10), []);
        assert_eq!(read_all(b"x\n", 100, 10), [line("x")]);
    }

    #[test]
    fn a_line_over_the_limit_is_skipped_whole_and_the_next_one_is_fine() {
        for chunk in [1, 3, 100] {
            let found = read_all(b"12345\n123456\nok\n1234567", 5, chunk);
            assert_eq!(
                found,
                [line("12345"), Input::TooLong, line("ok"), Input::TooLong]
            );
        }
    }
}
