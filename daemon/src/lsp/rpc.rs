//! Lean's own remote procedure calls: sessions with a worker, and references that it keeps for us.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{method, types::LspPosition};

/// Parameters of `$/lean/rpc/connect`.
#[derive(Debug, Serialize)]
pub(crate) struct RpcConnect<'a> {
    pub(crate) uri: &'a str,
}

/// Answer to `$/lean/rpc/connect`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RpcConnected {
    pub(crate) session_id: String,
}

/// Parameters of `$/lean/rpc/keepAlive`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RpcKeepAlive<'a> {
    pub(crate) uri: &'a str,
    pub(crate) session_id: &'a str,
}

/// Parameters of `$/lean/rpc/release`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RpcRelease<'a> {
    pub(crate) uri: &'a str,
    pub(crate) session_id: &'a str,
    pub(crate) refs: &'a [RpcReference<'a>],
}

/// Parameters of `$/lean/rpc/call`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RpcCall<'a, P> {
    session_id: &'a str,
    text_document: Document<'a>,
    position: LspPosition,
    method: &'static str,
    params: &'a P,
}

#[derive(Debug, Serialize)]
struct Document<'a> {
    uri: &'a str,
}

impl<'a, P> RpcCall<'a, P> {
    /// A call of the procedure `method`, which is looked up in the environment at `position`.
    pub(crate) fn new(
        session_id: &'a str,
        uri: &'a str,
        position: LspPosition,
        method: &'static str,
        params: &'a P,
    ) -> Self {
        Self {
            session_id,
            text_document: Document { uri },
            position,
            method,
            params,
        }
    }
}

/// An object that the worker keeps until it is released, in either of the two forms that Lean sends.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum RpcReference<'a> {
    /// The form of wire format `v1`.
    Current {
        #[serde(rename = "__rpcref")]
        number: std::borrow::Cow<'a, str>,
    },
    /// The form of Lean versions that do not know `v1`.
    Old { p: std::borrow::Cow<'a, str> },
}

/// Every reference in an answer.
pub(crate) fn references(answer: &RawValue) -> Vec<RpcReference<'_>> {
    Strings::of(answer)
        .filter_map(|(key, value)| match key?.as_ref() {
            "__rpcref" => Some(RpcReference::Current { number: value }),
            "p" => Some(RpcReference::Old { p: value }),
            _ => None,
        })
        .collect()
}

/// The text of Lean's tagged text, without its tags.
///
/// Tagged text is nested as deep as the term that it shows, which is more than a recursive reader may
/// follow, so it is read as a flat sequence of strings.
pub(crate) fn plain_text(tagged: &RawValue) -> String {
    Strings::of(tagged)
        .filter(|(key, _)| key.as_deref() == Some("text"))
        .map(|(_, value)| value)
        .collect()
}

/// The strings of a JSON value that are no keys, each with the key right before it.
struct Strings<'a> {
    rest: &'a str,
    key: Option<std::borrow::Cow<'a, str>>,
}

impl<'a> Strings<'a> {
    fn of(value: &'a RawValue) -> Self {
        Self {
            rest: value.get(),
            key: None,
        }
    }

    /// The next string, and whether a colon follows it.
    fn next_string(&mut self) -> Option<(std::borrow::Cow<'a, str>, bool)> {
        let start = self.rest.find('"')?;
        // What is between two strings besides white space ends the reach of a key.
        if self.rest[..start]
            .contains(|character: char| !character.is_ascii_whitespace() && character != ':')
        {
            self.key = None;
        }
        let bytes = self.rest.as_bytes();
        let mut end = start + 1;
        while *bytes.get(end)? != b'"' {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        let literal = self.rest.get(start..=end)?;
        self.rest = &self.rest[end + 1..];
        let is_key = self.rest.trim_ascii_start().starts_with(':');
        Some((unescape(literal)?, is_key))
    }
}

impl<'a> Iterator for Strings<'a> {
    type Item = (Option<std::borrow::Cow<'a, str>>, std::borrow::Cow<'a, str>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (string, is_key) = self.next_string()?;
            if is_key {
                self.key = Some(string);
            } else {
                return Some((self.key.take(), string));
            }
        }
    }
}

fn unescape(literal: &str) -> Option<std::borrow::Cow<'_, str>> {
    if literal.contains('\\') {
        serde_json::from_str::<String>(literal).ok().map(Into::into)
    } else {
        literal.get(1..literal.len() - 1).map(Into::into)
    }
}

/// Names of the procedures in use.
pub(crate) mod procedure {
    pub(crate) const INTERACTIVE_GOALS: &str = "Lean.Widget.getInteractiveGoals";
    pub(crate) const INTERACTIVE_TERM_GOAL: &str = "Lean.Widget.getInteractiveTermGoal";
}

/// True when an error means that the worker does not know the session (any more).
pub(crate) fn is_outdated_session(code: i64) -> bool {
    code == method::code::RPC_NEEDS_RECONNECT
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).unwrap()
    }

    #[test]
    fn text_is_what_stands_between_the_tags() {
        let tagged = raw(
            r#"{"tag":[{"diffStatus":"wasChanged","info":{"__rpcref":"7"},"subexprPos":"/1"},
                {"append":[{"text":"\"a\\"},{"tag":[{"info":{"p":"8"},"subexprPos":"/"},{"text":" \u2227\n"}]},{"text":"text"}]}]}"#,
        );
        assert_eq!(plain_text(&tagged), "\"a\\ ∧\ntext");
        assert_eq!(
            references(&tagged),
            [
                RpcReference::Current { number: "7".into() },
                RpcReference::Old { p: "8".into() }
            ]
        );
    }

    #[test]
    fn names_that_look_like_keys_are_not_taken_for_them() {
        let answer =
            raw(r#"{"names":["p","text","__rpcref"],"a":["x"],"text":[],"b":"y","userName":"p"}"#);
        assert_eq!(references(&answer), []);
        assert_eq!(plain_text(&answer), "");
    }

    #[test]
    fn deep_nesting_is_no_obstacle() {
        let deep = format!(
            "{}{{\"text\":\"x\"}}{}",
            r#"{"append":["#.repeat(20_000),
            "]}".repeat(20_000)
        );
        assert_eq!(plain_text(&raw(&deep)), "x");
    }

    #[test]
    fn references_go_back_in_the_form_in_which_they_came() {
        let refs = [
            RpcReference::Current { number: "7".into() },
            RpcReference::Old { p: "8".into() },
        ];
        assert_eq!(
            serde_json::to_string(&refs).unwrap(),
            r#"[{"__rpcref":"7"},{"p":"8"}]"#
        );
    }
}
