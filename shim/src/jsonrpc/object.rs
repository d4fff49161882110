//! Builds a JSON object member by member, in the order of the calls.

use serde::Serialize;

/// An object under construction.
///
/// ```
/// use lean_beam_mcp::jsonrpc::JsonObject;
/// let object = JsonObject::new().with("name", "x").with_raw("list", "[1]");
/// assert_eq!(object.finish(), r#"{"name":"x","list":[1]}"#);
/// ```
#[derive(Debug)]
pub struct JsonObject {
    text: String,
}

impl Default for JsonObject {
    fn default() -> Self {
        Self::new()
    }
}

impl JsonObject {
    /// An object without members.
    pub fn new() -> Self {
        Self {
            text: "{".to_owned(),
        }
    }

    /// Adds a member. A value without JSON form becomes null, which no type used here has.
    #[must_use]
    pub fn with<T: Serialize + ?Sized>(self, name: &str, value: &T) -> Self {
        let json = serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned());
        self.with_raw(name, &json)
    }

    /// Adds a member whose value is JSON already.
    #[must_use]
    pub fn with_raw(mut self, name: &str, json: &str) -> Self {
        if self.text.len() > 1 {
            self.text.push(',');
        }
        self.text.push_str(&super::json_string(name));
        self.text.push(':');
        self.text.push_str(json);
        self
    }

    /// Adds the members of an object that is JSON already.
    #[must_use]
    pub fn with_members_of(mut self, object: &str) -> Self {
        let inside = object
            .trim()
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'))
            .unwrap_or_default()
            .trim();
        if !inside.is_empty() {
            if self.text.len() > 1 {
                self.text.push(',');
            }
            self.text.push_str(inside);
        }
        self
    }

    /// The object's text.
    pub fn finish(mut self) -> String {
        self.text.push('}');
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_another_object_join_in() {
        let object = JsonObject::new().with("a", &1);
        assert_eq!(
            object.with_members_of("{\"b\":2}").finish(),
            r#"{"a":1,"b":2}"#
        );
        assert_eq!(JsonObject::new().with_members_of("{ }").finish(), "{}");
        assert_eq!(
            JsonObject::new().with_members_of("{\"b\":{}}").finish(),
            r#"{"b":{}}"#
        );
    }
}
