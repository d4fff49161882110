//! Which rules a message meets.

use serde_json::Value;

use super::scenario::{Action, Rule};

/// The rules of a scenario with how often each was met.
#[derive(Debug)]
pub(super) struct Rules {
    rules: Vec<(Rule, u64)>,
}

impl Rules {
    pub(super) fn new(rules: Vec<Rule>) -> Self {
        Self {
            rules: rules.into_iter().map(|rule| (rule, 0)).collect(),
        }
    }

    /// Counts `message` and gives what is to be done about it.
    pub(super) fn actions_for(&mut self, message: &Value) -> Vec<Action> {
        let mut actions = Vec::new();
        for (rule, count) in &mut self.rules {
            if !fits(rule, message) {
                continue;
            }
            *count += 1;
            if rule.when.covers(*count) {
                actions.extend(rule.then.iter().cloned());
            }
        }
        actions
    }
}

fn fits(rule: &Rule, message: &Value) -> bool {
    let method = message["method"].as_str().unwrap_or_default();
    let right_method = rule.on == "*" || rule.on == method;
    let right_uri = rule
        .uri
        .as_ref()
        .is_none_or(|part| uri_of(message).is_some_and(|uri| uri.contains(part)));
    right_method && right_uri
}

/// The document that a message is about.
pub(super) fn uri_of(message: &Value) -> Option<&str> {
    let params = message.get("params")?;
    params
        .get("textDocument")
        .and_then(|document| document.get("uri"))
        .or_else(|| params.get("uri"))?
        .as_str()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fake::scenario::Occurrence;

    #[test]
    fn a_rule_counts_only_the_messages_that_fit_it() {
        let mut rules = Rules::new(vec![
            Rule::on("textDocument/hover", [Action::Mute])
                .about("B.lean")
                .when(Occurrence::Only(2)),
        ]);
        let hover = |file: &str| json!({"method": "textDocument/hover", "params": {"textDocument": {"uri": file}}});
        assert!(rules.actions_for(&hover("file:///B.lean")).is_empty());
        assert!(rules.actions_for(&hover("file:///A.lean")).is_empty());
        assert!(rules.actions_for(&json!({"method": "exit"})).is_empty());
        assert_eq!(rules.actions_for(&hover("file:///B.lean")), [Action::Mute]);
        assert!(rules.actions_for(&hover("file:///B.lean")).is_empty());
    }
}
