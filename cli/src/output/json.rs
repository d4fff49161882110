//! One compact JSON object on one line.

use std::io;

use lean_beam_proto::{BeamError, client::Answer, request::WorkspaceRef};
use serde::Serialize;

/// A result with the project that it is about.
#[derive(Debug, Serialize)]
pub(super) struct Success<'a, T> {
    #[serde(skip_serializing_if = "Option::is_none")]
    workspace: Option<&'a WorkspaceRef>,
    #[serde(flatten)]
    output: &'a T,
}

impl<'a, T> Success<'a, T> {
    pub(super) fn of(answer: &'a Answer<T>) -> Self {
        Self {
            workspace: answer.workspace.as_ref(),
            output: &answer.output,
        }
    }
}

/// `value` on a line.
///
/// # Errors
/// It has no JSON form.
pub(super) fn line<T: Serialize>(value: &T) -> io::Result<String> {
    let mut line = serde_json::to_string(value)?;
    line.push('\n');
    Ok(line)
}

/// `{"error": {"code", "message", "hint", "data"}}` on a line, hint and data only where there are any.
///
/// # Errors
/// It has no JSON form.
pub(super) fn failure(error: &BeamError) -> io::Result<String> {
    #[derive(Serialize)]
    struct Failure<'a> {
        error: &'a BeamError,
    }
    line(&Failure { error })
}

#[cfg(test)]
mod tests {
    use lean_beam_proto::{ErrorCode, Identity, op};

    use super::*;

    fn answer<T>(output: T, root: Option<&str>) -> Answer<T> {
        Answer {
            output,
            workspace: root.map(|root| WorkspaceRef {
                root: root.to_owned(),
            }),
            identity: Identity::of_this_process(0),
        }
    }

    #[test]
    fn the_project_comes_first_and_the_result_follows_flat() {
        let update = op::UpdateResult {
            path: "A\nB.lean".to_owned(),
            version: 2,
            changed: true,
        };
        assert_eq!(
            line(&Success::of(&answer(update, Some("/p")))).unwrap(),
            "{\"workspace\":{\"root\":\"/p\"},\"path\":\"A\\nB.lean\",\"version\":2,\"changed\":true}\n"
        );
    }

    #[test]
    fn an_empty_result_is_an_empty_object() {
        assert_eq!(
            line(&Success::of(&answer(op::Empty {}, None))).unwrap(),
            "{}\n"
        );
    }

    #[test]
    fn a_failure_is_one_object_too() {
        let error = BeamError::new(ErrorCode::WorkerCrashed, "m").with_hint("h");
        assert_eq!(
            failure(&error).unwrap(),
            "{\"error\":{\"code\":\"workerCrashed\",\"message\":\"m\",\"hint\":\"h\"}}\n"
        );
    }
}
