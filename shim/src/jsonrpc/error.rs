//! JSON-RPC errors: the request itself is at fault, not what it asked for.

/// The line is no JSON.
pub const PARSE_ERROR: i32 = -32700;
/// The envelope is malformed, or the request does not fit the protocol family of the connection.
pub const INVALID_REQUEST: i32 = -32600;
/// No such method in this family.
pub const METHOD_NOT_FOUND: i32 = -32601;
/// The parameters are malformed.
pub const INVALID_PARAMS: i32 = -32602;
/// A request names a protocol revision that is not supported.
pub const UNSUPPORTED_PROTOCOL_VERSION: i32 = -32022;

/// One JSON-RPC error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RpcError {
    /// One of the constants of this module.
    pub code: i32,
    /// One sentence.
    pub message: String,
    /// JSON for programs.
    pub data: Option<String>,
}

impl RpcError {
    /// An error without data.
    pub fn new(code: i32, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// [`INVALID_REQUEST`] with a message.
    pub fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(INVALID_REQUEST, message)
    }

    /// [`INVALID_PARAMS`] with a message.
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(INVALID_PARAMS, message)
    }

    /// [`METHOD_NOT_FOUND`] for a method.
    pub fn method_not_found(method: &str) -> Self {
        Self::new(
            METHOD_NOT_FOUND,
            format!("there is no method `{}`", super::excerpt(method)),
        )
    }
}
