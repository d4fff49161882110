//! The declared fields of a struct, in the order of its declaration.
//!
//! Schemas come out sorted by name; agents read them better in the order that their author chose.
//! Serde hands that order to every deserializer, so one that only listens is all it takes.

use std::fmt;

use serde::{
    Deserializer,
    de::{self, DeserializeOwned, Visitor},
    forward_to_deserialize_any,
};

/// The names of the fields of `T`, a struct that derives `Deserialize` without `flatten`. Empty for
/// any other type.
pub(super) fn fields_of<T: DeserializeOwned>() -> &'static [&'static str] {
    let mut fields: &'static [&'static str] = &[];
    // The listener always refuses, so there is no value to look at.
    drop(T::deserialize(Listener {
        fields: &mut fields,
    }));
    fields
}

struct Listener<'a> {
    fields: &'a mut &'static [&'static str],
}

impl<'de> Deserializer<'de> for Listener<'_> {
    type Error = Heard;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, Heard> {
        *self.fields = fields;
        Err(Heard)
    }

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Heard> {
        Err(Heard)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// The answer to every question: enough was heard.
#[derive(Debug)]
struct Heard;

impl fmt::Display for Heard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the fields are known")
    }
}

impl std::error::Error for Heard {}

impl de::Error for Heard {
    fn custom<T: fmt::Display>(_message: T) -> Self {
        Self
    }
}

#[cfg(test)]
mod tests {
    use lean_beam_proto::op;

    use super::*;

    #[test]
    fn fields_come_in_the_order_of_their_declaration() {
        assert_eq!(
            fields_of::<op::PositionParams>(),
            ["path", "version", "line", "character", "anchor"]
        );
        assert!(fields_of::<op::Empty>().is_empty());
        assert!(fields_of::<Vec<u8>>().is_empty());
    }
}
