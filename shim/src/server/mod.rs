//! The main loop: carries out what the protocol decides, on one thread.
//!
//! Everything that can wake it is one of four things: a line came in, a call or the writer has news, the
//! writer has room, or it is time to leave. Nothing in it waits for the client or for the daemon.

mod calls;
mod drain;
mod signals;

use std::{collections::VecDeque, io, io::Read, io::Write, sync::Arc};

use lean_beam_proto::paths::RuntimeDir;
use tokio::{
    select,
    sync::mpsc,
    time::{Instant, sleep_until},
};

use crate::{
    call::{Output, Shared},
    protocol::{Admission, CallOutcome, Effect, Line, MAX_LINE_BYTES, Protocol},
    stdio::{Delivery, Input, Outgoing, WriterEvent, spawn_reader, spawn_writer},
};
use calls::Calls;
use signals::Signals;

/// Lines that wait for the main loop. Few: behind them the client's pipe fills up, as it should.
const INPUT_LINES: usize = 4;
/// Lines that wait for the writer before calls have to wait.
const OUTPUT_LINES: usize = 64;

/// News from the calls and the writer.
#[derive(Debug)]
pub(crate) enum Event {
    /// A call has its outcome.
    Completed(Admission, CallOutcome),
    /// A call's task is gone, whatever the reason.
    Gone(Admission),
    /// The writer did something.
    Writer(WriterEvent),
}

/// Serves one client on `source` and `sink` until the input ends, the output is lost or a signal comes.
///
/// # Errors
/// Threads, timers or signal handlers cannot be set up.
pub fn serve(
    source: impl Read + Send + 'static,
    sink: impl Write + Send + 'static,
) -> io::Result<()> {
    serve_with(None, source, sink)
}

/// As [`serve`], with the daemon in `runtime_dir`, whatever the environment says.
///
/// # Errors
/// As [`serve`].
pub fn serve_in(
    runtime_dir: RuntimeDir,
    source: impl Read + Send + 'static,
    sink: impl Write + Send + 'static,
) -> io::Result<()> {
    serve_with(Some(runtime_dir), source, sink)
}

fn serve_with(
    runtime_dir: Option<RuntimeDir>,
    source: impl Read + Send + 'static,
    sink: impl Write + Send + 'static,
) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let served = runtime.block_on(async { Server::start(runtime_dir, source, sink)?.run().await });
    // What still runs here is a look at a file system that does not answer.
    runtime.shutdown_background();
    served
}

struct Server {
    protocol: Protocol,
    calls: Calls,
    shared: Option<Arc<Shared>>,
    input: mpsc::Receiver<Input>,
    events: mpsc::UnboundedReceiver<Event>,
    output: Option<mpsc::Sender<Outgoing>>,
    /// Lines that the writer had no room for. Input is not read while there are any.
    waiting: VecDeque<Outgoing>,
    /// Set once the end was called for: when to leave at the latest.
    leave_by: Option<Instant>,
    writer_finished: bool,
}

impl Server {
    fn start(
        runtime_dir: Option<RuntimeDir>,
        source: impl Read + Send + 'static,
        sink: impl Write + Send + 'static,
    ) -> io::Result<Self> {
        let (input_tx, input_rx) = mpsc::channel(INPUT_LINES);
        let (output_tx, output_rx) = mpsc::channel(OUTPUT_LINES);
        let (event_tx, event_rx) = mpsc::unbounded_channel();
        let writer_tx = event_tx.clone();
        spawn_writer(sink, output_rx, move |event| {
            // Without a main loop nobody wants to know.
            let _gone = writer_tx.send(Event::Writer(event));
        })?;
        spawn_reader(source, MAX_LINE_BYTES, input_tx)?;
        let output = Output::new(output_tx.clone());
        Ok(Self {
            protocol: Protocol::new(),
            calls: Calls::new(event_tx),
            shared: Some(Arc::new(Shared::new(output, runtime_dir))),
            input: input_rx,
            events: event_rx,
            output: Some(output_tx),
            waiting: VecDeque::new(),
            leave_by: None,
            writer_finished: false,
        })
    }

    async fn run(mut self) -> io::Result<()> {
        let mut signals = Signals::listen()?;
        while !self.is_finished() {
            self.pass_on();
            let leave_by = self.leave_by;
            let writer = self.output.clone().filter(|_| !self.waiting.is_empty());
            select! {
                biased;
                Some(event) = self.events.recv() => self.handle_event(event),
                () = signals.next() => {
                    if self.leave_by.is_some() {
                        break;
                    }
                    self.begin_drain();
                }
                () = sleep_until(leave_by.unwrap_or_else(Instant::now)), if leave_by.is_some() => break,
                () = has_room(writer.as_ref()), if writer.is_some() => {}
                input = self.input.recv(), if leave_by.is_none() && self.waiting.is_empty() => {
                    self.handle_input(input.as_ref());
                }
            }
        }
        Ok(())
    }

    fn handle_input(&mut self, input: Option<&Input>) {
        // A line that answers to something we wrote was read after the write, and the news about the
        // write was sent before it: with all news handled first, the two cannot overtake each other.
        while let Ok(event) = self.events.try_recv() {
            self.handle_event(event);
        }
        let effects = match input {
            None => return self.begin_drain(),
            Some(Input::Line(line)) => self.protocol.receive(Line::Whole(line)),
            Some(Input::TooLong) => self.protocol.receive(Line::TooLong),
        };
        self.carry_out(effects);
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Reply(line) => self.write(line, Delivery::Plain),
                Effect::Start(order) => {
                    if let Some(shared) = &self.shared {
                        self.calls.start(*order, shared);
                    }
                }
                Effect::Release(admission) => self.calls.release(admission),
                Effect::Abort(admission) => self.calls.abort(admission),
                Effect::SetLogLevel(level) => {
                    if let Some(shared) = &self.shared {
                        shared.set_session_level(level);
                    }
                }
            }
        }
    }

    fn handle_event(&mut self, event: Event) {
        match event {
            Event::Completed(admission, outcome) => self.answer(admission, outcome),
            Event::Gone(admission) => self.call_is_gone(admission),
            Event::Writer(WriterEvent::Answering(admission)) => self.protocol.retire(admission),
            Event::Writer(WriterEvent::Answered(admission)) => self.end(admission),
            Event::Writer(WriterEvent::OutputLost) => self.begin_drain(),
            Event::Writer(WriterEvent::Finished) => self.writer_finished = true,
        }
    }

    fn answer(&mut self, admission: Admission, outcome: CallOutcome) {
        if let Some(line) = self.protocol.complete(admission, outcome) {
            self.write(line, Delivery::Answer(admission));
        }
    }

    /// A task ends after it has reported its outcome, or because it was aborted, or by a fault of ours.
    fn call_is_gone(&mut self, admission: Admission) {
        self.calls.forget(admission);
        if self.protocol.is_cancelled(admission) {
            self.end(admission);
        } else {
            self.answer(admission, CallOutcome::failed(&calls::vanished()));
        }
    }

    fn end(&mut self, admission: Admission) {
        let effects = self.protocol.end(admission);
        self.carry_out(effects);
    }

    fn write(&mut self, line: String, delivery: Delivery) {
        self.waiting.push_back(Outgoing { line, delivery });
        self.pass_on();
    }

    /// Gives the writer what it has room for.
    fn pass_on(&mut self) {
        let Some(output) = &self.output else { return };
        while let Some(outgoing) = self.waiting.pop_front() {
            if let Err(error) = output.try_send(outgoing) {
                if let mpsc::error::TrySendError::Full(outgoing) = error {
                    self.waiting.push_front(outgoing);
                }
                return;
            }
        }
    }
}

/// Waits until the writer takes another line.
async fn has_room(writer: Option<&mpsc::Sender<Outgoing>>) {
    if let Some(writer) = writer {
        // Without a writer its last event ends the loop.
        let _permit = writer.reserve().await;
    }
}
