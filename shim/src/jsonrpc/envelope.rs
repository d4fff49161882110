//! One line of the client, checked down to its params.

use serde_json::value::RawValue;

use super::{Members, PARSE_ERROR, RequestId, RpcError, excerpt};

/// What a line holds.
#[derive(Debug)]
pub enum Message<'a> {
    /// Nothing but white space. It is skipped.
    Blank,
    /// A request, which is answered exactly once.
    Request {
        /// Its id.
        id: RequestId,
        /// What is wanted.
        method: String,
        /// Its parameters, perhaps none.
        params: Members<'a>,
    },
    /// A notification, which is never answered.
    Notification {
        /// What happened.
        method: String,
        /// Its parameters, perhaps none.
        params: Members<'a>,
    },
    /// Something that is neither.
    Rejected {
        /// The id, where it could be read and is the client's own.
        id: Option<RequestId>,
        /// What is wrong with it.
        error: RpcError,
    },
}

/// Reads one line without its end.
pub fn read_message(line: &[u8]) -> Message<'_> {
    let Ok(text) = std::str::from_utf8(line) else {
        return Message::rejected(None, RpcError::new(PARSE_ERROR, "the line is not UTF-8"));
    };
    let text = text.trim_matches([' ', '\t', '\r', '\n']);
    if text.is_empty() {
        return Message::Blank;
    }
    let value: &RawValue = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => {
            let message = format!("the line is not JSON: {error}");
            return Message::rejected(None, RpcError::new(PARSE_ERROR, message));
        }
    };
    match value.get().as_bytes().first() {
        Some(b'{') => match Members::from_json(value) {
            Some(members) => read_envelope(&members),
            None => Message::rejected(
                None,
                RpcError::new(PARSE_ERROR, "a member's name is not Unicode text"),
            ),
        },
        Some(b'[') => Message::invalid(None, "batches are not supported"),
        _ => Message::invalid(None, "a message is an object"),
    }
}

fn read_envelope<'a>(members: &Members<'a>) -> Message<'a> {
    let duplicate = members.duplicate();
    if duplicate == Some("id") {
        return Message::invalid(None, "the member `id` occurs twice");
    }
    let is_response = members.has("result") || members.has("error");
    if is_response && !members.has("method") {
        // The id, if any, belongs to the requests of a server, and this one sends none.
        return Message::invalid(
            None,
            "this server sends no requests, so it takes no responses",
        );
    }
    let id = match members.get("id").map(RequestId::from_json) {
        None => None,
        Some(Some(id)) => Some(id),
        Some(None) => return Message::invalid(None, "an id is a string or an integer"),
    };
    if let Some(name) = duplicate {
        let message = format!("the member `{}` occurs twice", excerpt(name));
        return Message::invalid(id, message);
    }
    if members.get("jsonrpc").map(RawValue::get) != Some("\"2.0\"") {
        return Message::invalid(id, "the member `jsonrpc` must be \"2.0\"");
    }
    if let Some(name) = members.first_undeclared(&["jsonrpc", "id", "method", "params"]) {
        let message = format!("the member `{}` is not known", excerpt(name));
        return Message::invalid(id, message);
    }
    let Some(method) = members
        .get("method")
        .and_then(|json| serde_json::from_str::<String>(json.get()).ok())
    else {
        return Message::invalid(id, "the member `method` must be a string");
    };
    match read_params(members.get("params")) {
        Ok(params) => match id {
            Some(id) => Message::Request { id, method, params },
            None => Message::Notification { method, params },
        },
        Err(error) => Message::rejected(id, error),
    }
}

fn read_params(json: Option<&RawValue>) -> Result<Members<'_>, RpcError> {
    let Some(json) = json else {
        return Ok(Members::default());
    };
    let params = Members::from_json(json)
        .ok_or_else(|| RpcError::invalid_params("`params` must be an object"))?;
    match params.duplicate() {
        Some(name) => Err(RpcError::invalid_params(format!(
            "`params.{}` occurs twice",
            excerpt(name)
        ))),
        None => Ok(params),
    }
}

impl Message<'_> {
    fn rejected(id: Option<RequestId>, error: RpcError) -> Self {
        Self::Rejected { id, error }
    }

    fn invalid(id: Option<RequestId>, message: impl Into<String>) -> Self {
        Self::rejected(id, RpcError::invalid_request(message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jsonrpc::{INVALID_PARAMS, INVALID_REQUEST};

    /// Id (as JSON) and code of a rejection.
    fn rejection(line: &str) -> (Option<String>, i32) {
        match read_message(line.as_bytes()) {
            Message::Rejected { id, error } => (id.map(|id| id.to_json()), error.code),
            other => panic!("{line} was taken: {other:?}"),
        }
    }

    fn with_id(id: &str, code: i32) -> (Option<String>, i32) {
        (Some(id.to_owned()), code)
    }

    #[test]
    fn a_request_and_a_notification_differ_by_their_id_alone() {
        let line = br#"{"method":"m","params":{"a":1},"id":0,"jsonrpc":"2.0"}"#;
        let Message::Request { id, method, params } = read_message(line) else {
            panic!("no request")
        };
        assert_eq!((id.to_json().as_str(), method.as_str()), ("0", "m"));
        assert_eq!(params.get("a").unwrap().get(), "1");
        assert!(matches!(
            read_message(b"{\"jsonrpc\":\"2.0\",\"method\":\"m\"}\r"),
            Message::Notification { .. }
        ));
    }

    #[test]
    fn what_is_no_json_is_a_parse_error_without_id() {
        for line in [
            "{bad",
            "{\"id\":1",
            "{} {}",
            "nul",
            "{\"a\":\"\\ud8",
            "\u{feff}{}",
        ] {
            assert_eq!(rejection(line), (None, PARSE_ERROR), "{line}");
        }
        assert!(matches!(
            read_message(b"{\"id\":\"\xff\"}"),
            Message::Rejected { id: None, error } if error.code == PARSE_ERROR
        ));
    }

    #[test]
    fn json_that_is_no_object_is_an_invalid_request_without_id() {
        for line in [
            "[]",
            r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
            "7",
            "null",
            "\"x\"",
        ] {
            assert_eq!(rejection(line), (None, INVALID_REQUEST), "{line}");
        }
    }

    #[test]
    fn an_illegal_or_ambiguous_id_is_never_echoed() {
        for id in ["null", "true", "1.5", "{}", "[1]"] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
            assert_eq!(rejection(&line), (None, INVALID_REQUEST), "{id}");
        }
        let twice = r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#;
        assert_eq!(rejection(twice), (None, INVALID_REQUEST));
    }

    #[test]
    fn a_response_is_refused_without_its_id() {
        for line in [
            r#"{"jsonrpc":"2.0","id":5,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":5,"error":{"code":1,"message":"x"}}"#,
            r#"{"result":{}}"#,
        ] {
            assert_eq!(rejection(line), (None, INVALID_REQUEST), "{line}");
        }
    }

    #[test]
    fn a_readable_id_comes_back_with_every_other_fault_of_the_envelope() {
        for line in [
            r#"{"id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":2.0,"id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","extra":1}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}"#,
        ] {
            assert_eq!(rejection(line), with_id("1", INVALID_REQUEST), "{line}");
        }
    }

    #[test]
    fn params_must_be_an_object_without_repetition() {
        for params in ["[]", "null", "1", "\"x\"", r#"{"name":"a","name":"b"}"#] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":"q","method":"m","params":{params}}}"#);
            assert_eq!(
                rejection(&line),
                with_id("\"q\"", INVALID_PARAMS),
                "{params}"
            );
        }
    }

    #[test]
    fn blank_lines_are_nothing() {
        for line in ["", " \t", "\r"] {
            assert!(matches!(read_message(line.as_bytes()), Message::Blank));
        }
    }

    #[test]
    fn depth_is_no_danger() {
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{{"x":{}{}}}}}"#,
            "[".repeat(1_000_000),
            "]".repeat(1_000_000)
        );
        assert!(matches!(
            read_message(line.as_bytes()),
            Message::Request { .. }
        ));
    }
}
