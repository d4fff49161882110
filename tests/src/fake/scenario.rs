//! What a scripted Lean server does, as data.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A whole script. The default is a good server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Scenario {
    /// What happens before the first message is read.
    pub start: Start,
    /// Which version of Lean it looks like.
    pub shape: Shape,
    /// How documents are elaborated.
    pub elaboration: Elaboration,
    /// Worker processes, where there are any.
    pub workers: Option<Workers>,
    /// How it ends.
    pub stop: Stop,
    /// What is done when certain messages arrive.
    pub rules: Vec<Rule>,
}

/// What happens before the first message is read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Start {
    /// Wait this many milliseconds first.
    pub delay_ms: u64,
    /// Write these lines to standard error.
    pub stderr: Vec<String>,
    /// Write this to standard output.
    pub garbage: Option<Garbage>,
    /// Leave with this exit code.
    pub exit_code: Option<i32>,
}

/// Which version of Lean the server looks like.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Shape {
    /// What `--version` gives.
    pub version: String,
    /// Whether `textDocumentSync.change` is 2 (ranged edits) and not 1 (whole texts).
    pub incremental_sync: bool,
    /// Whether `publishDiagnostics` and `fileProgress` carry the document's version.
    pub versions_in_notifications: bool,
    /// The id of the `client/registerCapability` request. `None`: no such request.
    pub register_id: Option<RequestId>,
    /// Whether refresh requests with counting numeric ids follow each elaboration.
    pub refresh_requests: bool,
    /// What happens to a request in flight when an edit invalidates its place.
    pub overtaken: Overtaken,
    /// Code of the error for requests to a crashed worker.
    pub crash_code: i64,
    /// Code of the error for requests to a document that is not open.
    pub closed_code: i64,
}

impl Default for Shape {
    fn default() -> Self {
        Self {
            version: "4.35.0".to_owned(),
            incremental_sync: true,
            versions_in_notifications: true,
            register_id: Some(RequestId::Text("register_lean_watcher".to_owned())),
            refresh_requests: true,
            overtaken: Overtaken::EmptySuccess,
            crash_code: -32902,
            closed_code: -32801,
        }
    }
}

/// An id of a request that the server makes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestId {
    /// A string.
    Text(String),
    /// A number.
    Number(i64),
}

/// What happens to a request in flight when an edit invalidates its place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Overtaken {
    /// It is answered at once with an empty result, as real Lean does.
    #[default]
    EmptySuccess,
    /// It is answered when it would have been.
    Stays,
    /// It fails with `ContentModified` (-32801), as the protocol suggests.
    ContentModified,
}

/// How documents are elaborated.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Elaboration {
    /// Milliseconds from an edit to the final diagnostics.
    pub takes_ms: u64,
    /// How diagnostics are published.
    pub report: Report,
    /// How many progress notifications come on the way, beside the first and the last.
    pub progress_steps: u32,
    /// Send the empty progress before the final diagnostics, as Lean does with its default report delay.
    pub progress_first: bool,
}

/// How diagnostics are published.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Report {
    /// Increments where the client can take them, else once.
    #[default]
    Auto,
    /// All in one notification.
    Once,
    /// One notification per diagnostic, each with all so far.
    Growing,
    /// One notification per diagnostic, each with only the new one and `isIncremental`.
    Incremental,
}

/// Worker processes: one per open document, each in a session of its own, as Lean's are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Workers {
    /// Live on when the server's end of the pipe is closed. The server does not kill such a worker either.
    pub ignore_eof: bool,
    /// Live on after SIGTERM.
    pub ignore_term: bool,
}

/// How the server ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Stop {
    /// Do not answer `shutdown`.
    pub ignore_shutdown: bool,
    /// Do not leave at `exit`.
    pub ignore_exit: bool,
    /// Do not leave at the end of the input.
    pub ignore_eof: bool,
    /// Do not leave at SIGTERM.
    pub ignore_term: bool,
}

impl Stop {
    /// Nothing short of SIGKILL ends it.
    pub const fn only_by_kill() -> Self {
        Self {
            ignore_shutdown: true,
            ignore_exit: true,
            ignore_eof: true,
            ignore_term: true,
        }
    }
}

/// What is done when a certain message arrives, before or in place of what a good server does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The method, or `*` for any.
    pub on: String,
    /// Only messages about a document whose URI contains this.
    #[serde(default)]
    pub uri: Option<String>,
    /// Only these of the messages that fit, counted within one life of the server.
    #[serde(default)]
    pub when: Occurrence,
    /// What is done, in this order.
    pub then: Vec<Action>,
}

impl Rule {
    /// Does `then` whenever `method` arrives.
    pub fn on(method: &str, then: impl Into<Vec<Action>>) -> Self {
        Self {
            on: method.to_owned(),
            uri: None,
            when: Occurrence::Always,
            then: then.into(),
        }
    }

    /// The same rule for documents whose URI contains `part` only.
    #[must_use]
    pub fn about(mut self, part: &str) -> Self {
        self.uri = Some(part.to_owned());
        self
    }

    /// The same rule for certain occurrences only.
    #[must_use]
    pub fn when(mut self, when: Occurrence) -> Self {
        self.when = when;
        self
    }
}

/// Which of the fitting messages count, starting from 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Occurrence {
    /// All.
    #[default]
    Always,
    /// This one.
    Only(u64),
    /// This one and later ones.
    From(u64),
    /// This one and earlier ones.
    UpTo(u64),
}

impl Occurrence {
    /// Whether the `count`-th fitting message counts.
    pub const fn covers(self, count: u64) -> bool {
        match self {
            Self::Always => true,
            Self::Only(wanted) => count == wanted,
            Self::From(first) => count >= first,
            Self::UpTo(last) => count <= last,
        }
    }
}

/// One thing that the server does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// Leave at once.
    Exit {
        /// The exit code.
        code: i32,
    },
    /// SIGKILL itself.
    Kill,
    /// Write a line to standard error, again and again.
    Stderr {
        /// The line.
        line: String,
        /// How many times.
        times: u32,
    },
    /// Never answer this request, or ignore this notification.
    Ignore,
    /// Answer later.
    Delay {
        /// By how many milliseconds.
        ms: u64,
        /// What a cancellation in the meantime does.
        #[serde(default)]
        on_cancel: OnCancel,
    },
    /// Answer with this result.
    Answer {
        /// The result.
        result: Value,
    },
    /// Answer with an error.
    Fail {
        /// Its code.
        code: i64,
        /// Its message.
        message: String,
    },
    /// Write something to standard output that is no message.
    Garbage(Garbage),
    /// Publish diagnostics of the document again and again, without being done.
    Flood {
        /// How many notifications.
        notifications: u32,
        /// How many diagnostics each holds.
        diagnostics: u32,
        /// How long each message is, in bytes.
        message_bytes: usize,
    },
    /// The document's worker dies: requests to it fail, and then there is silence until the next edit or
    /// until the document is opened again.
    CrashWorker {
        /// How many milliseconds after this message.
        #[serde(default)]
        after_ms: u64,
    },
    /// The document's worker died just before this message, which meets nothing but silence until the next
    /// edit or until the document is opened again.
    WorkerIsDead,
    /// The header of this version fails: one error, fatal progress, nothing else.
    FailHeader {
        /// The error.
        message: String,
    },
    /// Says at once, and from now on with every verdict, that the imports of documents are stale, until they
    /// are closed.
    StaleImports {
        /// A part of the URIs of those documents.
        of: String,
    },
    /// Read no further message, for ever or for some milliseconds.
    StopReading {
        /// For how long. `None`: for ever.
        ms: Option<u64>,
    },
    /// Write nothing any more.
    Mute,
    /// Close standard output and live on.
    CloseStdout,
    /// Send a notification.
    Notify {
        /// Its method.
        method: String,
        /// Its parameters.
        params: Value,
    },
    /// Make a request of the client.
    Ask {
        /// Its id.
        id: RequestId,
        /// Its method.
        method: String,
        /// Its parameters.
        params: Value,
    },
}

impl Action {
    /// Answer after `delay`, and as real Lean does when the request was cancelled before.
    pub const fn delay(delay: Duration) -> Self {
        Self::Delay {
            ms: delay.as_millis() as u64,
            on_cancel: OnCancel::Late,
        }
    }

    /// Write `line` to standard error once.
    pub fn stderr(line: &str) -> Self {
        Self::Stderr {
            line: line.to_owned(),
            times: 1,
        }
    }
}

/// What a cancellation does to a delayed request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnCancel {
    /// It fails with -32800 when its time comes, as in real Lean.
    #[default]
    Late,
    /// It fails with -32800 at once.
    AtOnce,
    /// Nothing: the full answer comes when its time comes.
    Ignored,
}

/// Output that is no message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Garbage {
    /// This text, as it is.
    Text(String),
    /// A frame whose header has no length.
    BadHeader,
    /// A frame with this text as its body.
    BadJson(String),
    /// A frame with a valid body and a length that is off by this much.
    WrongLength(i64),
    /// A header that announces this many bytes, a few bytes, and then nothing more, ever.
    HalfFrame(u64),
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_scenario_survives_its_json_form() {
        let scenario = Scenario {
            workers: Some(Workers::default()),
            stop: Stop::only_by_kill(),
            rules: vec![
                Rule::on(
                    "textDocument/hover",
                    [Action::delay(Duration::from_secs(1))],
                )
                .about("A.lean")
                .when(Occurrence::Only(2)),
                Rule::on("*", [Action::Kill, Action::Garbage(Garbage::HalfFrame(10))]),
            ],
            ..Scenario::default()
        };
        let text = serde_json::to_string(&scenario).unwrap();
        assert_eq!(serde_json::from_str::<Scenario>(&text).unwrap(), scenario);
    }

    #[test]
    fn an_empty_object_is_a_good_server_and_a_misspelt_field_is_refused() {
        assert_eq!(
            serde_json::from_str::<Scenario>("{}").unwrap(),
            Scenario::default()
        );
        for wrong in [
            json!({"rule": []}),
            json!({"stop": {"ignore_kill": true}}),
            json!({"rules": [{"on": "*", "then": [{"delay": {"secs": 1}}]}]}),
        ] {
            assert!(
                serde_json::from_value::<Scenario>(wrong.clone()).is_err(),
                "{wrong}"
            );
        }
    }

    #[test]
    fn occurrences_are_counted_from_one() {
        let covered = |when: Occurrence| {
            (1..=4)
                .filter(|count| when.covers(*count))
                .collect::<Vec<_>>()
        };
        assert_eq!(covered(Occurrence::Always), [1, 2, 3, 4]);
        assert_eq!(covered(Occurrence::Only(2)), [2]);
        assert_eq!(covered(Occurrence::From(3)), [3, 4]);
        assert_eq!(covered(Occurrence::UpTo(2)), [1, 2]);
    }
}
