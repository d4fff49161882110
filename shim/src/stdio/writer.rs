//! The thread that writes lines, one write per line.
//!
//! It says *before* it writes an answer that it is about to: a client that has seen the answer may use
//! its id again, so the id must be free by then, whichever thread runs first.

use std::{
    io::{self, Write},
    thread,
};

use tokio::{
    sync::{mpsc, oneshot},
    time::Instant,
};

use crate::protocol::Admission;

/// One line on its way out.
#[derive(Debug)]
pub(crate) struct Outgoing {
    /// The line without its newline.
    pub(crate) line: String,
    /// Who wants to know that it was written.
    pub(crate) delivery: Delivery,
}

/// Who wants to know that a line was written.
#[derive(Debug)]
pub(crate) enum Delivery {
    /// Nobody.
    Plain,
    /// The call whose progress it is; it gets the time of the write.
    Progress(oneshot::Sender<Instant>),
    /// The main loop: it is the answer of a call.
    Answer(Admission),
}

/// What the writer tells the main loop.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum WriterEvent {
    /// The answer of this call is about to be written.
    Answering(Admission),
    /// The answer of this call was written, or could not be.
    Answered(Admission),
    /// Nobody reads what we write. From now on lines are dropped.
    OutputLost,
    /// Every line was written, and no more will come.
    Finished,
}

/// Starts the thread. It ends when all senders of `lines` are gone.
pub(crate) fn spawn_writer(
    sink: impl Write + Send + 'static,
    lines: mpsc::Receiver<Outgoing>,
    events: impl Fn(WriterEvent) + Send + 'static,
) -> io::Result<()> {
    thread::Builder::new()
        .name("stdout".to_owned())
        .spawn(move || write_all(sink, lines, events))
        .map(drop)
}

fn write_all(
    mut sink: impl Write,
    mut lines: mpsc::Receiver<Outgoing>,
    tell: impl Fn(WriterEvent),
) {
    let mut is_lost = false;
    while let Some(outgoing) = lines.blocking_recv() {
        if let Delivery::Answer(admission) = outgoing.delivery {
            tell(WriterEvent::Answering(admission));
        }
        if !is_lost && write_line(&mut sink, outgoing.line).is_err() {
            is_lost = true;
            tell(WriterEvent::OutputLost);
        }
        match outgoing.delivery {
            Delivery::Plain => {}
            Delivery::Answer(admission) => tell(WriterEvent::Answered(admission)),
            Delivery::Progress(written) => {
                // The call may have ended in the meantime.
                let _ended = written.send(Instant::now());
            }
        }
    }
    tell(WriterEvent::Finished);
}

fn write_line(sink: &mut impl Write, mut line: String) -> io::Result<()> {
    line.push('\n');
    sink.write_all(line.as_bytes())?;
    sink.flush()
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// Remembers each write, and fails from the given one on.
    struct Sink {
        writes: Arc<Mutex<Vec<String>>>,
        fails_at: usize,
    }

    impl Write for Sink {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut writes = self.writes.lock().unwrap();
            if writes.len() >= self.fails_at {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            writes.push(String::from_utf8(bytes.to_vec()).unwrap());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn run(lines: &[&str], fails_at: usize) -> (Vec<String>, Vec<WriterEvent>) {
        let (line_tx, line_rx) = mpsc::channel(lines.len());
        for line in lines {
            let outgoing = Outgoing {
                line: (*line).to_owned(),
                delivery: Delivery::Plain,
            };
            line_tx.try_send(outgoing).unwrap();
        }
        drop(line_tx);
        let writes = Arc::default();
        let events = Mutex::new(Vec::new());
        let sink = Sink {
            writes: Arc::clone(&writes),
            fails_at,
        };
        write_all(sink, line_rx, |event| events.lock().unwrap().push(event));
        (writes.lock().unwrap().clone(), events.into_inner().unwrap())
    }

    #[test]
    fn each_line_is_one_write() {
        let (writes, events) = run(&["a", "b"], usize::MAX);
        assert_eq!(writes, ["a\n", "b\n"]);
        assert_eq!(events, [WriterEvent::Finished]);
    }

    #[test]
    fn a_lost_output_is_told_once_and_the_rest_is_dropped() {
        let (writes, events) = run(&["a", "b", "c"], 1);
        assert_eq!(writes, ["a\n"]);
        assert_eq!(events, [WriterEvent::OutputLost, WriterEvent::Finished]);
    }
}
