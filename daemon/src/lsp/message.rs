//! JSON-RPC messages in both directions.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::encode_frame;

/// Id of a request of ours. Lean's own ids are echoed as they came.
pub(crate) type RequestId = u64;

/// A message from Lean.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// Lean wants an answer.
    Request {
        /// Lean's id, as it stands.
        id: Box<RawValue>,
    },
    /// Lean tells something.
    Notification {
        /// What about.
        method: String,
        /// The content.
        params: Option<Box<RawValue>>,
    },
    /// Lean answers a request of ours.
    Response {
        /// Our id.
        id: RequestId,
        /// The answer.
        result: Result<Box<RawValue>, ResponseError>,
    },
    /// An answer to no request: JSON-RPC sends an error without an id when it could not read one.
    Stray(ResponseError),
}

/// An error answer of Lean.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ResponseError {
    /// JSON-RPC's or Lean's code.
    pub(crate) code: i64,
    /// Lean's text; empty for some.
    #[serde(default)]
    pub(crate) message: String,
}

impl Incoming {
    /// Reads one message.
    ///
    /// # Errors
    /// The body is no JSON object of a known shape.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, serde_json::Error> {
        #[derive(Deserialize)]
        struct Message {
            id: Option<Box<RawValue>>,
            method: Option<String>,
            params: Option<Box<RawValue>>,
            result: Option<Box<RawValue>>,
            error: Option<ResponseError>,
        }
        let message: Message = serde_json::from_slice(body)?;
        match (message.method, message.id) {
            (Some(_), Some(id)) => Ok(Self::Request { id }),
            (Some(method), None) => Ok(Self::Notification {
                method,
                params: message.params,
            }),
            (None, Some(id)) => {
                let id = serde_json::from_str(id.get())?;
                // A `null` result deserialises to `None`.
                let result = match message.error {
                    Some(error) => Err(error),
                    None => Ok(message.result.unwrap_or_else(null)),
                };
                Ok(Self::Response { id, result })
            }
            (None, None) => match message.error {
                Some(error) => Ok(Self::Stray(error)),
                None => Err(serde::de::Error::custom(
                    "neither a request, a notification nor a response",
                )),
            },
        }
    }
}

fn null() -> Box<RawValue> {
    RawValue::NULL.to_owned()
}

/// The frame of a request.
///
/// # Errors
/// `params` have no JSON form.
pub(crate) fn encode_request<P: Serialize + ?Sized>(
    id: RequestId,
    method: &str,
    params: &P,
) -> Result<Vec<u8>, serde_json::Error> {
    #[derive(Serialize)]
    struct Request<'a, P: ?Sized> {
        jsonrpc: &'static str,
        id: RequestId,
        method: &'a str,
        params: &'a P,
    }
    serde_json::to_vec(&Request {
        jsonrpc: "2.0",
        id,
        method,
        params,
    })
    .map(|body| encode_frame(&body))
}

/// The frame of a notification.
///
/// # Errors
/// `params` have no JSON form.
pub(crate) fn encode_notification<P: Serialize + ?Sized>(
    method: &str,
    params: &P,
) -> Result<Vec<u8>, serde_json::Error> {
    #[derive(Serialize)]
    struct Notification<'a, P: ?Sized> {
        jsonrpc: &'static str,
        method: &'a str,
        params: &'a P,
    }
    serde_json::to_vec(&Notification {
        jsonrpc: "2.0",
        method,
        params,
    })
    .map(|body| encode_frame(&body))
}

/// The frame that answers Lean's request `id` with `null`, which accepts whatever it registers or refreshes.
///
/// # Errors
/// None in practice: the id came from JSON.
pub(crate) fn encode_response(id: &RawValue) -> Result<Vec<u8>, serde_json::Error> {
    #[derive(Serialize)]
    struct Response<'a> {
        jsonrpc: &'static str,
        id: &'a RawValue,
        result: (),
    }
    serde_json::to_vec(&Response {
        jsonrpc: "2.0",
        id,
        result: (),
    })
    .map(|body| encode_frame(&body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_null_result_is_a_result() {
        let Incoming::Response {
            id: 3,
            result: Ok(result),
        } = Incoming::parse(br#"{"jsonrpc":"2.0","id":3,"result":null}"#).unwrap()
        else {
            panic!("not a response")
        };
        assert_eq!(result.get(), "null");
    }

    #[test]
    fn ids_of_lean_are_echoed_by_their_own_type() {
        for id in ["\"register_lean_watcher\"", "0", "\"7\""] {
            let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m","params":[1]}}"#);
            let Incoming::Request { id: seen } = Incoming::parse(body.as_bytes()).unwrap() else {
                panic!("not a request")
            };
            let frame = String::from_utf8(encode_response(&seen).unwrap()).unwrap();
            assert!(
                frame.ends_with(&format!(r#""id":{id},"result":null}}"#)),
                "{frame}"
            );
        }
    }

    #[test]
    fn an_error_without_a_readable_id_is_stray() {
        let stray = Incoming::parse(
            br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}"#,
        )
        .unwrap();
        assert!(matches!(
            stray,
            Incoming::Stray(ResponseError { code: -32700, .. })
        ));
    }

    #[test]
    fn what_is_no_message_is_an_error() {
        for body in ["[]", "{}", "1", "{\"id\":1.5,\"result\":1}", "{\"id\":1"] {
            assert!(Incoming::parse(body.as_bytes()).is_err(), "{body}");
        }
    }
}
