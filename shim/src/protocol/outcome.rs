//! What became of a call, and the line that says so.

use lean_beam_proto::{BeamError, ErrorCode};
use serde_json::Value;

use super::{family::Family, identity::modern_result};
use crate::{
    bound::bounded,
    jsonrpc::{JsonObject, RequestId, result_line},
    tools::{tool_of, with_tool_names},
};

/// Most characters of a result, about: what agents can take in at once.
pub const MAX_RESULT_CHARACTERS: usize = 40_000;

/// Most characters of an error. Clients cut the text of errors earlier than that of results.
const MAX_ERROR_CHARACTERS: usize = 10_000;

/// The result of a tool call, good or bad.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallOutcome {
    json: String,
    is_error: bool,
}

impl CallOutcome {
    /// A call that worked. `json` is the result, an object; `remedy` says how to get what is left out
    /// when it is too large.
    pub fn succeeded(json: String, remedy: &str) -> Self {
        Self {
            json: bounded(json, MAX_RESULT_CHARACTERS, remedy),
            is_error: false,
        }
    }

    /// A call that failed.
    pub fn failed(error: &BeamError) -> Self {
        let mut error = error.clone();
        error.hint = error.hint.as_deref().map(with_tool_names);
        error.data.iter_mut().for_each(name_tools_of_plan);
        let json = serde_json::to_string(&error).unwrap_or_else(|_| {
            // The data alone can resist; code and message are plain texts.
            let code = ErrorCode::InternalError;
            JsonObject::new()
                .with("code", &code)
                .with("message", &error.message)
                .finish()
        });
        Self {
            json: bounded(json, MAX_ERROR_CHARACTERS, ""),
            is_error: true,
        }
    }

    /// The result as JSON, an object; for a failed call, the error.
    pub fn json(&self) -> &str {
        &self.json
    }

    /// True for a failed call.
    pub fn is_error(&self) -> bool {
        self.is_error
    }

    /// The response to request `id`. The structured content and the text are the same JSON, because
    /// clients show their model one or the other.
    pub(super) fn into_line(self, id: &RequestId, family: Family) -> String {
        let text = JsonObject::new()
            .with("type", "text")
            .with("text", &self.json);
        let mut result = JsonObject::new()
            .with_raw("content", &format!("[{}]", text.finish()))
            .with_raw("structuredContent", &self.json);
        if self.is_error {
            result = result.with("isError", &true);
        }
        let result = match family {
            Family::Modern => modern_result(result),
            Family::Legacy { .. } | Family::Undecided => result.finish(),
        };
        result_line(id, &result)
    }
}

/// The calls that mend a failure are those that this client can make: `tool` in place of `op`.
fn name_tools_of_plan(data: &mut Value) {
    let steps = data.get_mut("recovery_plan").and_then(Value::as_array_mut);
    for step in steps.into_iter().flatten().filter_map(Value::as_object_mut) {
        let tool = step.get("op").and_then(Value::as_str).and_then(tool_of);
        if let Some(tool) = tool {
            step.remove("op");
            step.insert("tool".to_owned(), tool.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(outcome: CallOutcome, family: Family) -> Value {
        let id = RequestId::Integer("1".into());
        serde_json::from_str(&outcome.into_line(&id, family)).unwrap()
    }

    #[test]
    fn structured_content_and_text_are_the_same_json() {
        let outcome =
            CallOutcome::succeeded(r#"{"workspace":{"root":"/p"},"a":"x\"y"}"#.to_owned(), "");
        let result = &line(outcome, Family::Modern)["result"];
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(
            serde_json::from_str::<Value>(text).unwrap(),
            result["structuredContent"]
        );
        assert!(result.get("isError").is_none());
        assert_eq!(result["resultType"], "complete");
        assert!(result["_meta"]["io.modelcontextprotocol/serverInfo"].is_object());
        assert!(result.get("ttlMs").is_none() && result.get("cacheScope").is_none());
    }

    #[test]
    fn a_failure_is_a_result_with_code_message_hint_and_data() {
        let error = BeamError::new(ErrorCode::InvalidInput, "no")
            .with_hint("try")
            .with_data(serde_json::json!({"field": "x"}));
        let result = &line(CallOutcome::failed(&error), Family::Legacy { ready: true })["result"];
        assert_eq!(result["isError"], true);
        assert_eq!(
            result["structuredContent"],
            serde_json::json!({"code": "invalidInput", "message": "no", "hint": "try", "data": {"field": "x"}})
        );
        for member in ["resultType", "_meta"] {
            assert!(result.get(member).is_none(), "{member} in a legacy result");
        }
    }

    #[test]
    fn the_calls_of_a_plan_are_tools() {
        let plan = |name: &str| serde_json::json!({"recovery_plan": [{name: "lean_save", "path": "B.lean"}, {"op": "fly"}]});
        let error = BeamError::new(ErrorCode::SyncBarrierIncomplete, "no").with_data(
            serde_json::json!({"recovery_plan": [{"op": "save", "path": "B.lean"}, {"op": "fly"}]}),
        );
        let result = &line(CallOutcome::failed(&error), Family::Modern)["result"];
        assert_eq!(result["structuredContent"]["data"], plan("tool"));
    }
}
