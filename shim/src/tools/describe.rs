//! The tools as `tools/list` shows them.

use std::sync::OnceLock;

use super::{input::Input, naming::with_tool_names, table::TOOLS, tool::Tool};
use crate::jsonrpc::JsonObject;

/// Added to the description of every tool that sends progress, because clients look for it there.
const PROGRESS_NOTE: &str = " For live progress set params._meta.progressToken beside arguments.";

/// All tools as a JSON array. The same bytes for every client, family and call.
pub fn list() -> &'static str {
    static LIST: OnceLock<String> = OnceLock::new();
    LIST.get_or_init(|| {
        let tools: Vec<_> = TOOLS.iter().copied().map(describe).collect();
        format!("[{}]", tools.join(","))
    })
}

/// The full description of a tool.
pub fn description(tool: &Tool) -> String {
    let note = if tool.display.preparation {
        PROGRESS_NOTE
    } else {
        ""
    };
    format!("{}{note}", tool.description)
}

fn describe(tool: &Tool) -> String {
    let object = JsonObject::new()
        .with("name", tool.name)
        .with("title", tool.title)
        .with("description", &description(tool))
        .with_raw("inputSchema", &with_tool_names(&Input::of(tool).to_json()));
    match tool.hints.annotations() {
        Some(annotations) => object.with_raw("annotations", annotations),
        None => object,
    }
    .finish()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;
    use crate::tools::{Action, Shape};

    fn listed() -> Vec<Value> {
        serde_json::from_str(list()).unwrap()
    }

    #[test]
    fn every_input_schema_has_the_form_that_all_clients_take() {
        for tool in listed() {
            let name = tool["name"].as_str().unwrap();
            let schema = &tool["inputSchema"];
            assert_eq!(schema["type"], "object", "{name}");
            walk(schema, name);
        }
    }

    fn walk(schema: &Value, at: &str) {
        let keywords = schema
            .as_object()
            .unwrap_or_else(|| panic!("{at}: a boolean schema"));
        for banned in [
            "$ref",
            "$schema",
            "$defs",
            "definitions",
            "anyOf",
            "oneOf",
            "allOf",
            "not",
            "if",
            "then",
            "else",
            "const",
            "nullable",
            "format",
            "title",
            "patternProperties",
        ] {
            assert!(!keywords.contains_key(banned), "{at}: {banned}");
        }
        let kind = schema["type"]
            .as_str()
            .unwrap_or_else(|| panic!("{at}: no single type"));
        assert!(
            ["object", "array", "string", "integer", "number", "boolean"].contains(&kind),
            "{at}: {kind}"
        );
        if kind == "array" {
            walk(&schema["items"], &format!("{at}[]"));
        }
        if let Some(properties) = schema["properties"].as_object() {
            assert_eq!(schema["additionalProperties"], false, "{at} is open");
            for (name, inner) in properties {
                assert!(
                    name.len() <= 64
                        && name
                            .bytes()
                            .all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte)),
                    "{at}: property name {name}"
                );
                assert!(
                    inner["description"].is_string(),
                    "{at}.{name}: no description"
                );
                walk(inner, &format!("{at}.{name}"));
            }
            for required in schema["required"].as_array().into_iter().flatten() {
                assert!(
                    properties.contains_key(required.as_str().unwrap()),
                    "{at}: {required}"
                );
            }
        }
    }

    #[test]
    fn names_are_unique_portable_and_those_of_their_operations() {
        let mut seen = BTreeSet::new();
        for tool in TOOLS {
            assert!(seen.insert(tool.name), "{} twice", tool.name);
            assert!(tool.name.len() <= 32, "{}", tool.name);
            assert!(
                tool.name
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte == b'_' || byte.is_ascii_digit())
            );
            match &tool.action {
                Action::Forward(forward) => assert_eq!(tool.name, format!("lean_{}", forward.op)),
                Action::Stats | Action::Version | Action::Feedback(_) => {
                    assert!(tool.name.starts_with("beam_"));
                }
            }
        }
    }

    #[test]
    fn descriptions_say_the_essentials_first_and_fit() {
        for tool in TOOLS {
            let text = description(tool);
            assert!(text.len() <= 2048, "{}: {} bytes", tool.name, text.len());
            let first_sentence = text.find(['.', ';', '?']).unwrap_or(text.len());
            assert!(
                first_sentence < 200,
                "{}: the first sentence is too long",
                tool.name
            );
            assert!(
                !text.contains("  ") && !text.contains('\n'),
                "{}: stray white space",
                tool.name
            );
            assert_eq!(
                text.contains("progressToken"),
                tool.display.preparation,
                "{}",
                tool.name
            );
        }
    }

    #[test]
    fn read_only_tools_are_those_that_keep_nothing() {
        let read_only: Vec<_> = listed()
            .iter()
            .filter(|tool| tool["annotations"]["readOnlyHint"] == true)
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect();
        let declared = [
            "beam_version",
            "beam_stats",
            "lean_run_at",
            "lean_hover",
            "lean_signature_help",
            "lean_definition",
            "lean_references",
            "lean_document_symbols",
            "lean_workspace_symbols",
            "lean_goals",
            "lean_todo",
            "lean_code_action_resolve",
            "lean_try",
            "lean_term_goal",
            "lean_completions",
            "lean_check_axioms",
        ];
        for tool in TOOLS {
            assert_eq!(
                read_only.iter().any(|name| name == tool.name),
                declared.contains(&tool.name),
                "{}",
                tool.name
            );
        }
    }

    #[test]
    fn other_hints_are_as_declared() {
        for tool in listed() {
            let name = tool["name"].as_str().unwrap();
            let hints = &tool["annotations"];
            let additive = ["lean_run_at_handle", "lean_run_with"].contains(&name);
            let idempotent = ["lean_close", "lean_drop_workspace"].contains(&name);
            assert_eq!(hints["destructiveHint"] == false, additive, "{name}");
            assert_eq!(hints["idempotentHint"] == true, idempotent, "{name}");
        }
    }

    #[test]
    fn arguments_are_listed_in_reading_order_with_the_workspace_first() {
        let input = Input::of(crate::tools::find("lean_hover").unwrap());
        let names: Vec<_> = input
            .properties
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(
            names,
            [
                "workspace",
                "path",
                "version",
                "line",
                "character",
                "anchor",
                "timeout_ms"
            ]
        );
        assert_eq!(input.required, ["workspace", "path", "version", "line"]);
        let stats = Input::of(crate::tools::find("beam_stats").unwrap());
        assert!(stats.properties.is_empty());
    }

    #[test]
    fn every_tool_of_the_table_has_an_input() {
        for tool in TOOLS {
            let input = Input::build(tool).unwrap();
            for (name, schema) in &input.properties {
                let is_open = matches!(&schema.shape, Shape::AnyObject);
                let may_be_open = ["code_action", "request", "response"].contains(&name.as_str());
                assert!(!is_open || may_be_open, "{}.{name} is open", tool.name);
            }
        }
    }
}
