//! The input of each tool: its operation's parameters, and what every call may say besides.

use std::sync::OnceLock;

use lean_beam_proto::request::WorkspaceRef;

use super::{
    schema::{NotFlat, Schema, Shape},
    table::TOOLS,
    tool::{Tool, Wait},
};

/// Names the project in every call that is about one.
pub(super) const WORKSPACE: &str = "workspace";
/// What a root is.
const ROOT: &str = "Absolute path of the directory with the lakefile or lean-toolchain.";
/// How long the caller wants to wait, in milliseconds.
pub(super) const TIMEOUT: &str = "timeout_ms";

/// The arguments that a tool takes.
#[derive(Debug)]
pub struct Input {
    /// The members in the order in which they are shown.
    pub properties: Vec<(String, Schema)>,
    /// Those that must be there.
    pub required: Vec<String>,
}

impl Input {
    /// The input of a tool of the table.
    pub fn of(tool: &Tool) -> &'static Self {
        static INPUTS: OnceLock<Vec<(&'static str, Input)>> = OnceLock::new();
        static NOTHING: Input = Input {
            properties: Vec::new(),
            required: Vec::new(),
        };
        let inputs = INPUTS.get_or_init(|| {
            // A type without flat form fails the tests; here its tool would take no arguments.
            TOOLS
                .iter()
                .filter_map(|tool| Some((tool.name, Self::build(tool).ok()?)))
                .collect()
        });
        inputs
            .iter()
            .find(|(name, _)| *name == tool.name)
            .map_or(&NOTHING, |(_, input)| input)
    }

    /// Puts a tool's input together.
    ///
    /// # Errors
    /// A parameter has a type without flat schema.
    pub fn build(tool: &Tool) -> Result<Self, NotFlat> {
        let mut input = Self {
            properties: Vec::new(),
            required: Vec::new(),
        };
        if tool.takes_workspace() {
            input.add(WORKSPACE, workspace()?, true);
        }
        if let Some(parameters) = tool.parameters() {
            input.add_parameters((parameters.schema)()?, (parameters.fields)());
        }
        if tool.wait == Wait::Adjustable {
            input.add(TIMEOUT, timeout(), false);
        }
        Ok(input)
    }

    /// True when the tool has an argument of this name.
    pub fn declares(&self, name: &str) -> bool {
        self.properties.iter().any(|(declared, _)| declared == name)
    }

    /// The names of all arguments, as in "`a`, `b`".
    pub fn names(&self) -> String {
        let names: Vec<_> = self
            .properties
            .iter()
            .map(|(name, _)| format!("`{name}`"))
            .collect();
        names.join(", ")
    }

    /// True when a position may be given by `anchor` instead of `character`.
    pub fn takes_anchor(&self) -> bool {
        self.declares("anchor") && self.declares("character")
    }

    /// The `inputSchema` of the tool as JSON.
    pub fn to_json(&self) -> String {
        let schema = Schema {
            shape: Shape::Record {
                properties: self.properties.clone(),
                required: self.required.clone(),
            },
            description: None,
            default: None,
        };
        schema.to_json()
    }

    fn add(&mut self, name: &str, schema: Schema, required: bool) {
        self.properties.push((name.to_owned(), schema));
        if required {
            self.required.push(name.to_owned());
        }
    }

    fn add_parameters(&mut self, schema: Schema, order: &[&str]) {
        let Shape::Record {
            mut properties,
            required,
        } = schema.shape
        else {
            return;
        };
        properties.sort_by_key(|(name, _)| order.iter().position(|field| field == name));
        for (name, schema) in properties {
            let required = required.contains(&name);
            self.add(&name, schema, required);
        }
    }
}

fn workspace() -> Result<Schema, NotFlat> {
    let mut schema = Schema::of::<WorkspaceRef>()?;
    // Said in every tool, so it is said in few words.
    schema.description = Some("The Lean project.".to_owned());
    if let Shape::Record { properties, .. } = &mut schema.shape {
        for (_, root) in properties {
            root.description = Some(ROOT.to_owned());
        }
    }
    Ok(schema)
}

fn timeout() -> Schema {
    Schema::new(
        Shape::Integer { minimum: Some(1) },
        "Longest wait in milliseconds; default 50000.",
    )
}
