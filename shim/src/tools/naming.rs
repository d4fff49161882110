//! Operations go by other names here than elsewhere, so what is written about them is adapted.

use super::{table::TOOLS, tool::Action};

/// `text` with the names of operations, where they stand in backticks, as those of their tools.
pub fn with_tool_names(text: &str) -> String {
    let mut text = text.to_owned();
    for tool in TOOLS {
        if let Action::Forward(forward) = &tool.action {
            text = text.replace(&format!("`{}`", forward.op), &format!("`{}`", tool.name));
        }
    }
    text
}

/// The tool for the operation of this name.
pub fn tool_of(op: &str) -> Option<&'static str> {
    let is_it = |action: &Action| matches!(action, Action::Forward(forward) if forward.op == op);
    let tool = TOOLS.iter().find(|tool| is_it(&tool.action))?;
    Some(tool.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_become_tools_and_other_words_stay() {
        assert_eq!(
            with_tool_names("from `update` or `sync`, as `path` says; sync it"),
            "from `lean_update` or `lean_sync`, as `path` says; sync it"
        );
    }
}
