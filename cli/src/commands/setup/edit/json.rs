//! One entry of one object in a JSON file that belongs to somebody else: added or removed in its text, so that
//! everything else keeps its bytes, comments included.

use serde::Serialize as _;
use serde_json::{Map, Value, json, ser::PrettyFormatter};

use super::scan::{Fault, Member, Node, document, end_of_last_comment};

/// The entry `name` of the member `container`.
pub(in crate::commands::setup) fn find(
    text: &str,
    container: &str,
    name: &str,
) -> Result<Option<Value>, Fault> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let root = document(text)?;
    let entry = root
        .member(container)
        .and_then(|container| container.node.member(name));
    Ok(entry.map(|entry| entry.node.value.clone()))
}

/// The text with the members of `entry` in the entry `name` of the member `container`. Further members of an
/// entry that is there already stay.
pub(in crate::commands::setup) fn insert(
    text: &str,
    container: &str,
    name: &str,
    entry: &Map<String, Value>,
) -> Result<String, Fault> {
    if text.trim().is_empty() {
        let whole = json!({ container: { name: entry } });
        return Ok(format!("{}\n", pretty(&whole, "  ", "\n", "")));
    }
    let root = document(text)?;
    let style = Style::of(text, &root);
    let Some(parent) = root.member(container) else {
        let value = json!({ name: entry });
        return Ok(style.add(&root, container, &value));
    };
    if !parent.node.value.is_object() {
        let message = format!("`{container}` is not an object");
        return Err(Fault::at(text, parent.start, message));
    }
    let Some(present) = parent.node.member(name) else {
        let value = Value::Object(entry.clone());
        return Ok(style.add(&parent.node, name, &value));
    };
    let mut merged = present.node.value.as_object().cloned().unwrap_or_default();
    merged.extend(entry.clone());
    let merged = Value::Object(merged);
    if merged == present.node.value {
        return Ok(text.to_owned());
    }
    Ok(style.replace(&parent.node, present, &merged))
}

/// The text without the entry `name` of the member `container`.
pub(in crate::commands::setup) fn remove(
    text: &str,
    container: &str,
    name: &str,
) -> Result<String, Fault> {
    if text.trim().is_empty() {
        return Ok(text.to_owned());
    }
    let root = document(text)?;
    let Some(parent) = root.member(container).map(|member| &member.node) else {
        return Ok(text.to_owned());
    };
    let Some(index) = parent.members.iter().position(|member| member.name == name) else {
        return Ok(text.to_owned());
    };
    Ok(without(text, parent, index))
}

fn without(text: &str, parent: &Node, index: usize) -> String {
    let member = &parent.members[index];
    let before = index.checked_sub(1).map(|index| &parent.members[index]);
    let after_previous = before.map_or(parent.start + 1, |before| {
        before.comma.unwrap_or(before.node.end)
    });
    let start = end_of_last_comment(text, after_previous, member.start);
    let end = member.comma.unwrap_or(member.node.end);
    let is_last = index + 1 == parent.members.len();
    let mut result = text.to_owned();
    result.replace_range(start..end, "");
    // Ours had no comma behind it, so the one before it separated the two.
    if let Some(comma) = before.and_then(|before| before.comma)
        && is_last
        && member.comma.is_none()
    {
        result.replace_range(comma - 1..comma, "");
    }
    if parent.members.len() == 1 {
        let inside = start..start + (parent.end - 1 - end);
        if result[parent.start + 1..inside.end].trim().is_empty() {
            result.replace_range(parent.start + 1..inside.end, "");
        }
    }
    result
}

/// How a file is laid out.
struct Style<'a> {
    text: &'a str,
    unit: String,
    newline: &'static str,
}

impl<'a> Style<'a> {
    fn of(text: &'a str, root: &Node) -> Self {
        let unit = root
            .members
            .first()
            .and_then(|member| own_line(text, member.start))
            .filter(|indent| !indent.is_empty());
        Self {
            text,
            unit: unit.unwrap_or("  ").to_owned(),
            newline: if text.contains("\r\n") { "\r\n" } else { "\n" },
        }
    }

    /// Adds a member at the end of `object`.
    fn add(&self, object: &Node, name: &str, value: &Value) -> String {
        let inside = &self.text[object.start + 1..object.end - 1];
        let Some(last) = object.members.last() else {
            return self.fill(object, name, value);
        };
        if !inside.contains('\n') {
            let member = format!("{}: {value}", json!(name));
            return self.add_behind(last, object, " ", &member);
        }
        let indent = self.indent(object);
        let member = self.member(name, value, &indent);
        self.add_behind(last, object, &format!("{}{indent}", self.newline), &member)
    }

    fn add_behind(&self, last: &Member, object: &Node, gap: &str, member: &str) -> String {
        let from = last.comma.unwrap_or(last.node.end);
        let place = end_of_last_comment(self.text, from, object.end - 1);
        let mut result = self.text.to_owned();
        let comma = if last.comma.is_some() { "," } else { "" };
        result.insert_str(place, &format!("{gap}{member}{comma}"));
        if last.comma.is_none() {
            result.insert(last.node.end, ',');
        }
        result
    }

    /// The first member of an empty object.
    fn fill(&self, object: &Node, name: &str, value: &Value) -> String {
        let indent = self.indent(object);
        let outer = line_indent(self.text, object.start);
        let member = self.member(name, value, &indent);
        let place = end_of_last_comment(self.text, object.start + 1, object.end - 1);
        let newline = self.newline;
        let mut result = self.text.to_owned();
        result.replace_range(
            place..object.end - 1,
            &format!("{newline}{indent}{member}{newline}{outer}"),
        );
        result
    }

    fn replace(&self, object: &Node, member: &Member, value: &Value) -> String {
        let indent =
            own_line(self.text, member.start).map_or_else(|| self.indent(object), str::to_owned);
        let mut result = self.text.to_owned();
        let is_inline = !self.text[object.start..object.end].contains('\n');
        let shown = if is_inline {
            value.to_string()
        } else {
            pretty(value, &self.unit, self.newline, &indent)
        };
        result.replace_range(member.node.start..member.node.end, &shown);
        result
    }

    /// The indentation of members of `object`.
    fn indent(&self, object: &Node) -> String {
        let seen = object
            .members
            .last()
            .and_then(|member| own_line(self.text, member.start));
        match seen {
            Some(indent) => indent.to_owned(),
            None => format!("{}{}", line_indent(self.text, object.start), self.unit),
        }
    }

    fn member(&self, name: &str, value: &Value, indent: &str) -> String {
        let value = pretty(value, &self.unit, self.newline, indent);
        format!("{}: {value}", json!(name))
    }
}

/// The white space before `at`, when there is nothing else on its line.
fn own_line(text: &str, at: usize) -> Option<&str> {
    let start = text[..at].rfind('\n')? + 1;
    let before = &text[start..at];
    before.trim().is_empty().then_some(before)
}

/// The white space at the beginning of the line of `at`.
fn line_indent(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = &text[start..at];
    &line[..line.len() - line.trim_start().len()]
}

fn pretty(value: &Value, unit: &str, newline: &str, indent: &str) -> String {
    let mut bytes = Vec::new();
    let formatter = PrettyFormatter::with_indent(unit.as_bytes());
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
    match value.serialize(&mut serializer) {
        Ok(()) => String::from_utf8_lossy(&bytes).replace('\n', &format!("{newline}{indent}")),
        // A value in memory always has a form; the compact one cannot fail.
        Err(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> Map<String, Value> {
        let Value::Object(entry) = json!({ "command": "/bin/x", "args": [] }) else {
            unreachable!()
        };
        entry
    }

    fn added(text: &str) -> String {
        let result = insert(text, "servers", "ours", &entry()).unwrap();
        assert_eq!(
            find(&result, "servers", "ours").unwrap(),
            Some(Value::Object(entry())),
            "{result}"
        );
        let again = insert(&result, "servers", "ours", &entry()).unwrap();
        assert_eq!(again, result, "a second time changes nothing");
        result
    }

    #[test]
    fn a_missing_file_gets_the_entry_alone() {
        assert_eq!(
            added(""),
            "{\n  \"servers\": {\n    \"ours\": {\n      \"args\": [],\n      \"command\": \"/bin/x\"\n    }\n  }\n}\n"
        );
    }

    #[test]
    fn every_other_byte_stays_and_removing_gives_the_file_back() {
        let cases = [
            "{\n  \"servers\": {\n    \"other\": {\"a\": 1}\n  },\n  \"z\": [1, 2]\n}\n",
            "{\n\t\"servers\": {\n\t\t\"other\": {}, // mine\n\t\t\"more\": null // last\n\t}\n}",
            "// head\n{ /* c */\n  \"servers\": {\n    \"other\": 1,\n    /* tail */\n  },\n}\n",
            "{\"servers\":{\"other\":1},\"b\":\"}\\\"{\"}",
            "\u{feff}{\r\n    \"servers\": {\r\n        \"other\": 1\r\n    }\r\n}\r\n",
        ];
        for text in cases {
            let with = added(text);
            assert_eq!(remove(&with, "servers", "ours").unwrap(), text, "{with}");
        }
    }

    #[test]
    fn an_entry_in_the_middle_goes_with_its_own_comma() {
        let text = "{\n  \"servers\": {\n    \"a\": 1,\n    \"ours\": {},\n    \"b\": 2\n  }\n}";
        assert_eq!(
            remove(text, "servers", "ours").unwrap(),
            "{\n  \"servers\": {\n    \"a\": 1,\n    \"b\": 2\n  }\n}"
        );
        let text = "{\n  \"servers\": {\n    \"ours\": {},\n    \"b\": 2\n  }\n}";
        assert_eq!(
            remove(text, "servers", "ours").unwrap(),
            "{\n  \"servers\": {\n    \"b\": 2\n  }\n}"
        );
    }

    #[test]
    fn the_layout_is_that_of_the_file() {
        assert_eq!(
            added("{\n    \"a\": 1\n}\n"),
            "{\n    \"a\": 1,\n    \"servers\": {\n        \"ours\": {\n            \"args\": [],\n            \"command\": \"/bin/x\"\n        }\n    }\n}\n"
        );
        assert_eq!(
            added("{\"servers\": {\"a\": 1}}"),
            "{\"servers\": {\"a\": 1, \"ours\": {\"args\":[],\"command\":\"/bin/x\"}}}"
        );
        assert!(added("{}").contains("\n  \"servers\": {"));
        assert!(added("{\n  \"servers\": {}\n}").contains("\n    \"ours\": {"));
    }

    #[test]
    fn further_members_of_our_entry_stay() {
        let text =
            "{\n  \"servers\": {\n    \"ours\": {\"command\": \"/old\", \"timeout\": 9}\n  }\n}\n";
        let result = added_over(text);
        let found = find(&result, "servers", "ours").unwrap().unwrap();
        assert_eq!(found["timeout"], 9);
        assert_eq!(found["command"], "/bin/x");
    }

    fn added_over(text: &str) -> String {
        insert(text, "servers", "ours", &entry()).unwrap()
    }

    #[test]
    fn what_is_not_understood_is_left_alone() {
        for text in [
            "{",
            "[]",
            "{\"a\":1 \"b\":2}",
            "{\"a\":}",
            "{} x",
            "{\"a\":1,\"a\":2}",
            "{\"a\": \"x}",
            "/* ",
        ] {
            assert!(insert(text, "servers", "ours", &entry()).is_err(), "{text}");
            assert!(remove(text, "servers", "ours").is_err(), "{text}");
        }
        let deep = format!("{}1{}", "{\"a\":".repeat(4000), "}".repeat(4000));
        assert!(insert(&deep, "servers", "ours", &entry()).is_err());
    }

    #[test]
    fn a_file_without_our_entry_is_not_changed_by_removing_it() {
        for text in ["", "{}", "{\"servers\": {\"a\": 1}}", "{\"servers\": 7}"] {
            assert_eq!(remove(text, "servers", "ours").unwrap(), text);
        }
    }
}
