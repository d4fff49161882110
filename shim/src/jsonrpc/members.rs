//! The members of a JSON object, each still in its raw form.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// An object's members in their order. Values are not looked into, so they survive byte for byte.
#[derive(Debug, Default)]
pub struct Members<'a> {
    entries: Vec<(Cow<'a, str>, &'a RawValue)>,
}

impl<'a> Members<'a> {
    /// Reads an object. `None` when `json` is something else, or an object with a key that is no text.
    pub fn from_json(json: &'a RawValue) -> Option<Self> {
        Self::from_text(json.get())
    }

    /// As [`Members::from_json`], for the text of a JSON value.
    pub fn from_text(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// The value of a member.
    pub fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.entries
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| *value)
    }

    /// True when there is a member of this name.
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// The members in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        self.entries.iter().map(|(key, value)| (&**key, *value))
    }

    /// The first member that is none of `declared`.
    pub fn first_undeclared(&self, declared: &[&str]) -> Option<&str> {
        self.iter()
            .map(|(name, _)| name)
            .find(|name| !declared.contains(name))
    }

    /// A name that occurs twice. Such an object means different things to different readers.
    pub fn duplicate(&self) -> Option<&str> {
        let mut names: Vec<&str> = self.iter().map(|(name, _)| name).collect();
        names.sort_unstable();
        names
            .windows(2)
            .find(|pair| pair[0] == pair[1])
            .map(|pair| pair[0])
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObjectVisitor;

        impl<'de> Visitor<'de> for ObjectVisitor {
            type Value = Members<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(Key(key)) = map.next_key()? {
                    entries.push((key, map.next_value()?));
                }
                Ok(Members { entries })
            }
        }

        deserializer.deserialize_map(ObjectVisitor)
    }
}

/// A key, borrowed where it holds no escapes.
struct Key<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;

        impl<'de> Visitor<'de> for KeyVisitor {
            type Value = Key<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_str(KeyVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_bytes_and_keys_lose_their_escapes() {
        let members = Members::from_text(r#"{"a\u0062": 1.10 , "c":{"d" :[ ]}}"#).unwrap();
        assert_eq!(members.get("ab").unwrap().get(), "1.10");
        assert_eq!(members.get("c").unwrap().get(), r#"{"d" :[ ]}"#);
        assert_eq!(members.first_undeclared(&["ab"]), Some("c"));
        assert_eq!(members.duplicate(), None);
    }

    #[test]
    fn a_name_given_twice_is_found_also_through_escapes() {
        let members = Members::from_text(r#"{"id":1,"x":0,"\u0069d":2}"#).unwrap();
        assert_eq!(members.duplicate(), Some("id"));
    }

    #[test]
    fn only_objects_have_members() {
        for json in ["[]", "null", "1", "\"{}\"", "{\"\\ud800\":1}", "{\"a\":}"] {
            assert!(Members::from_text(json).is_none(), "{json}");
        }
    }
}
