//! A JSON value that keeps the order of its members.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};
use serde_json::Value;

use crate::jsonrpc::json_string;

/// One value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Tree {
    /// A number, a boolean or null, as JSON.
    Scalar(String),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Tree>),
    /// An object.
    Object(Vec<(String, Tree)>),
}

impl Tree {
    /// Reads a value.
    pub(super) fn parse(json: &str) -> serde_json::Result<Self> {
        serde_json::from_str(json)
    }

    /// How many characters the value has as compact JSON.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Scalar(text) => text.chars().count(),
            Self::Text(text) => text_size(text),
            Self::List(items) => {
                let inside: usize = items.iter().map(|item| item.size() + 1).sum();
                inside.max(1) + 1
            }
            Self::Object(members) => {
                let member = |(name, value): &(String, Self)| text_size(name) + value.size() + 2;
                members.iter().map(member).sum::<usize>().max(1) + 1
            }
        }
    }

    /// The value as compact JSON.
    pub(super) fn to_json(&self) -> String {
        let mut json = String::new();
        self.write(&mut json);
        json
    }

    /// The member of an object.
    pub(super) fn member(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members
                .iter()
                .find(|(key, _)| key == name)
                .map(|(_, value)| value),
            _ => None,
        }
    }

    /// Sets a member of an object, in its old place or as the last one.
    pub(super) fn set_member(&mut self, name: &str, value: Self) {
        let Self::Object(members) = self else { return };
        match members.iter_mut().find(|(key, _)| key == name) {
            Some((_, old)) => *old = value,
            None => members.push((name.to_owned(), value)),
        }
    }

    fn write(&self, json: &mut String) {
        match self {
            Self::Scalar(text) => json.push_str(text),
            Self::Text(text) => json.push_str(&json_string(text)),
            Self::List(items) => {
                json.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        json.push(',');
                    }
                    item.write(json);
                }
                json.push(']');
            }
            Self::Object(members) => {
                json.push('{');
                for (index, (name, value)) in members.iter().enumerate() {
                    if index > 0 {
                        json.push(',');
                    }
                    json.push_str(&json_string(name));
                    json.push(':');
                    value.write(json);
                }
                json.push('}');
            }
        }
    }
}

/// How many characters a text has as JSON, its quotes included.
fn text_size(text: &str) -> usize {
    let escaped = |c: char| match c {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        _ => 1,
    };
    text.chars().map(escaped).sum::<usize>() + 2
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl TreeVisitor {
    fn scalar<E>(value: impl Into<Value>) -> Result<Tree, E> {
        Ok(Tree::Scalar(value.into().to_string()))
    }
}

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Tree, E> {
        Self::scalar(value)
    }

    fn visit_i64<E>(self, value: i64) -> Result<Tree, E> {
        Self::scalar(value)
    }

    fn visit_u64<E>(self, value: u64) -> Result<Tree, E> {
        Self::scalar(value)
    }

    fn visit_f64<E>(self, value: f64) -> Result<Tree, E> {
        Self::scalar(value)
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Self::scalar(())
    }

    fn visit_str<E>(self, text: &str) -> Result<Tree, E> {
        Ok(Tree::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Tree, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = sequence.next_element()? {
            items.push(item);
        }
        Ok(Tree::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Tree::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn order_is_kept() {
        let json = r#"{"z":[1,-2,2.5,true,null,"a\n\u0001\"é"],"a":{"y":{},"b":[]}}"#;
        assert_eq!(Tree::parse(json).unwrap().to_json(), json);
    }

    fn any_tree() -> impl Strategy<Value = Tree> {
        let leaf = prop_oneof![
            any::<String>().prop_map(Tree::Text),
            any::<i64>().prop_map(|number| Tree::Scalar(number.to_string())),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..6).prop_map(Tree::List),
                proptest::collection::vec((any::<String>(), inner), 0..6).prop_map(Tree::Object),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_size_is_that_of_the_text_and_the_text_reads_back(tree in any_tree()) {
            let json = tree.to_json();
            prop_assert_eq!(tree.size(), json.chars().count());
            prop_assert_eq!(Tree::parse(&json).unwrap(), tree);
        }
    }
}
