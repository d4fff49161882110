//! JSON-RPC 2.0 as MCP uses it: exact ids, closed envelopes, one object per line.

mod envelope;
mod error;
mod id;
mod members;
mod object;

pub use envelope::{Message, read_message};
pub use error::{
    INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR, RpcError,
    UNSUPPORTED_PROTOCOL_VERSION,
};
pub use id::RequestId;
pub use members::Members;
pub use object::JsonObject;

/// Most characters of the client's own text that an error message repeats.
const EXCERPT_CHARACTERS: usize = 80;

/// The line of a successful response, without its newline. `result` is JSON.
pub fn result_line(id: &RequestId, result: &str) -> String {
    JsonObject::new()
        .with("jsonrpc", "2.0")
        .with_raw("id", &id.to_json())
        .with_raw("result", result)
        .finish()
}

/// The line of an error response, without its newline. It has no `id` where none could be read.
pub fn error_line(id: Option<&RequestId>, error: &RpcError) -> String {
    let mut body = JsonObject::new()
        .with("code", &error.code)
        .with("message", &error.message);
    if let Some(data) = &error.data {
        body = body.with_raw("data", data);
    }
    let mut line = JsonObject::new().with("jsonrpc", "2.0");
    if let Some(id) = id {
        line = line.with_raw("id", &id.to_json());
    }
    line.with_raw("error", &body.finish()).finish()
}

/// The line of a notification, without its newline. `params` is JSON.
pub fn notification_line(method: &str, params: &str) -> String {
    JsonObject::new()
        .with("jsonrpc", "2.0")
        .with("method", method)
        .with_raw("params", params)
        .finish()
}

/// `text` as a JSON string.
pub fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The start of a text of the client, short enough to be repeated in a message.
pub fn excerpt(text: &str) -> std::borrow::Cow<'_, str> {
    match text.char_indices().nth(EXCERPT_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_members_of_their_kind_and_no_others() {
        let id = RequestId::Text("a".into());
        assert_eq!(
            result_line(&id, "{}"),
            r#"{"jsonrpc":"2.0","id":"a","result":{}}"#
        );
        assert_eq!(
            error_line(None, &RpcError::new(PARSE_ERROR, "no")),
            r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}"#
        );
        assert_eq!(
            notification_line("notifications/progress", r#"{"progress":1}"#),
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}"#
        );
    }

    #[test]
    fn a_long_text_is_repeated_in_part_only() {
        assert_eq!(excerpt("short"), "short");
        assert_eq!(
            excerpt(&"é".repeat(200)).chars().count(),
            EXCERPT_CHARACTERS + 1
        );
    }
}
