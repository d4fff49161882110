//! A client on the other end of the pure protocol.

use lean_beam_mcp::protocol::{CallOutcome, Effect, Line, Order, Protocol};
use serde_json::{Value, json};

pub(crate) const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
pub(crate) const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
pub(crate) const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
pub(crate) const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
pub(crate) const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// Both protocol families, for rules that hold in both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    Legacy,
    Modern,
}

pub(crate) const ERAS: [Era; 2] = [Era::Legacy, Era::Modern];

/// One connection.
pub(crate) struct Wire {
    pub(crate) protocol: Protocol,
    era: Option<Era>,
}

impl Wire {
    /// Nothing said yet.
    pub(crate) fn fresh() -> Self {
        Self {
            protocol: Protocol::new(),
            era: None,
        }
    }

    /// A connection whose family is settled.
    pub(crate) fn of(era: Era) -> Self {
        let mut wire = Self::fresh();
        wire.era = Some(era);
        match era {
            Era::Legacy => {
                assert!(wire.request(initialize("2025-11-25"))["result"].is_object());
                wire.nothing(notification("notifications/initialized", json!({})));
            }
            Era::Modern => {
                assert!(
                    wire.request(modern("settle", "tools/list", json!({})))["result"].is_object()
                );
            }
        }
        wire
    }

    /// Sends one line of text.
    pub(crate) fn line(&mut self, text: &str) -> Vec<Effect> {
        self.protocol.receive(Line::Whole(text.as_bytes()))
    }

    /// Sends a message.
    pub(crate) fn send(&mut self, message: Value) -> Vec<Effect> {
        self.line(&message.to_string())
    }

    /// Sends a message that is answered at once, with exactly one line.
    #[track_caller]
    pub(crate) fn request(&mut self, message: Value) -> Value {
        only_reply(self.send(message))
    }

    /// Sends a message that has no effect at all.
    #[track_caller]
    pub(crate) fn nothing(&mut self, message: Value) {
        let effects = self.send(message);
        assert!(effects.is_empty(), "{effects:?}");
    }

    /// A request in this connection's family.
    pub(crate) fn compose(&self, id: impl Into<Value>, method: &str, params: Value) -> Value {
        match self.era {
            Some(Era::Legacy) => legacy(id, method, params),
            _ => modern(id, method, params),
        }
    }

    /// Sends a request in this connection's family that is answered at once.
    #[track_caller]
    pub(crate) fn ask(&mut self, id: impl Into<Value>, method: &str, params: Value) -> Value {
        let message = self.compose(id, method, params);
        self.request(message)
    }

    /// Sends a tool call that is taken in.
    #[track_caller]
    pub(crate) fn call(&mut self, id: impl Into<Value>, tool: &str) -> Order {
        let arguments = match tool {
            "beam_version" | "beam_stats" => json!({}),
            "lean_drop_workspace" => json!({"workspace": {"root": "/p"}}),
            _ => json!({"workspace": {"root": "/p"}, "path": "A.lean"}),
        };
        self.call_with(id, json!({"name": tool, "arguments": arguments}))
    }

    /// As [`Wire::call`], with these params.
    #[track_caller]
    pub(crate) fn call_with(&mut self, id: impl Into<Value>, params: Value) -> Order {
        let message = self.compose(id, "tools/call", params);
        started(self.send(message))
    }

    /// The call worked; gives its line.
    pub(crate) fn complete(&mut self, order: &Order) -> Option<Value> {
        let outcome = CallOutcome::succeeded("{\"ok\":true}".to_owned(), "");
        let line = self.protocol.complete(order.admission, outcome)?;
        Some(serde_json::from_str(&line).unwrap())
    }

    /// The call's line was written; gives the calls that may start now.
    pub(crate) fn end(&mut self, order: &Order) -> Vec<Effect> {
        self.protocol.end(order.admission)
    }
}

/// A request that carries its own metadata.
pub(crate) fn modern(id: impl Into<Value>, method: &str, mut params: Value) -> Value {
    let meta = json!({PROTOCOL_VERSION: "2026-07-28", CLIENT_CAPABILITIES: {}});
    let slot = &mut params["_meta"];
    if slot.is_null() {
        *slot = json!({});
    }
    for (key, value) in meta.as_object().unwrap() {
        if slot.get(key).is_none() {
            slot[key] = value.clone();
        }
    }
    legacy(id, method, params)
}

/// A request without anything of the modern family.
pub(crate) fn legacy(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

pub(crate) fn notification(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

pub(crate) fn initialize(revision: &str) -> Value {
    let params = json!({
        "protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    });
    legacy("init", "initialize", params)
}

pub(crate) fn cancelled(id: impl Into<Value>) -> Value {
    notification("notifications/cancelled", json!({"requestId": id.into()}))
}

#[track_caller]
pub(crate) fn only_reply(effects: Vec<Effect>) -> Value {
    match effects.as_slice() {
        [Effect::Reply(line)] => serde_json::from_str(line).unwrap(),
        _ => panic!("not one reply: {effects:?}"),
    }
}

#[track_caller]
pub(crate) fn started(mut effects: Vec<Effect>) -> Order {
    match (effects.pop(), effects.len()) {
        (Some(Effect::Start(order)), 0) => *order,
        (last, _) => panic!("not one call: {effects:?} {last:?}"),
    }
}

/// The code of an error reply.
#[track_caller]
pub(crate) fn code(reply: &Value) -> i64 {
    reply["error"]["code"]
        .as_i64()
        .unwrap_or_else(|| panic!("no error: {reply}"))
}
