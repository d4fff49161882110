//! Request ids, compared by exact type and echoed exactly.

use serde_json::value::RawValue;

/// The id of a request: a string or an integer. `"1"` and `1` are different ids.
///
/// An integer of any length is kept as its digits, so nothing is rounded on the way back.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RequestId {
    /// An integer, in decimal digits with an optional minus sign.
    Integer(Box<str>),
    /// A string.
    Text(Box<str>),
}

impl RequestId {
    /// Reads an id. `None` for null, booleans, fractions, exponents, arrays and objects.
    pub fn from_json(json: &RawValue) -> Option<Self> {
        let json = json.get();
        if json.starts_with('"') {
            let text: String = serde_json::from_str(json).ok()?;
            return Some(Self::Text(text.into_boxed_str()));
        }
        let digits = json.strip_prefix('-').unwrap_or(json);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        // Minus zero is the same number as zero.
        let json = if digits == "0" { digits } else { json };
        Some(Self::Integer(json.into()))
    }

    /// The id as JSON.
    pub fn to_json(&self) -> String {
        match self {
            Self::Integer(digits) => digits.to_string(),
            Self::Text(text) => super::json_string(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Option<RequestId> {
        RequestId::from_json(serde_json::from_str(json).unwrap())
    }

    #[test]
    fn integers_and_strings_are_ids_and_come_back_as_they_were() {
        for json in [
            "0",
            "7",
            "-3",
            "\"\"",
            "\"a\\n\\\"b\"",
            "9007199254740993",
            "123456789012345678901234567890",
        ] {
            assert_eq!(read(json).unwrap().to_json(), json);
        }
    }

    #[test]
    fn nothing_else_is_an_id() {
        for json in [
            "null",
            "true",
            "1.5",
            "1.0",
            "1e3",
            "[1]",
            "{}",
            "\"\\ud800\"",
        ] {
            assert_eq!(read(json), None, "{json}");
        }
    }

    #[test]
    fn an_integer_and_its_text_are_different_ids() {
        assert_ne!(read("1"), read("\"1\""));
        assert_eq!(read("-0"), read("0"));
    }
}
