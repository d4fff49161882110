//! `beam_feedback_report`: a report about lean-beam itself. It starts no daemon and sends nothing anywhere.

use std::path::PathBuf;

use lean_beam_proto::{
    BeamError, BeamResult,
    feedback::{FeedbackParams, Surroundings, report as make_report},
    paths,
    request::WorkspaceRef,
};

use super::{Shared, root};
use crate::{
    jsonrpc::JsonObject,
    protocol::SERVER_NAME,
    tools::{Arguments, Tool, invalid},
};

/// The report as JSON, with its project in front unless it is confidential.
///
/// # Errors
/// The root is no project, a field is impossible, evidence may not be read, or the bundle cannot be written.
pub(super) async fn report(
    tool: &'static Tool,
    arguments: &Arguments,
    shared: &Shared,
) -> BeamResult<String> {
    let params = FeedbackParams::from_json(&arguments.params, false)
        .map_err(|error| in_the_name_of(tool, error))?;
    let given = arguments.root.clone().unwrap_or_default();
    let root = project(tool, given, params.confidential).await?;
    let echoed = (!params.confidential).then(|| WorkspaceRef { root: root.clone() });
    let surroundings = Surroundings {
        program: SERVER_NAME.to_owned(),
        root: Some(PathBuf::from(root)),
        state_dir: paths::state_dir().ok(),
        output_dir: None,
        connector: shared.connector()?.clone(),
    };
    let report = make_report(params, surroundings)
        .await
        .map_err(|error| in_the_name_of(tool, error))?;
    let json = serde_json::to_string(&report)
        .map_err(|error| BeamError::internal(format!("the report has no JSON form: {error}")))?;
    let object = match echoed {
        Some(workspace) => JsonObject::new().with("workspace", &workspace),
        None => JsonObject::new(),
    };
    Ok(object.with_members_of(&json).finish())
}

/// The canonical root. What is wrong with that of a confidential report is said without it.
async fn project(tool: &'static Tool, given: String, confidential: bool) -> BeamResult<String> {
    let check = move || root::existing_project(tool, &given);
    let checked = tokio::task::spawn_blocking(check)
        .await
        .map_err(|failed| BeamError::internal(format!("the root was not checked: {failed}")))?;
    checked.map_err(|error| match confidential {
        true => invalid(
            tool,
            "workspace.root",
            "names no Lean project that can be used",
        )
        .with_hint(
            "Give the full path of the directory that holds the lakefile or lean-toolchain.",
        ),
        false => error,
    })
}

fn in_the_name_of(tool: &Tool, mut error: BeamError) -> BeamError {
    error.message = format!("{}: {}", tool.name, error.message);
    error
}
