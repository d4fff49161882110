//! From a request to its outcome: its place in the table, its workspace, its operation.

use lean_beam_proto::{
    BeamError, BeamResult, ErrorCode,
    op::{Cancel, DropWorkspace, Operation, Ping, Scope, Shutdown, Stats, Status, scope_of},
    request::{Envelope, WorkspaceRef},
};
use serde_json::value::RawValue;

use crate::{
    control::{Admission, Requester, Services},
    ops::{EventSink, Observed, OpContext, run},
    workspace::WorkspaceHandle,
};

/// Operations that are served even when the table of requests is full, and that are no use of the daemon: whoever
/// watches it does not keep it.
const EXEMPT: [&str; 5] = [
    Ping::NAME,
    Status::NAME,
    Stats::NAME,
    Shutdown::NAME,
    Cancel::NAME,
];

/// Takes a request in.
///
/// # Errors
/// See `RequestTable::admit`.
pub(super) fn admit(envelope: &Envelope, services: &Services) -> BeamResult<Admission> {
    services.requests.admit(Requester {
        op: envelope.op.clone(),
        client: envelope
            .client
            .as_ref()
            .map(|client| format!("{} {}", client.name, client.version)),
        root: envelope
            .workspace
            .as_ref()
            .map(|workspace| workspace.root.clone()),
        request_id: envelope.request_id.clone(),
        is_exempt: EXEMPT.contains(&envelope.op.as_str()),
    })
}

/// What comes of a request, and the canonical name of its workspace.
pub(super) struct Outcome {
    pub(super) result: BeamResult<Box<RawValue>>,
    pub(super) workspace: Option<WorkspaceRef>,
}

/// Runs a request to its end.
pub(super) async fn dispatch(
    envelope: &Envelope,
    services: &Services,
    admission: &Admission,
    events: EventSink,
    observed: &Observed,
) -> Outcome {
    let workspace = match workspace_of(envelope, services).await {
        Ok(workspace) => workspace,
        Err(error) => {
            return Outcome {
                result: Err(error),
                workspace: None,
            };
        }
    };
    // In use until the operation is over, so that it is not unloaded meanwhile.
    let _lease = workspace.as_ref().map(WorkspaceHandle::lease);
    let reference = workspace
        .as_ref()
        .map(WorkspaceHandle::reference)
        .or_else(|| dropped_reference(envelope));
    let context = OpContext::new(services, admission, events, observed, workspace);
    let result = run(&envelope.op, envelope.params.as_deref(), &context).await;
    Outcome {
        result,
        workspace: reference,
    }
}

async fn workspace_of(
    envelope: &Envelope,
    services: &Services,
) -> BeamResult<Option<WorkspaceHandle>> {
    if scope_of(&envelope.op) != Some(Scope::Workspace) {
        return Ok(None);
    }
    let Some(reference) = &envelope.workspace else {
        return Err(BeamError::new(
            ErrorCode::InvalidInput,
            format!("`{}` needs a workspace", envelope.op),
        )
        .with_hint("Add `\"workspace\": {\"root\": \"/absolute/path\"}` to the request."));
    };
    if envelope.op == DropWorkspace::NAME {
        return Ok(services.broker.existing(&reference.root).await);
    }
    services.broker.workspace(&reference.root).await.map(Some)
}

/// A drop of a workspace that does not exist names the root as it was given.
fn dropped_reference(envelope: &Envelope) -> Option<WorkspaceRef> {
    (envelope.op == DropWorkspace::NAME)
        .then(|| envelope.workspace.clone())
        .flatten()
}
