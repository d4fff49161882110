//! Input schemas in the one form that every client takes.
//!
//! Some clients drop a tool, or all tools of a server, over a `$ref`, a combinator or a union of
//! types; a schema here has none of them. It is read from what the types of `proto` generate, kept as
//! a small tree and written in a fixed order.

use std::fmt;

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value};

use crate::jsonrpc::JsonObject;

/// One schema.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    /// What a value looks like.
    pub shape: Shape,
    /// What it means.
    pub description: Option<String>,
    /// What stands in when it is left out.
    pub default: Option<Value>,
}

/// What a value looks like.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A text; one of the choices where there are any.
    Text {
        /// The only texts allowed; empty when all are.
        choices: Vec<String>,
    },
    /// A whole number.
    Integer {
        /// The smallest one allowed.
        minimum: Option<i64>,
    },
    /// Any number.
    Number,
    /// True or false.
    Boolean,
    /// A list.
    List(Box<Schema>),
    /// An object with these members and no others.
    Record {
        /// The members by name, in the order in which they are shown.
        properties: Vec<(String, Schema)>,
        /// The names of those that must be there.
        required: Vec<String>,
    },
    /// An object that is passed on as it is.
    AnyObject,
}

/// A type whose generated schema has no flat form.
#[derive(Debug, thiserror::Error)]
#[error("the schema of `{at}` cannot be made flat: {schema}")]
pub struct NotFlat {
    at: String,
    schema: Value,
}

impl Schema {
    /// A schema without default.
    pub fn new(shape: Shape, description: impl Into<String>) -> Self {
        Self {
            shape,
            description: Some(description.into()),
            default: None,
        }
    }

    /// The schema of a type of `proto`.
    ///
    /// # Errors
    /// Its generated schema uses something that has no flat form.
    pub fn of<T: JsonSchema>() -> Result<Self, NotFlat> {
        let mut settings = SchemaSettings::draft2020_12();
        settings.inline_subschemas = true;
        settings.meta_schema = None;
        let generated = settings.into_generator().into_root_schema_for::<T>();
        read(generated.as_value(), &T::schema_name())
    }

    /// The schema as JSON.
    pub fn to_json(&self) -> String {
        let mut object = JsonObject::new().with("type", self.shape.type_name());
        if let Some(description) = &self.description {
            object = object.with("description", description);
        }
        object = self.shape.write_into(object);
        if let Some(default) = &self.default {
            object = object.with("default", default);
        }
        object.finish()
    }
}

impl Shape {
    fn type_name(&self) -> &'static str {
        match self {
            Self::Text { .. } => "string",
            Self::Integer { .. } => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::List(_) => "array",
            Self::Record { .. } | Self::AnyObject => "object",
        }
    }

    fn write_into(&self, object: JsonObject) -> JsonObject {
        match self {
            Self::Text { choices } if !choices.is_empty() => object.with("enum", choices),
            Self::Integer {
                minimum: Some(minimum),
            } => object.with("minimum", minimum),
            Self::List(items) => object.with_raw("items", &items.to_json()),
            Self::Record {
                properties,
                required,
            } => write_record(object, properties, required),
            _ => object,
        }
    }
}

fn write_record(
    object: JsonObject,
    properties: &[(String, Schema)],
    required: &[String],
) -> JsonObject {
    let members = properties
        .iter()
        .fold(JsonObject::new(), |members, (name, schema)| {
            members.with_raw(name, &schema.to_json())
        });
    let mut object = object.with_raw("properties", &members.finish());
    if !required.is_empty() {
        object = object.with("required", required);
    }
    object.with("additionalProperties", &false)
}

/// Reads a generated schema. `at` names the place for the error.
fn read(schema: &Value, at: &str) -> Result<Schema, NotFlat> {
    let Some(keywords) = schema.as_object() else {
        // `true` stands for values that are passed on untouched; they are objects wherever they occur.
        return Ok(Schema {
            shape: Shape::AnyObject,
            description: None,
            default: None,
        });
    };
    let shape = read_shape(keywords, at)?.ok_or_else(|| NotFlat {
        at: at.to_owned(),
        schema: schema.clone(),
    })?;
    let text = |name: &str| {
        keywords
            .get(name)
            .and_then(Value::as_str)
            .map(one_paragraph)
    };
    Ok(Schema {
        shape,
        description: text("description"),
        default: keywords
            .get("default")
            .filter(|value| !value.is_null())
            .cloned(),
    })
}

fn read_shape(keywords: &Map<String, Value>, at: &str) -> Result<Option<Shape>, NotFlat> {
    if let Some(alternatives) = keywords.get("oneOf").or_else(|| keywords.get("anyOf")) {
        return read_alternatives(alternatives, at);
    }
    Ok(match type_of(keywords) {
        Some("string") => Some(Shape::Text {
            choices: choices(keywords),
        }),
        Some("integer") => Some(Shape::Integer {
            minimum: keywords.get("minimum").and_then(Value::as_i64),
        }),
        Some("number") => Some(Shape::Number),
        Some("boolean") => Some(Shape::Boolean),
        Some("array") => {
            let items = keywords.get("items").unwrap_or(&Value::Bool(true));
            Some(Shape::List(Box::new(read(items, &format!("{at}[]"))?)))
        }
        Some("object") => Some(read_record(keywords, at)?),
        None if keywords.keys().all(|name| name == "description") => Some(Shape::AnyObject),
        _ => None,
    })
}

/// The one type that is named, an optional value's null aside.
fn type_of(keywords: &Map<String, Value>) -> Option<&str> {
    match keywords.get("type")? {
        Value::String(name) => Some(name),
        Value::Array(names) => {
            let mut names = names
                .iter()
                .filter_map(Value::as_str)
                .filter(|name| *name != "null");
            names.next().filter(|_| names.next().is_none())
        }
        _ => None,
    }
}

/// The texts that an enumeration without data allows.
fn choices(keywords: &Map<String, Value>) -> Vec<String> {
    let listed = keywords.get("enum").and_then(Value::as_array);
    let texts = listed.into_iter().flatten().chain(keywords.get("const"));
    texts.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Alternatives are either the documented variants of an enumeration, or a value and null.
fn read_alternatives(alternatives: &Value, at: &str) -> Result<Option<Shape>, NotFlat> {
    let alternatives = alternatives
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let real: Vec<&Value> = alternatives
        .iter()
        .filter(|schema| schema.get("type").and_then(Value::as_str) != Some("null"))
        .collect();
    if let [only] = real.as_slice() {
        return read(only, at).map(|schema| Some(schema.shape));
    }
    let mut all = Vec::new();
    for schema in real {
        let texts = schema.as_object().map(choices).unwrap_or_default();
        if texts.is_empty() {
            return Ok(None);
        }
        all.extend(texts);
    }
    Ok(Some(Shape::Text { choices: all }))
}

fn read_record(keywords: &Map<String, Value>, at: &str) -> Result<Shape, NotFlat> {
    let is_closed = keywords.get("additionalProperties") == Some(&Value::Bool(false));
    if !is_closed && !keywords.contains_key("properties") {
        return Ok(Shape::AnyObject);
    }
    let mut properties = Vec::new();
    for (name, schema) in keywords
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        properties.push((name.clone(), read(schema, &format!("{at}.{name}"))?));
    }
    let required = keywords.get("required").and_then(Value::as_array);
    let required = required.into_iter().flatten();
    Ok(Shape::Record {
        properties,
        required: required
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
    })
}

/// Doc comments are wrapped; descriptions are not.
fn one_paragraph(text: &str) -> String {
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |mut line, word| {
        line.push(' ');
        line.push_str(word);
        line
    })
}

impl fmt::Display for Schema {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.to_json())
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    use super::*;

    /// Two lines of
    /// description.
    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Everything {
        /// A number.
        count: u32,
        /// Perhaps a text.
        text: Option<String>,
        /// A choice with documented variants.
        #[serde(default)]
        choice: Choice,
        /// Perhaps a choice.
        other: Option<Choice>,
        /// Several.
        list: Vec<Inner>,
        /// Whatever.
        raw: Value,
        /// Any members.
        map: Map<String, Value>,
    }

    #[derive(Default, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Choice {
        /// The one.
        #[default]
        One,
        /// The other.
        Two,
    }

    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Inner {
        flag: bool,
        ratio: f64,
    }

    #[test]
    fn every_shape_in_use_has_a_flat_form() {
        let json: Value =
            serde_json::from_str(&Schema::of::<Everything>().unwrap().to_json()).unwrap();
        let properties = &json["properties"];
        assert_eq!(json["description"], "Two lines of description.");
        assert_eq!(properties["count"]["type"], "integer");
        assert_eq!(properties["count"]["minimum"], 0);
        assert_eq!(properties["text"]["type"], "string");
        assert_eq!(
            properties["choice"]["enum"],
            serde_json::json!(["one", "two"])
        );
        assert_eq!(properties["choice"]["default"], "one");
        assert_eq!(
            properties["other"]["enum"],
            serde_json::json!(["one", "two"])
        );
        assert_eq!(
            properties["list"]["items"]["properties"]["ratio"]["type"],
            "number"
        );
        assert_eq!(properties["list"]["items"]["additionalProperties"], false);
        for open in ["raw", "map"] {
            assert_eq!(properties[open]["type"], "object");
            assert!(properties[open].get("additionalProperties").is_none());
        }
        assert_eq!(json["additionalProperties"], false);
    }

    #[test]
    fn what_has_no_flat_form_is_refused_by_name() {
        #[derive(Serialize, Deserialize, JsonSchema)]
        struct Holder {
            part: Data,
        }
        #[derive(Serialize, Deserialize, JsonSchema)]
        enum Data {
            A(u32),
            B { x: String },
        }
        let error = Schema::of::<Holder>().unwrap_err();
        assert!(error.to_string().contains("Holder.part"), "{error}");
    }
}
