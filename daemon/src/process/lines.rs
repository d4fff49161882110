//! Lines of a child's output, however long.

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// How much of a line is kept, in bytes. The rest is read and forgotten.
pub(super) const LINE_BYTES: usize = 2048;

/// Passes every line of `source` on, cut to a reasonable length, until its end. Never stops early: a child
/// must not block on a full pipe.
pub(crate) async fn read_lines(source: impl AsyncRead + Unpin, mut line_done: impl FnMut(String)) {
    let mut reader = BufReader::new(source);
    let mut line = Vec::new();
    // A read error is the end as well.
    while let Ok(chunk) = reader.fill_buf().await {
        if chunk.is_empty() {
            break;
        }
        let end = memchr::memchr(b'\n', chunk);
        let part = &chunk[..end.unwrap_or(chunk.len())];
        let room = LINE_BYTES.saturating_sub(line.len());
        line.extend_from_slice(&part[..part.len().min(room)]);
        let used = part.len() + usize::from(end.is_some());
        reader.consume(used);
        if end.is_some() {
            line_done(text_of(&mut line));
        }
    }
    if !line.is_empty() {
        line_done(text_of(&mut line));
    }
}

fn text_of(line: &mut Vec<u8>) -> String {
    let text = String::from_utf8_lossy(line).trim_end().to_owned();
    line.clear();
    text
}
