//! The final line of a request, and telling the daemon's lines apart.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{
    error::{BeamError, BeamResult},
    event::Event,
    request::WorkspaceRef,
    version::Identity,
};

/// The final line. After it the daemon closes the connection.
#[derive(Debug, Serialize, Deserialize)]
pub struct Response {
    /// The result or the error. Frozen.
    pub response: Outcome,
    /// The project that the answer is about, with its canonical root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<WorkspaceRef>,
    /// Who answered. Frozen.
    pub identity: Identity,
}

/// `{"ok": result}` or `{"error": error}`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The result of the operation.
    Ok(Box<RawValue>),
    /// Why there is none.
    Error(BeamError),
}

impl Outcome {
    /// The raw result, or the error.
    pub fn into_result(self) -> BeamResult<Box<RawValue>> {
        match self {
            Self::Ok(result) => Ok(result),
            Self::Error(error) => Err(error),
        }
    }
}

/// One line of the daemon.
#[derive(Debug)]
pub enum Line {
    /// More follows.
    Event(Event),
    /// The last one.
    Final(Box<Response>),
}

impl Line {
    /// Reads one line.
    ///
    /// # Errors
    /// The line is no JSON, or neither an event nor a response.
    pub fn parse(line: &str) -> Result<Self, serde_json::Error> {
        // The daemon writes `event` first in every event, so the common case needs no second look;
        // the fallback makes the order of keys irrelevant all the same.
        if line.starts_with(r#"{"response""#) {
            return serde_json::from_str(line).map(|response| Self::Final(Box::new(response)));
        }
        #[derive(Deserialize)]
        struct Kind<'a> {
            #[serde(borrow)]
            event: Option<&'a RawValue>,
        }
        if serde_json::from_str::<Kind<'_>>(line)?.event.is_some() {
            serde_json::from_str(line).map(Self::Event)
        } else {
            serde_json::from_str(line).map(|response| Self::Final(Box::new(response)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_and_final_lines_are_told_apart_in_any_key_order() {
        let accepted = Line::parse(r#"{"request_id":"7","event":"accepted"}"#).unwrap();
        assert!(
            matches!(accepted, Line::Event(Event::Accepted { request_id }) if request_id == "7")
        );

        let line = r#"{"identity":{"version":"1","protocol":9,"build":"b","pid":1,"started_ms":0},"response":{"ok":{"x":1}}}"#;
        let Line::Final(response) = Line::parse(line).unwrap() else {
            panic!("not final")
        };
        assert_eq!(response.response.into_result().unwrap().get(), r#"{"x":1}"#);
    }

    #[test]
    fn an_event_of_a_later_version_is_no_error() {
        assert!(matches!(
            Line::parse(r#"{"event":"fireworks","n":3}"#).unwrap(),
            Line::Event(Event::Unknown)
        ));
    }

    #[test]
    fn a_line_that_is_neither_is_an_error() {
        assert!(Line::parse(r#"{"result":1}"#).is_err());
        assert!(Line::parse("null").is_err());
    }
}
