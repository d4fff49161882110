//! One raw request, its answer line by line.

use std::io::{self, IsTerminal as _};

use lean_beam_proto::{
    BeamError, ClientInfo, ErrorCode,
    client::Connector,
    request::{Envelope, WorkspaceRef},
    response::{Line, Outcome as Verdict},
};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{
    app::{App, Failure, Outcome},
    args::RequestArgs,
    exit_code::Exit,
    input,
};

/// An envelope of which only the operation has to be there.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    op: String,
    #[serde(default)]
    params: Option<Box<RawValue>>,
    #[serde(default)]
    protocol: Option<u32>,
    #[serde(default)]
    client: Option<ClientInfo>,
    #[serde(default)]
    workspace: Option<WorkspaceRef>,
    #[serde(default)]
    deadline_ms: Option<u64>,
    #[serde(default)]
    request_id: Option<String>,
}

/// Sends the request and prints each line of the answer as it comes.
pub(super) async fn request(app: &App, args: RequestArgs) -> Outcome {
    let given = match args.request {
        Some(request) => Given::parse(&request, args.params.as_deref()),
        None => Given::parse(&standard_input().await?, None),
    };
    let given = given.map_err(Failure::Usage)?;
    let connector = app.connector()?;
    let envelope = fill_in(app, given, &connector);
    let mut call = connector.ensure().await?.send_raw(&envelope).await?;
    let mut exit = Exit::Ok;
    while let Some((text, line)) = call.next_line().await? {
        app.output.raw(&format!("{text}\n"))?;
        if let Line::Final(response) = line
            && let Verdict::Error(error) = response.response
        {
            exit = Exit::of(&error);
        }
    }
    Ok(exit)
}

impl Given {
    /// The whole envelope, or the name of an operation with its parameters.
    fn parse(request: &str, params: Option<&str>) -> Result<Self, BeamError> {
        if request.trim().is_empty() {
            return Err(invalid("the request is empty".to_owned()));
        }
        if request.trim_start().starts_with('{') {
            if params.is_some() {
                return Err(invalid("an envelope brings its own parameters".to_owned()));
            }
            return serde_json::from_str(request)
                .map_err(|error| invalid(format!("this is no request: {error}")));
        }
        let params = params
            .map(serde_json::from_str)
            .transpose()
            .map_err(|error| invalid(format!("the parameters are no JSON: {error}")))?;
        Ok(Self {
            op: request.trim().to_owned(),
            params,
            ..Self::default()
        })
    }
}

/// A project is named where there is one; operations about the daemon do not look at it.
fn fill_in(app: &App, given: Given, connector: &Connector) -> Envelope {
    let root = || {
        let root = app.project().ok()?.to_str()?.to_owned();
        Some(WorkspaceRef { root })
    };
    let timeout = app.deadline();
    Envelope {
        protocol: given.protocol.unwrap_or(connector.protocol()),
        op: given.op,
        params: given.params,
        client: given.client.or_else(|| Some(connector.client().clone())),
        workspace: given.workspace.or_else(root),
        deadline_ms: given
            .deadline_ms
            .or_else(|| timeout.and_then(|timeout| u64::try_from(timeout.as_millis()).ok())),
        request_id: given.request_id,
    }
}

/// An envelope is not typed by hand, so a terminal means that somebody forgot it.
async fn standard_input() -> Result<String, Failure> {
    if io::stdin().is_terminal() {
        return Err(Failure::Usage(invalid(
            "there is no request: name an operation, or send an envelope on standard input"
                .to_owned(),
        )));
    }
    input::standard_input().await
}

fn invalid(message: String) -> BeamError {
    BeamError::new(ErrorCode::InvalidInput, message)
        .with_hint("`lean-beam request --help` shows how to write one.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_a_name_or_an_envelope() {
        let named = Given::parse("sync", Some(r#"{"path":"A.lean"}"#)).unwrap();
        assert_eq!(
            (named.op.as_str(), named.params.unwrap().get()),
            ("sync", r#"{"path":"A.lean"}"#)
        );
        let whole = Given::parse(r#" {"op":"ping","protocol":9,"request_id":"x"}"#, None).unwrap();
        assert_eq!((whole.op.as_str(), whole.protocol), ("ping", Some(9)));
    }

    #[test]
    fn what_is_no_request_is_refused_before_anything_is_asked() {
        for (request, params) in [
            ("{", None),
            ("\n", None),
            (r#"{"params":{}}"#, None),
            (r#"{"op":"ping","oops":1}"#, None),
            (r#"{"op":"ping"}"#, Some("{}")),
            ("ping", Some("{")),
        ] {
            let error = Given::parse(request, params).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidInput, "{request}");
        }
    }
}
