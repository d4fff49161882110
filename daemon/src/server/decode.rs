//! From a line to a request.

use lean_beam_proto::{
    BeamError, BeamResult, ErrorCode, PROTOCOL, VERSION,
    op::{Operation, Ping, Shutdown, Status},
    request::{Envelope, FrozenEnvelope},
};
use serde::Deserialize;
use serde_json::{json, value::RawValue};

/// Longest part of a bad line that is echoed, in characters.
const ECHOED: usize = 80;

/// Reads a request of our protocol, or one of the frozen operations in any protocol.
///
/// # Errors
/// `invalidInput` when the line is no request, `protocolMismatch` when it is one of another protocol.
pub(super) fn decode(line: &str) -> BeamResult<Envelope> {
    let frozen: FrozenEnvelope = serde_json::from_str(line)
        .map_err(|error| not_a_request(line, &error.to_string(), None))?;
    if frozen.protocol == PROTOCOL {
        let mut deserializer = serde_json::Deserializer::from_str(line);
        return serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
            not_a_request(
                line,
                &error.inner().to_string(),
                Some(&error.path().to_string()),
            )
        });
    }
    if [Ping::NAME, Status::NAME, Shutdown::NAME].contains(&frozen.op.as_str()) {
        return Ok(of_another_protocol(line, frozen));
    }
    Err(BeamError::new(
        ErrorCode::ProtocolMismatch,
        format!("the client speaks protocol {}, this daemon (version {VERSION}) speaks {PROTOCOL}", frozen.protocol),
    )
    .with_hint("Run `lean-beam restart` with the newer lean-beam, and start agents anew that were running before an upgrade.")
    .with_data(json!({ "client": frozen.protocol, "daemon": PROTOCOL })))
}

/// Only what is frozen counts in a request of another protocol.
fn of_another_protocol(line: &str, frozen: FrozenEnvelope) -> Envelope {
    #[derive(Deserialize)]
    struct Params {
        params: Option<Box<RawValue>>,
    }
    let params = serde_json::from_str::<Params>(line)
        .ok()
        .and_then(|line| line.params);
    Envelope {
        protocol: frozen.protocol,
        op: frozen.op,
        params,
        client: None,
        workspace: None,
        deadline_ms: None,
        request_id: None,
    }
}

fn not_a_request(line: &str, why: &str, field: Option<&str>) -> BeamError {
    let echoed: String = line.chars().take(ECHOED).collect();
    BeamError::new(ErrorCode::InvalidInput, format!("the line is no request ({why}): {echoed:?}"))
        .with_hint("A request is one JSON object on one line with `protocol` and `op`; docs/protocol.md describes it.")
        .with_data(json!({ "field": field }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_undeclared_field_is_named() {
        let error = decode(r#"{"protocol":1,"op":"ping","colour":1}"#).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidInput);
        assert!(error.message.contains("colour"), "{error}");
    }

    #[test]
    fn frozen_operations_of_any_protocol_are_understood_whatever_else_the_line_holds() {
        let envelope =
            decode(r#"{"protocol":77,"op":"shutdown","params":{"only_if_idle":true},"new":{}}"#)
                .unwrap();
        assert_eq!(
            (envelope.op.as_str(), envelope.params.unwrap().get()),
            ("shutdown", r#"{"only_if_idle":true}"#)
        );
        let error = decode(r#"{"protocol":77,"op":"sync"}"#).unwrap_err();
        assert_eq!(error.code, ErrorCode::ProtocolMismatch);
        assert_eq!(
            error.data.unwrap(),
            json!({ "client": 77, "daemon": PROTOCOL })
        );
    }

    #[test]
    fn garbage_is_echoed_shortly() {
        for line in [
            "",
            "GET / HTTP/1.1",
            "[]",
            "{\"op\":\"ping\"}",
            &"x".repeat(10_000),
        ] {
            let error = decode(line).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidInput);
            assert!(error.message.len() < 400);
        }
    }
}
