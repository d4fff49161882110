//! The scripted server's loop, and what each message does.

use std::{
    collections::BTreeMap,
    ops::ControlFlow,
    sync::mpsc::{Receiver, RecvTimeoutError},
    thread,
    time::Duration,
};

use serde_json::Value;

use super::{
    answers,
    document::Document,
    log::{Entry, Recorder},
    output::Output,
    pending::{Pending, PendingTable, Why},
    rules::{Rules, uri_of},
    scenario::{OnCancel, Scenario},
    timeline::Timeline,
};

/// How long the loop sleeps at most while it must not read.
const NAP: Duration = Duration::from_millis(50);

/// Go on, or leave with an exit code.
pub(super) type Flow = ControlFlow<i32>;

/// What the reading thread found.
#[derive(Debug)]
pub(super) enum Input {
    /// A message.
    Message(Value),
    /// The end, or something that is no message.
    End,
}

/// Something that happens later.
#[derive(Debug)]
pub(super) enum Event {
    /// One step of an elaboration.
    Step {
        uri: String,
        generation: u64,
        part: u32,
    },
    /// The answer to a delayed request is due.
    Answer { id: Value },
    /// The empty answer to a request that an edit overtook is due.
    AnswerEmpty { id: Value, method: String },
    /// A worker dies.
    WorkerDies { uri: String },
    /// Messages are read again.
    Hear,
}

/// How far the handshake got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    New,
    Answered,
    Ready,
    ShutDown,
}

/// What the client said that it can take.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Client {
    pub(super) incremental_diagnostics: bool,
    pub(super) silent_diagnostics: bool,
}

/// The whole state of the scripted server.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) scenario: Scenario,
    pub(super) rules: Rules,
    pub(super) documents: BTreeMap<String, Document>,
    pub(super) pending: PendingTable,
    pub(super) timeline: Timeline<Event>,
    pub(super) output: Output,
    pub(super) recorder: Recorder,
    pub(super) client: Client,
    pub(super) deaf: bool,
    pub(super) next_request: i64,
    phase: Phase,
}

impl Server {
    pub(super) fn new(mut scenario: Scenario, output: Output, recorder: Recorder) -> Self {
        Self {
            rules: Rules::new(std::mem::take(&mut scenario.rules)),
            scenario,
            documents: BTreeMap::new(),
            pending: PendingTable::default(),
            timeline: Timeline::new(),
            output,
            recorder,
            client: Client::default(),
            deaf: false,
            next_request: 0,
            phase: Phase::New,
        }
    }

    /// Serves until the end, and gives the exit code.
    pub(super) fn run(mut self, input: &Receiver<Input>) -> i32 {
        loop {
            if let ControlFlow::Break(code) = self.turn(input) {
                self.recorder.record(Entry::Left(code));
                return code;
            }
        }
    }

    fn turn(&mut self, input: &Receiver<Input>) -> Flow {
        if let Some(event) = self.timeline.take_due() {
            self.handle_event(event);
            return Flow::Continue(());
        }
        match self.next_input(input) {
            Some(Input::Message(message)) => self.handle_message(message),
            Some(Input::End) => self.handle_end(),
            None => Flow::Continue(()),
        }
    }

    /// The next message, or `None` when something on the timeline comes first.
    fn next_input(&self, input: &Receiver<Input>) -> Option<Input> {
        let next = self.timeline.next_in();
        if self.deaf {
            thread::sleep(next.unwrap_or(NAP).min(NAP));
            return None;
        }
        let Some(limit) = next else {
            return Some(input.recv().unwrap_or(Input::End));
        };
        match input.recv_timeout(limit) {
            Ok(found) => Some(found),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Input::End),
        }
    }

    fn handle_end(&mut self) -> Flow {
        if self.scenario.stop.ignore_eof {
            self.deaf = true;
            return Flow::Continue(());
        }
        eprint_line("Watchdog error: Cannot read LSP message: Stream was closed");
        Flow::Break(1)
    }

    fn handle_event(&mut self, event: Event) {
        match event {
            Event::Step {
                uri,
                generation,
                part,
            } => self.elaborate_step(&uri, generation, part),
            Event::Answer { id } => {
                if let Some(request) = self.pending.take(&id) {
                    self.answer_in_time(&request);
                }
            }
            Event::AnswerEmpty { id, method } => {
                let empty = answers::empty(&method).unwrap_or(Value::Null);
                self.output.answer(&id, &empty);
            }
            Event::WorkerDies { uri } => self.crash_worker(&uri),
            Event::Hear => self.deaf = false,
        }
    }

    fn handle_message(&mut self, message: Value) -> Flow {
        self.recorder.record(Entry::Received(message.clone()));
        if message.get("method").is_none() {
            return Flow::Continue(());
        }
        let actions = self.rules.actions_for(&message);
        if self.act(actions, &message)? {
            return Flow::Continue(());
        }
        self.handle_as_good_server(message)
    }

    /// What a server without a script does.
    pub(super) fn handle_as_good_server(&mut self, message: Value) -> Flow {
        self.check_handshake(&message)?;
        if message.get("id").is_some() {
            self.handle_request(message)
        } else {
            self.handle_notification(&message)
        }
    }

    /// Real Lean dies of anything that comes before the handshake is complete.
    fn check_handshake(&mut self, message: &Value) -> Flow {
        let method = message["method"].as_str().unwrap_or_default();
        let expected = match self.phase {
            Phase::New => "initialize",
            Phase::Answered => "initialized",
            Phase::Ready | Phase::ShutDown => return Flow::Continue(()),
        };
        if method == expected || method == "exit" {
            return Flow::Continue(());
        }
        self.violation(&format!(
            "Watchdog error: Expected method '{expected}', got method '{method}'"
        ));
        Flow::Break(1)
    }

    fn handle_request(&mut self, message: Value) -> Flow {
        match message["method"].as_str().unwrap_or_default() {
            "initialize" => self.initialize(&message),
            "shutdown" => self.shut_down(&message),
            "textDocument/waitForDiagnostics" => self.wait_for_diagnostics(message),
            _ => self.answer_request(message),
        }
        Flow::Continue(())
    }

    fn handle_notification(&mut self, message: &Value) -> Flow {
        let params = &message["params"];
        match message["method"].as_str().unwrap_or_default() {
            "initialized" => self.initialized(),
            "textDocument/didOpen" => self.open(params),
            "textDocument/didChange" => self.change(params),
            "textDocument/didClose" => self.close(params),
            "$/cancelRequest" => self.cancel(&params["id"]),
            "exit" if !self.scenario.stop.ignore_exit => {
                return Flow::Break(i32::from(self.phase != Phase::ShutDown));
            }
            _ => {}
        }
        Flow::Continue(())
    }

    fn initialize(&mut self, message: &Value) {
        let lean = &message["params"]["capabilities"]["lean"];
        let offers = |name: &str| lean[name].as_bool().unwrap_or_default();
        self.client = Client {
            incremental_diagnostics: offers("incrementalDiagnosticSupport"),
            silent_diagnostics: offers("silentDiagnosticSupport"),
        };
        self.phase = Phase::Answered;
        let result = answers::initialize_result(&self.scenario.shape);
        self.output.answer(&message["id"], &result);
    }

    fn initialized(&mut self) {
        self.phase = Phase::Ready;
        if let Some(id) = self.scenario.shape.register_id.clone() {
            let registration = answers::register_watchers();
            self.output
                .ask(&id, "client/registerCapability", &registration);
        }
    }

    fn shut_down(&mut self, message: &Value) {
        if self.scenario.stop.ignore_shutdown {
            return;
        }
        self.phase = Phase::ShutDown;
        self.output.answer(&message["id"], &Value::Null);
    }

    fn wait_for_diagnostics(&mut self, message: Value) {
        let uri = uri_of(&message).unwrap_or_default();
        let wanted = message["params"]["version"].as_i64().unwrap_or_default();
        match self.documents.get(uri) {
            Some(document) if document.has_reported(wanted) => self.answer_now(&message),
            Some(document) if document.is_crashed() => self.pending.add(message, Why::Worker),
            Some(_) => self.pending.add(message, Why::Version(wanted)),
            None => self.answer_now(&message),
        }
    }

    fn answer_request(&mut self, message: Value) {
        let uri = uri_of(&message).unwrap_or_default();
        if self.documents.get(uri).is_some_and(Document::is_crashed) {
            self.pending.add(message, Why::Worker);
        } else {
            self.answer_now(&message);
        }
    }

    /// Answers as the documents stand at this moment.
    pub(super) fn answer_now(&mut self, message: &Value) {
        match self.result_for(message) {
            Ok(result) => self.output.answer(&message["id"], &result),
            Err((code, text)) => self.output.fail(&message["id"], code, &text),
        }
    }

    fn result_for(&self, message: &Value) -> Result<Value, (i64, String)> {
        let method = message["method"].as_str().unwrap_or_default();
        let Some(uri) = uri_of(message) else {
            return answers::empty(method).ok_or_else(|| answers::unknown(method));
        };
        match self.documents.get(uri) {
            Some(document) => answers::about_document(method, &message["params"], document),
            None => Err((
                self.scenario.shape.closed_code,
                format!("Cannot process request to closed file '{uri}'"),
            )),
        }
    }

    fn answer_in_time(&mut self, request: &Pending) {
        if request.cancelled && request.why == Why::Time(OnCancel::Late) {
            self.output.fail(request.id(), answers::CANCELLED, "");
        } else {
            self.answer_now(&request.message);
        }
    }

    fn cancel(&mut self, id: &Value) {
        let Some(request) = self.pending.find_mut(id) else {
            return;
        };
        request.cancelled = true;
        if request.why == Why::Time(OnCancel::AtOnce) {
            self.pending.take(id);
            self.output.fail(id, answers::CANCELLED, "");
        }
    }

    /// Notes something that a client must never do.
    pub(super) fn violation(&mut self, what: &str) {
        eprint_line(what);
        self.recorder.record(Entry::Violation(what.to_owned()));
    }

    /// Reads no message for a while, or never again.
    pub(super) fn go_deaf(&mut self, span: Option<Duration>) {
        self.deaf = true;
        if let Some(span) = span {
            self.timeline.add(span, Event::Hear);
        }
    }
}

/// Writes a line to standard error, as the real server does with its complaints.
pub(super) fn eprint_line(line: &str) {
    use std::io::Write;
    // Nobody may be reading; the line is then lost, as it would be for the real server.
    drop(writeln!(std::io::stderr(), "{line}"));
}
