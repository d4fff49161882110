//! The arguments of a call, checked before anything is sent anywhere.

use std::{path::Path, time::Duration};

use lean_beam_proto::{
    BeamError, BeamResult, ErrorCode, op::DiagnosticScope, request::WorkspaceRef,
};
use serde_json::{json, value::RawValue};

use super::{
    input::{Input, TIMEOUT, WORKSPACE},
    tool::{Fault, Tool, read},
};
use crate::jsonrpc::{JsonObject, Members, excerpt};

/// Says that a call is about something that is not public.
const CONFIDENTIAL: &str = "confidential";

/// Arguments that fit their tool. Whether the project exists is still open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arguments {
    /// The project's root as given: absolute.
    pub root: Option<String>,
    /// How long the caller wants to wait, where it said so.
    pub timeout: Option<Duration>,
    /// The operation's parameters as a JSON object.
    pub params: String,
    /// The file that the call is about, for messages.
    pub path: Option<String>,
    /// Which diagnostics are shown while they come in.
    pub diagnostic_scope: DiagnosticScope,
}

impl Arguments {
    /// Reads the arguments of a call of `tool`; absent ones are none.
    ///
    /// # Errors
    /// `invalidInput` naming the field: undeclared, missing, given twice, null or of the wrong type; a
    /// root that is not absolute; a position with neither `character` nor `anchor`.
    pub fn read(tool: &Tool, json: Option<&RawValue>) -> BeamResult<Self> {
        let members = json.and_then(Members::from_json).unwrap_or_default();
        let input = Input::of(tool);
        check_names(tool, input, &members)?;
        let params = operation_params(&members);
        if let Some(parameters) = tool.parameters() {
            (parameters.check)(&params).map_err(|fault| misfit(tool, &members, "", &fault))?;
        }
        Ok(Self {
            root: read_root(tool, &members)?,
            timeout: read_timeout(tool, &members)?,
            params,
            path: optional(&members, "path"),
            diagnostic_scope: optional(&members, "diagnostic_scope").unwrap_or_default(),
        })
    }
}

fn check_names(tool: &Tool, input: &Input, members: &Members<'_>) -> BeamResult<()> {
    if let Some((name, _)) = members.iter().find(|(name, _)| !input.declares(name)) {
        return Err(undeclared(tool, input, name));
    }
    if let Some(name) = members.duplicate() {
        return Err(invalid(tool, name, "occurs twice"));
    }
    if let Some(name) = input.required.iter().find(|name| !members.has(name)) {
        return Err(missing(tool, name));
    }
    if let Some((name, _)) = members.iter().find(|(_, value)| value.get() == "null") {
        return Err(invalid(tool, name, "is null").with_hint("Leave it out, or give it a value."));
    }
    if input.takes_anchor() && !members.has("character") && !members.has("anchor") {
        return Err(invalid(tool, "character", "is missing, and so is `anchor`").with_hint(
            "Give `character`, zero-based in UTF-16 units, or `anchor`, a text that occurs once on the line.",
        ));
    }
    Ok(())
}

/// The members that are the operation's own, as one object.
fn operation_params(members: &Members<'_>) -> String {
    members
        .iter()
        .filter(|(name, _)| ![WORKSPACE, TIMEOUT].contains(name))
        .fold(JsonObject::new(), |object, (name, value)| {
            object.with_raw(name, value.get())
        })
        .finish()
}

fn read_root(tool: &Tool, members: &Members<'_>) -> BeamResult<Option<String>> {
    let Some(json) = members.get(WORKSPACE) else {
        return Ok(None);
    };
    let workspace: WorkspaceRef =
        read(json.get()).map_err(|fault| misfit(tool, members, WORKSPACE, &fault))?;
    if !Path::new(&workspace.root).is_absolute() {
        return Err(
            invalid(tool, "workspace.root", "is not an absolute path").with_hint(
                "Give the full path of the directory that holds the lakefile or lean-toolchain.",
            ),
        );
    }
    Ok(Some(workspace.root))
}

fn read_timeout(tool: &Tool, members: &Members<'_>) -> BeamResult<Option<Duration>> {
    let Some(json) = members.get(TIMEOUT) else {
        return Ok(None);
    };
    let millis: u64 = read(json.get()).map_err(|fault| misfit(tool, members, TIMEOUT, &fault))?;
    if millis == 0 {
        return Err(
            invalid(tool, TIMEOUT, "is zero").with_hint("Give at least 1, in milliseconds.")
        );
    }
    Ok(Some(Duration::from_millis(millis)))
}

fn optional<T: serde::de::DeserializeOwned>(members: &Members<'_>, name: &str) -> Option<T> {
    members
        .get(name)
        .and_then(|json| serde_json::from_str(json.get()).ok())
}

/// `invalidInput` about one field.
pub(crate) fn invalid(tool: &Tool, field: &str, fault: &str) -> BeamError {
    let field = excerpt(field);
    BeamError::new(
        ErrorCode::InvalidInput,
        format!("{}: `{field}` {fault}", tool.name),
    )
    .with_data(json!({ "field": field }))
}

fn undeclared(tool: &Tool, input: &Input, name: &str) -> BeamError {
    let hint = match (
        input.names(),
        tool.takes_workspace() && name.contains("root"),
    ) {
        (names, _) if names.is_empty() => format!("{} takes no arguments.", tool.name),
        (_, true) => "The project goes in `workspace`: {\"root\": \"/absolute/path\"}.".to_owned(),
        (names, false) => format!("{} takes {names}.", tool.name),
    };
    invalid(tool, name, "is not an argument of this tool").with_hint(hint)
}

fn missing(tool: &Tool, name: &str) -> BeamError {
    let error = invalid(tool, name, "is missing");
    match name {
        WORKSPACE => error.with_hint(
            "Every call names its project: `workspace`: {\"root\": \"/absolute/path\"}.",
        ),
        "version" => error.with_hint(
            "Call lean_update or lean_sync on the file and pass the version that it returns.",
        ),
        _ => error,
    }
}

/// `invalidInput` about a value that does not fit its type. `within` is the argument that was read on
/// its own, empty when all of them were. What is said in confidence is not repeated.
fn misfit(tool: &Tool, members: &Members<'_>, within: &str, fault: &Fault) -> BeamError {
    let reason = match members.get(CONFIDENTIAL).map(RawValue::get) {
        Some("true") => "its value has another type or form".into(),
        _ => excerpt(&fault.message),
    };
    let at = match (within, fault.at.as_str()) {
        (within, ".") => within.to_owned(),
        ("", at) => at.to_owned(),
        (within, at) => format!("{within}.{at}"),
    };
    if at.is_empty() {
        let message = format!("{}: {reason}", tool.name);
        return BeamError::new(ErrorCode::InvalidInput, message);
    }
    invalid(tool, &at, &format!("does not fit: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::find;

    const POSITION: &str = r#""workspace":{"root":"/p"},"path":"A.lean","version":3,"line":0"#;

    fn read_call(tool: &str, arguments: &str) -> BeamResult<Arguments> {
        let json: &RawValue = serde_json::from_str(arguments).unwrap();
        Arguments::read(find(tool).unwrap(), Some(json))
    }

    /// The field that the error names.
    fn field(tool: &str, arguments: &str) -> String {
        let error = read_call(tool, arguments).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidInput);
        let field = error.data.unwrap()["field"].as_str().unwrap().to_owned();
        assert!(
            error.message.contains(&format!("`{field}`")),
            "{}",
            error.message
        );
        field
    }

    #[test]
    fn what_is_the_shims_own_is_taken_out_of_the_operations_params() {
        let read = read_call(
            "lean_sync",
            r#"{"path":"A.lean","workspace":{"root":"/p"},"timeout_ms":250,"diagnostic_scope":"all"}"#,
        )
        .unwrap();
        assert_eq!(read.params, r#"{"path":"A.lean","diagnostic_scope":"all"}"#);
        assert_eq!(read.root.as_deref(), Some("/p"));
        assert_eq!(read.timeout, Some(Duration::from_millis(250)));
        assert_eq!(read.path.as_deref(), Some("A.lean"));
        assert_eq!(read.diagnostic_scope, DiagnosticScope::All);
    }

    #[test]
    fn the_error_names_the_field_whatever_is_wrong_with_it() {
        let sync = |rest: &str| format!(r#"{{"workspace":{{"root":"/p"}},"path":"A.lean"{rest}}}"#);
        for (arguments, wanted) in [
            (sync(r#","root":"/p""#), "root"),
            (sync(r#","workspace_id":1"#), "workspace_id"),
            (sync(r#","diagnostic_scope":"some""#), "diagnostic_scope"),
            (
                sync(r#","diagnostics_in_result":"yes""#),
                "diagnostics_in_result",
            ),
            (
                sync(r#","diagnostics_in_result":null"#),
                "diagnostics_in_result",
            ),
            (sync(r#","timeout_ms":0"#), "timeout_ms"),
            (sync(r#","timeout_ms":-1"#), "timeout_ms"),
            (sync(r#","timeout_ms":1.5"#), "timeout_ms"),
            (sync(r#","path":"B.lean""#), "path"),
            (r#"{"path":"A.lean"}"#.to_owned(), "workspace"),
            (r#"{"workspace":{"root":"/p"}}"#.to_owned(), "path"),
            (r#"{"workspace":{"root":"/p"},"path":7}"#.to_owned(), "path"),
            (
                r#"{"workspace":{"root":"p"},"path":"A"}"#.to_owned(),
                "workspace.root",
            ),
            (
                r#"{"workspace":{"root":""},"path":"A"}"#.to_owned(),
                "workspace.root",
            ),
            (
                r#"{"workspace":{"root":7},"path":"A"}"#.to_owned(),
                "workspace.root",
            ),
            (
                r#"{"workspace":{"root":"/p","id":1},"path":"A"}"#.to_owned(),
                "workspace.id",
            ),
            (r#"{"workspace":"/p","path":"A"}"#.to_owned(), "workspace"),
            ("{}".to_owned(), "workspace"),
        ] {
            assert_eq!(field("lean_sync", &arguments), wanted, "{arguments}");
        }
    }

    #[test]
    fn a_position_needs_a_character_or_an_anchor() {
        assert_eq!(field("lean_hover", &format!("{{{POSITION}}}")), "character");
        for rest in [
            r#""character":2"#,
            r#""anchor":"foo""#,
            r#""character":2,"anchor":"foo""#,
        ] {
            read_call("lean_hover", &format!("{{{POSITION},{rest}}}")).unwrap();
        }
        assert_eq!(
            field("lean_hover", &format!(r#"{{{POSITION},"character":-1}}"#)),
            "character"
        );
    }

    #[test]
    fn tools_without_arguments_take_none() {
        read_call("beam_version", "{}").unwrap();
        Arguments::read(find("beam_stats").unwrap(), None).unwrap();
        assert_eq!(
            field("beam_stats", r#"{"workspace":{"root":"/p"}}"#),
            "workspace"
        );
        let hint = read_call("beam_stats", r#"{"x":1}"#)
            .unwrap_err()
            .hint
            .unwrap();
        assert!(hint.contains("no arguments"));
    }

    #[test]
    fn what_is_said_in_confidence_is_not_repeated() {
        let report = |rest: &str| {
            let texts =
                r#""title":"t","summary":"s","reproduction":"r","expected":"e","actual":"a""#;
            let arguments = format!(r#"{{"workspace":{{"root":"/p"}},{texts},{rest}}}"#);
            read_call("beam_feedback_report", &arguments)
        };
        assert!(report(r#""confidential":true"#).is_ok());
        for rest in [r#""kind":"planted""#, r#""request":"planted""#] {
            let message = |rest: &str| report(rest).unwrap_err().message;
            assert!(message(rest).contains("planted"), "{}", message(rest));
            let quiet = message(&format!(r#"{rest},"confidential":true"#));
            assert!(!quiet.contains("planted"), "{quiet}");
        }
    }

    #[test]
    fn hints_say_what_to_do() {
        let hint =
            |tool: &str, arguments: &str| read_call(tool, arguments).unwrap_err().hint.unwrap();
        assert!(hint("lean_sync", r#"{"root":"/p"}"#).contains("`workspace`"));
        assert!(hint("lean_sync", r#"{"file":"x"}"#).contains("`path`"));
        let no_version = r#"{"workspace":{"root":"/p"},"path":"A","line":0}"#;
        assert!(hint("lean_hover", no_version).contains("lean_update"));
    }
}
