//! `params._meta`: what a request says about itself. It is read per request and never kept.

use serde_json::value::RawValue;

use super::level::LogLevel;
use crate::jsonrpc::{Members, RpcError, UNSUPPORTED_PROTOCOL_VERSION, excerpt, json_string};

/// The revision whose requests carry their own metadata.
pub const MODERN_REVISION: &str = "2026-07-28";

const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
const MODERN_KEYS: [&str; 4] = [
    PROTOCOL_VERSION,
    CLIENT_CAPABILITIES,
    CLIENT_INFO,
    LOG_LEVEL,
];

/// Marks the progress notifications of one request: a string or a number, kept as the client wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgressToken(Box<str>);

impl ProgressToken {
    /// The token as JSON.
    pub fn as_json(&self) -> &str {
        &self.0
    }

    fn from_json(json: &RawValue) -> Option<Self> {
        let text = json.get();
        let is_token = if text.starts_with('"') {
            serde_json::from_str::<String>(text).is_ok()
        } else {
            serde_json::from_str::<serde_json::Number>(text).is_ok()
        };
        is_token.then(|| Self(text.into()))
    }
}

/// The metadata of one request.
#[derive(Debug, Default)]
pub struct Meta<'a> {
    members: Members<'a>,
    /// Where progress notifications are wanted.
    pub progress_token: Option<ProgressToken>,
}

impl<'a> Meta<'a> {
    /// Reads what both families share. Unknown keys are nobody's business.
    ///
    /// # Errors
    /// `_meta` is no object or names a key twice, or the progress token is neither string nor number.
    pub fn of(params: &Members<'a>) -> Result<Self, RpcError> {
        let Some(json) = params.get("_meta") else {
            return Ok(Self::default());
        };
        let members = Members::from_json(json)
            .ok_or_else(|| RpcError::invalid_params("`_meta` must be an object"))?;
        if let Some(name) = members.duplicate() {
            let message = format!("`_meta.{}` occurs twice", excerpt(name));
            return Err(RpcError::invalid_params(message));
        }
        let progress_token = match members.get("progressToken").map(ProgressToken::from_json) {
            Some(None) => {
                return Err(RpcError::invalid_params(
                    "`_meta.progressToken` must be a string or a number",
                ));
            }
            Some(token) => token,
            None => None,
        };
        Ok(Self {
            members,
            progress_token,
        })
    }

    /// True when any of the keys of the modern family is there, valid or not.
    pub fn is_modern(&self) -> bool {
        MODERN_KEYS.iter().any(|key| self.members.has(key))
    }

    /// Checks what the modern family asks of every request.
    ///
    /// # Errors
    /// A required key is missing or malformed, an optional one is malformed, or the revision is not
    /// [`MODERN_REVISION`].
    pub fn validate_modern(&self) -> Result<ModernMeta, RpcError> {
        let requested = self.required_revision()?;
        match self.members.get(CLIENT_CAPABILITIES) {
            Some(json) if is_object(json) => {}
            Some(_) => return Err(malformed(CLIENT_CAPABILITIES, "an object")),
            None => return Err(missing(CLIENT_CAPABILITIES)),
        }
        if requested != MODERN_REVISION {
            return Err(unsupported_revision(&requested));
        }
        if let Some(json) = self.members.get(CLIENT_INFO)
            && !is_implementation(json)
        {
            return Err(malformed(
                CLIENT_INFO,
                "an object with `name` and `version`",
            ));
        }
        let log_level = match self.members.get(LOG_LEVEL).map(LogLevel::from_json) {
            Some(None) => return Err(malformed(LOG_LEVEL, "a log level")),
            Some(level) => level,
            None => None,
        };
        Ok(ModernMeta { log_level })
    }

    fn required_revision(&self) -> Result<String, RpcError> {
        let json = self
            .members
            .get(PROTOCOL_VERSION)
            .ok_or_else(|| missing(PROTOCOL_VERSION))?;
        serde_json::from_str(json.get()).map_err(|_| malformed(PROTOCOL_VERSION, "a string"))
    }
}

/// What a valid modern request says that matters later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModernMeta {
    /// Log notifications at this level or graver are wanted. `None` wants none at all.
    pub log_level: Option<LogLevel>,
}

/// True for the description of a program: an object with a `name` and a `version`, both strings.
pub(super) fn is_implementation(json: &RawValue) -> bool {
    Members::from_json(json).is_some_and(|members| {
        ["name", "version"].into_iter().all(|name| {
            members
                .get(name)
                .is_some_and(|value| serde_json::from_str::<String>(value.get()).is_ok())
        })
    })
}

/// True for a JSON object.
pub(super) fn is_object(json: &RawValue) -> bool {
    json.get().starts_with('{')
}

fn missing(key: &str) -> RpcError {
    RpcError::invalid_params(format!("`_meta[\"{key}\"]` is required on every request"))
}

fn malformed(key: &str, wanted: &str) -> RpcError {
    RpcError::invalid_params(format!("`_meta[\"{key}\"]` must be {wanted}"))
}

fn unsupported_revision(requested: &str) -> RpcError {
    RpcError {
        code: UNSUPPORTED_PROTOCOL_VERSION,
        message: format!(
            "protocol revision `{}` is not supported",
            excerpt(requested)
        ),
        data: Some(format!(
            r#"{{"supported":["{MODERN_REVISION}"],"requested":{}}}"#,
            json_string(requested)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jsonrpc::INVALID_PARAMS;

    const VALID: &str = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}"#;

    fn validate(meta: &str) -> Result<ModernMeta, RpcError> {
        let params = format!(r#"{{"_meta":{meta}}}"#);
        let members = Members::from_text(&params).unwrap();
        Meta::of(&members)?.validate_modern()
    }

    fn code(meta: &str) -> i32 {
        validate(meta).unwrap_err().code
    }

    #[test]
    fn version_and_capabilities_are_enough() {
        assert_eq!(
            validate(&format!("{{{VALID}}}")),
            Ok(ModernMeta { log_level: None })
        );
        let level =
            format!(r#"{{{VALID},"io.modelcontextprotocol/logLevel":"notice","threadId":7}}"#);
        assert_eq!(validate(&level).unwrap().log_level, Some(LogLevel::Notice));
    }

    #[test]
    fn a_missing_or_malformed_key_is_invalid_params() {
        for meta in [
            "{}".to_owned(),
            r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#.to_owned(),
            r#"{"io.modelcontextprotocol/clientCapabilities":{}}"#.to_owned(),
            r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":[]}"#.to_owned(),
            r#"{"io.modelcontextprotocol/protocolVersion":7,"io.modelcontextprotocol/clientCapabilities":{}}"#.to_owned(),
            format!(r#"{{{VALID},"io.modelcontextprotocol/clientInfo":{{"name":"x"}}}}"#),
            format!(r#"{{{VALID},"io.modelcontextprotocol/clientInfo":{{"name":"x","version":1}}}}"#),
            format!(r#"{{{VALID},"io.modelcontextprotocol/clientInfo":"x"}}"#),
            format!(r#"{{{VALID},"io.modelcontextprotocol/logLevel":"loud"}}"#),
            format!(r#"{{{VALID},"progressToken":null}}"#),
            format!(r#"{{{VALID},"progressToken":true}}"#),
            format!("{{{VALID},{VALID}}}"),
            "[]".to_owned(),
            "7".to_owned(),
        ] {
            assert_eq!(code(&meta), INVALID_PARAMS, "{meta}");
        }
    }

    #[test]
    fn another_revision_is_named_with_those_that_work() {
        let error = validate(
            r#"{"io.modelcontextprotocol/protocolVersion":"2099-01-01","io.modelcontextprotocol/clientCapabilities":{}}"#,
        )
        .unwrap_err();
        assert_eq!(error.code, UNSUPPORTED_PROTOCOL_VERSION);
        assert_eq!(
            error.data.unwrap(),
            r#"{"supported":["2026-07-28"],"requested":"2099-01-01"}"#
        );
    }

    #[test]
    fn a_token_is_kept_as_it_was_written() {
        for token in ["\"a\"", "0", "1.10", "-7", "1e2", "123456789012345678"] {
            let params = format!(r#"{{"_meta":{{"progressToken": {token} }}}}"#);
            let members = Members::from_text(&params).unwrap();
            let read = Meta::of(&members).unwrap().progress_token.unwrap();
            assert_eq!(read.as_json(), token);
        }
    }
}
