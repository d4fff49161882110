//! `docs/mcp.md` tells about exactly the tools that there are, with examples that work.

use std::collections::BTreeSet;

use lean_beam_mcp::tools::{Action, Arguments, TOOLS};
use serde_json::{Value, value::RawValue};

const DOCUMENT: &str = include_str!("../../docs/mcp.md");

/// The text from a tool's heading to the next heading.
fn section(tool: &str) -> Option<&'static str> {
    let heading = format!("\n### {tool}\n");
    let start = DOCUMENT.find(&heading)? + heading.len();
    let rest = &DOCUMENT[start..];
    Some(&rest[..rest.find("\n##").unwrap_or(rest.len())])
}

/// The JSON blocks of a section.
fn examples(section: &str) -> Vec<&str> {
    section
        .split("```json\n")
        .skip(1)
        .filter_map(|rest| rest.split("\n```").next())
        .collect()
}

#[test]
fn every_tool_has_a_section_in_the_order_of_the_list_and_no_other_has() {
    let headings: Vec<_> = DOCUMENT
        .lines()
        .filter_map(|line| line.strip_prefix("### "))
        .collect();
    let tools: Vec<_> = TOOLS.iter().map(|tool| tool.name).collect();
    assert_eq!(headings, tools);
}

#[test]
fn the_examples_have_the_shapes_of_their_tools() {
    for tool in TOOLS {
        let section = section(tool.name).unwrap();
        let [arguments, result] = examples(section)[..] else {
            panic!("{}: not two examples", tool.name)
        };
        let json: &RawValue = serde_json::from_str(arguments).unwrap();
        Arguments::read(tool, Some(json)).unwrap();
        let mut result: Value = serde_json::from_str(result).unwrap();
        let members = result.as_object_mut().unwrap();
        if let Action::Forward(forward) = &tool.action {
            assert!(members.remove("workspace").is_some(), "{}", tool.name);
            let again = (forward.reencode)(&result.to_string()).unwrap();
            let again: Value = serde_json::from_str(&again).unwrap();
            assert_eq!(again, result, "{}: not the declared shape", tool.name);
        }
    }
}

#[test]
fn the_display_matrix_has_each_tool_once() {
    let start = DOCUMENT
        .find("| tool | with a token | without | diagnostics as logs |")
        .unwrap();
    let table = DOCUMENT[start..].split("\n\n").next().unwrap();
    let named: Vec<_> = table
        .lines()
        .skip(2)
        .filter_map(|row| row.split('|').nth(1))
        .flat_map(|cell| cell.split(','))
        .map(|name| name.trim().trim_matches('`'))
        .collect();
    let unique: BTreeSet<_> = named.iter().copied().collect();
    assert_eq!(unique.len(), named.len(), "a tool twice: {named:?}");
    assert_eq!(unique, TOOLS.iter().map(|tool| tool.name).collect());
}
