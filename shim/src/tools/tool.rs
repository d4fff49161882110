//! What the server knows about one tool.

use std::time::Duration;

use lean_beam_proto::op::{Operation, Scope};
use schemars::JsonSchema;

use super::{
    display::Display,
    fields::fields_of,
    schema::{NotFlat, Schema},
};

/// How long a call may take when its client does not say.
///
/// Clients give up after 60 s by default; an answer that says how far Lean is beats a lost call.
pub const DEFAULT_DEADLINE: Duration = Duration::from_secs(50);

/// One entry of the table.
#[derive(Debug)]
pub struct Tool {
    /// Its name, which also names the operation: `lean_` and the operation's name.
    pub name: &'static str,
    /// A name for people.
    pub title: &'static str,
    /// What it does, the essentials in the first 200 bytes.
    pub description: &'static str,
    /// How the client may treat it.
    pub hints: Hints,
    /// What the client gets to see while it works.
    pub display: Display,
    /// How long it may take.
    pub wait: Wait,
    /// How to get at what was left out of a result that is too large.
    pub when_cut: &'static str,
    /// What a call does.
    pub action: Action,
}

/// Advice for clients about the effects of a tool. The absence of advice means: destructive, not
/// idempotent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hints {
    /// No advice.
    None,
    /// It keeps nothing and writes nothing of ours.
    ReadOnly,
    /// It only adds, such as a handle.
    Additive,
    /// To repeat it changes nothing more.
    Idempotent,
}

impl Hints {
    /// The `annotations` of the tool as JSON, where there are any.
    pub const fn annotations(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::ReadOnly => Some(r#"{"readOnlyHint":true}"#),
            Self::Additive => Some(r#"{"destructiveHint":false}"#),
            Self::Idempotent => Some(r#"{"idempotentHint":true}"#),
        }
    }
}

/// How long a call may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// `timeout_ms` says, else [`DEFAULT_DEADLINE`]; counted from the arrival of the call.
    Adjustable,
    /// This long, counted from the moment when the call may start.
    Fixed(Duration),
}

/// What a call does.
#[derive(Debug)]
pub enum Action {
    /// Tells who this server is, and which daemon is there.
    Version,
    /// Shows the counters of the daemon, if there is one.
    Stats,
    /// Makes a report about lean-beam itself.
    Feedback(Parameters),
    /// Passes the call on to the daemon.
    Forward(Forward),
}

/// The type of a tool's own arguments, as far as a call needs to know it.
#[derive(Debug)]
pub struct Parameters {
    /// Their names in the order of their declaration.
    pub fields: fn() -> &'static [&'static str],
    /// Their schema.
    pub schema: fn() -> Result<Schema, NotFlat>,
    /// Checks their text; the error names the place.
    pub check: fn(&str) -> Result<(), Fault>,
}

impl Parameters {
    /// The type `P`.
    pub const fn of<P: serde::de::DeserializeOwned + JsonSchema>() -> Self {
        Self {
            fields: fields_of::<P>,
            schema: Schema::of::<P>,
            check: check::<P>,
        }
    }
}

/// An operation of the daemon, with the knowledge of its types that a call needs.
#[derive(Debug)]
pub struct Forward {
    /// Its name on the wire.
    pub op: &'static str,
    /// What it is about.
    pub scope: Scope,
    /// True when it may be repeated on a new daemon.
    pub observational: bool,
    /// True when it waits for all calls before it and holds all calls after it.
    pub is_fence: bool,
    /// True when the project need not exist any more.
    pub takes_vanished_roots: bool,
    /// The type of its parameters.
    pub parameters: Parameters,
    /// Reads a result and writes it again, so that nothing undeclared gets through.
    pub reencode: fn(&str) -> serde_json::Result<String>,
}

/// Parameters that do not fit their type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where, as in `range.start.line`; `.` for the whole.
    pub at: String,
    /// What is wrong.
    pub message: String,
}

impl Forward {
    /// The operation `O`.
    pub const fn to<O>() -> Self
    where
        O: Operation,
        O::Params: JsonSchema,
    {
        Self {
            op: O::NAME,
            scope: O::SCOPE,
            observational: O::OBSERVATIONAL,
            is_fence: false,
            takes_vanished_roots: false,
            parameters: Parameters::of::<O::Params>(),
            reencode: reencode::<O::Output>,
        }
    }

    /// The same, as a fence over the calls of the connection and for projects that may be gone.
    pub const fn as_fence(mut self) -> Self {
        self.is_fence = true;
        self.takes_vanished_roots = true;
        self
    }
}

impl Tool {
    /// True when calls name a project.
    pub fn takes_workspace(&self) -> bool {
        match &self.action {
            Action::Forward(forward) => forward.scope == Scope::Workspace,
            Action::Feedback(_) => true,
            Action::Version | Action::Stats => false,
        }
    }

    /// The type of the arguments of its own, where it has any.
    pub fn parameters(&self) -> Option<&Parameters> {
        match &self.action {
            Action::Forward(forward) => Some(&forward.parameters),
            Action::Feedback(parameters) => Some(parameters),
            Action::Version | Action::Stats => None,
        }
    }

    /// True when a call waits for those before it and holds those after it.
    pub fn is_fence(&self) -> bool {
        matches!(&self.action, Action::Forward(forward) if forward.is_fence)
    }
}

fn check<P: serde::de::DeserializeOwned>(json: &str) -> Result<(), Fault> {
    read(json).map(|_: P| ())
}

fn reencode<T: serde::Serialize + serde::de::DeserializeOwned>(
    json: &str,
) -> serde_json::Result<String> {
    serde_json::from_str::<T>(json).and_then(|value| serde_json::to_string(&value))
}

/// Reads a value; the error names the place.
pub(super) fn read<T: serde::de::DeserializeOwned>(json: &str) -> Result<T, Fault> {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    serde_path_to_error::deserialize(&mut deserializer).map_err(|error| Fault {
        at: error.path().to_string(),
        message: without_position(&error.inner().to_string()).to_owned(),
    })
}

/// The message without the line and column that serde_json adds: they refer to a text nobody sees.
fn without_position(message: &str) -> &str {
    message
        .rfind(" at line ")
        .map_or(message, |end| &message[..end])
}

#[cfg(test)]
mod tests {
    use lean_beam_proto::op;

    use super::*;

    #[test]
    fn a_fault_names_the_place_and_says_what_was_wanted() {
        let sync = Forward::to::<op::Sync>();
        assert_eq!((sync.parameters.check)(r#"{"path":"A.lean"}"#), Ok(()));
        let fault =
            (sync.parameters.check)(r#"{"path":"A.lean","diagnostic_scope":"some"}"#).unwrap_err();
        assert_eq!(fault.at, "diagnostic_scope");
        assert!(fault.message.contains("`errors`"), "{}", fault.message);
        assert!(!fault.message.contains("line"), "{}", fault.message);
    }

    #[test]
    fn a_result_gets_through_in_its_declared_form_only() {
        let close = Forward::to::<op::Close>();
        assert_eq!(
            (close.reencode)(r#"{"was_open":true,"closed":true,"extra":[1]}"#).unwrap(),
            r#"{"closed":true,"was_open":true}"#
        );
        assert!((close.reencode)(r#"{"closed":true}"#).is_err());
    }
}
