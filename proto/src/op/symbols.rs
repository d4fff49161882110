//! What a file and a project declare.

use serde::{Deserialize, Serialize};

use crate::text::Range;

/// Parameters of `document_symbols`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DocumentSymbolsParams {
    /// The Lean file, relative to the root or absolute.
    pub path: String,
    /// The document version to look at, from `update` or `sync`.
    pub version: u64,
}

/// Result of `document_symbols`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DocumentSymbolsResult {
    /// The version that was asked.
    pub version: u64,
    /// What the file declares, in its order, nested by namespaces and sections.
    pub symbols: Vec<DocumentSymbol>,
    /// How many symbols there are in the whole tree.
    pub total: usize,
    /// True when `symbols` is not all of them.
    pub truncated: bool,
}

/// One declaration, namespace or section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DocumentSymbol {
    /// Its name as it stands in the source.
    pub name: String,
    /// What it is by its keyword: `theorem`, `def`, `structure`, `namespace` and the like; `declaration` when the
    /// keyword is not known.
    pub kind: String,
    /// All of it.
    pub range: Range,
    /// Its name.
    pub selection_range: Range,
    /// What it holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<DocumentSymbol>,
}

/// Parameters of `workspace_symbols`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkspaceSymbolsParams {
    /// Part of a name. Letters may be left out: `natadd` finds `Nat.add_comm`.
    pub query: String,
    /// How many symbols to list at most. Default: 50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Result of `workspace_symbols`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkspaceSymbolsResult {
    /// The symbols, the best match first.
    pub symbols: Vec<WorkspaceSymbol>,
    /// How many match.
    pub total: usize,
    /// True when `symbols` is not all of them.
    pub truncated: bool,
    /// True when Lean's index holds every module of the project as it is now. It holds open files that are
    /// elaborated, and what was built.
    pub index_complete: bool,
    /// Files that the index lacks, or may hold in an old state: open and not yet elaborated, or not open and never
    /// built or changed since. The first ones when there are many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unindexed: Vec<String>,
}

/// One declaration of the project or of what it imports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkspaceSymbol {
    /// Its full name.
    pub name: String,
    /// What it is by its keyword, such as `theorem` or `def`; `declaration` when the keyword is not known.
    pub kind: String,
    /// The file, relative to the root where it lies below it, else absolute.
    pub path: String,
    /// Its name in the file.
    pub range: Range,
    /// True for a file that is not below the root, such as one of Lean's own library.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub outside_root: bool,
}
