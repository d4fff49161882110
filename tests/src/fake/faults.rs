//! What a script makes the server do.

use std::{ops::ControlFlow, time::Duration};

use nix::sys::signal::{Signal, raise};
use serde_json::{Value, json};

use super::{
    pending::Why,
    rules::uri_of,
    scenario::{Action, OnCancel},
    server::{Event, Flow, Server, eprint_line},
};
use crate::must::Must;

/// Whether a message still has to be handled, or was.
type Handled = ControlFlow<i32, bool>;

impl Server {
    /// Carries out what the script says about a message. Tells whether that was all there is to do.
    pub(super) fn act(&mut self, actions: Vec<Action>, message: &Value) -> Handled {
        let mut handled = false;
        for action in actions {
            if handled && action.needs_the_message() {
                continue;
            }
            handled |= self.act_once(action, message)?;
        }
        Handled::Continue(handled)
    }

    fn act_once(&mut self, action: Action, message: &Value) -> Handled {
        let id = &message["id"];
        match action {
            Action::Exit { code } => return Handled::Break(code),
            Action::Kill => kill_self(),
            Action::Stderr { line, times } => (0..times).for_each(|_| eprint_line(&line)),
            Action::Garbage(garbage) => self.output.garbage(&garbage),
            Action::Flood {
                notifications,
                diagnostics,
                message_bytes,
            } => {
                self.flood(message, notifications, diagnostics, message_bytes);
            }
            Action::StopReading { ms } => self.go_deaf(ms.map(Duration::from_millis)),
            Action::Mute => self.output.mute(),
            Action::CloseStdout => close_stdout(),
            Action::Notify { method, params } => self.output.notify(&method, &params),
            Action::Ask { id, method, params } => self.output.ask(&id, &method, &params),
            Action::Ignore => return self.ignore(message),
            Action::Delay { ms, on_cancel } => return self.delay(message, ms, on_cancel),
            Action::Answer { result } => {
                self.output.answer(id, &result);
                return Handled::Continue(true);
            }
            Action::Fail { code, message } => {
                self.output.fail(id, code, &message);
                return Handled::Continue(true);
            }
            Action::CrashWorker { after_ms } => return self.plan_crash(message, after_ms),
            Action::WorkerIsDead => self.crash_worker(uri_of(message).unwrap_or_default()),
            Action::FailHeader { message: error } => return self.fail_header(message, &error),
            Action::StaleImports { of } => self.make_stale(&of),
        }
        Handled::Continue(false)
    }

    fn ignore(&mut self, message: &Value) -> Handled {
        if message.get("id").is_some() {
            self.pending.add(message.clone(), Why::Nothing);
        }
        Handled::Continue(true)
    }

    fn delay(&mut self, message: &Value, ms: u64, on_cancel: OnCancel) -> Handled {
        let id = message["id"].clone();
        self.pending.add(message.clone(), Why::Time(on_cancel));
        self.timeline
            .add(Duration::from_millis(ms), Event::Answer { id });
        Handled::Continue(true)
    }

    /// A request is left to fail with the crash; a notification is first obeyed.
    fn plan_crash(&mut self, message: &Value, after_ms: u64) -> Handled {
        if message.get("id").is_some() {
            self.pending.add(message.clone(), Why::Nothing);
        } else {
            self.handle_first(message)?;
        }
        if let Some(uri) = uri_of(message) {
            let event = Event::WorkerDies {
                uri: uri.to_owned(),
            };
            self.timeline.add(Duration::from_millis(after_ms), event);
        }
        Handled::Continue(true)
    }

    fn fail_header(&mut self, message: &Value, error: &str) -> Handled {
        self.handle_first(message)?;
        if let Some(document) = uri_of(message).and_then(|uri| self.documents.get_mut(uri)) {
            document.header_error = Some(error.to_owned());
        }
        Handled::Continue(true)
    }

    fn handle_first(&mut self, message: &Value) -> Flow {
        self.handle_as_good_server(message.clone())
    }

    fn flood(
        &mut self,
        message: &Value,
        notifications: u32,
        diagnostics: u32,
        message_bytes: usize,
    ) {
        let uri = uri_of(message).unwrap_or_default().to_owned();
        let version = message["params"]["textDocument"]["version"]
            .as_i64()
            .unwrap_or(1);
        let text = "x".repeat(message_bytes);
        let place = json!({"line": 0, "character": 0});
        let one = json!({
            "range": {"start": place, "end": place},
            "severity": 3,
            "message": text,
            "source": "Lean 4",
        });
        let all = vec![one; usize::try_from(diagnostics).unwrap_or(usize::MAX)];
        for _ in 0..notifications {
            self.publish(&uri, version, &all, None);
        }
    }
}

impl Action {
    /// Whether the action decides what becomes of the message itself, which can be done only once.
    const fn needs_the_message(&self) -> bool {
        matches!(
            self,
            Self::Ignore
                | Self::Delay { .. }
                | Self::Answer { .. }
                | Self::Fail { .. }
                | Self::CrashWorker { .. }
                | Self::FailHeader { .. }
        )
    }
}

fn kill_self() {
    raise(Signal::SIGKILL).must("kill itself");
}

fn close_stdout() {
    nix::unistd::close(1).must("close standard output");
}
