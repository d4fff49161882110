//! Asking about a version of a file of a test's project: every operation that answers without running anything new.

use std::collections::BTreeMap;

use lean_beam_proto::{
    BeamResult,
    op::{
        CheckAxioms, CheckAxiomsParams, Completions, CompletionsParams, Definition,
        DefinitionResult, DocumentSymbols, DocumentSymbolsParams, GoalMode, Goals, GoalsParams,
        Hover, Location, Operation, References, ReferencesParams, ReferencesResult, SignatureHelp,
        TermGoal, Todo, TodoKind, TodoParams, TodoResult, TodoSuggest, WorkspaceSymbols,
        WorkspaceSymbolsParams, WorkspaceSymbolsResult,
    },
    text::{Position, Range},
};
use serde_json::Value;

use crate::{must::Must, probing::Place, world::Project};

/// One version of a file.
#[derive(Debug, Clone)]
pub struct Page {
    /// The project with the file.
    pub project: Project,
    /// Its path below the root.
    pub name: String,
    /// The version that is asked about.
    pub version: u64,
}

impl Page {
    /// The version of a file as it is on disk, with Lean's verdict waited for.
    pub async fn synced(project: &Project, name: &str) -> Self {
        Self::of(project, name, project.sync(name).await.must("sync").version)
    }

    /// The version of a file as it is on disk, whatever Lean makes of it.
    pub async fn updated(project: &Project, name: &str) -> Self {
        let version = project.update(name).await.must("update").version;
        Self::of(project, name, version)
    }

    /// Some version of a file.
    pub fn of(project: &Project, name: &str, version: u64) -> Self {
        Self {
            project: project.clone(),
            name: name.to_owned(),
            version,
        }
    }

    /// Just before the only occurrence of `what` in the file as it is on disk.
    pub fn before(&self, what: &str) -> Place {
        crate::probing::before(&self.project.read(&self.name), what)
    }

    /// `definition`.
    ///
    /// # Errors
    /// As the daemon says.
    pub async fn definition(&self, place: Place) -> BeamResult<DefinitionResult> {
        let params = Project::position(&self.name, self.version, place);
        self.project.call::<Definition>(params).await
    }

    /// `references`, with or without the definition itself.
    ///
    /// # Errors
    /// As the daemon says.
    pub async fn references(
        &self,
        (line, character): Place,
        include_declaration: bool,
    ) -> BeamResult<ReferencesResult> {
        let params = ReferencesParams {
            path: self.name.clone(),
            version: self.version,
            line,
            character: Some(character),
            anchor: None,
            include_declaration,
        };
        self.project.call::<References>(params).await
    }

    /// `todo` for a range and some kinds, with texts to run.
    ///
    /// # Errors
    /// As the daemon says.
    pub async fn todo(&self, range: Range, kinds: &[TodoKind]) -> BeamResult<TodoResult> {
        self.project
            .call::<Todo>(todo_params(&self.name, self.version, range, kinds))
            .await
    }

    /// The range of the whole file as it is on disk.
    pub fn whole(&self) -> Range {
        whole(&self.project.read(&self.name))
    }
}

/// `workspace_symbols`.
///
/// # Errors
/// As the daemon says.
pub async fn workspace_symbols(
    project: &Project,
    query: &str,
    limit: Option<u32>,
) -> BeamResult<WorkspaceSymbolsResult> {
    let query = query.to_owned();
    project
        .call::<WorkspaceSymbols>(WorkspaceSymbolsParams { query, limit })
        .await
}

/// The names in places, as they stand in the files now, by file and zero-based line and column.
pub fn places(locations: &[Location]) -> Vec<(&str, Place)> {
    let place = |location: &Location| {
        let start = location.selection_range.start;
        (start.line, start.character)
    };
    locations
        .iter()
        .map(|location| (location.path.as_str(), place(location)))
        .collect()
}

/// Where `word` stands alone in each of the files, in their order.
pub fn uses_of<'a>(project: &Project, files: &[&'a str], word: &str) -> Vec<(&'a str, Place)> {
    let in_name = |character: char| character.is_alphanumeric() || "_'".contains(character);
    let mut found = Vec::new();
    for file in files {
        let text = project.read(file);
        for (number, line) in (0..).zip(text.lines()) {
            for (at, _) in line.match_indices(word) {
                let (before, after) = (&line[..at], &line[at + word.len()..]);
                if !before.ends_with(in_name) && !after.starts_with(in_name) {
                    let column = before.encode_utf16().count();
                    found.push((*file, (number, u32::try_from(column).must("count"))));
                }
            }
        }
    }
    found
}

/// Every operation that answers about a file or a project without running anything of the user's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Question {
    /// `goals` with `before`.
    GoalsBefore,
    /// `goals` with `after`.
    GoalsAfter,
    /// `term_goal`.
    TermGoal,
    /// `hover`.
    Hover,
    /// `signature_help`.
    SignatureHelp,
    /// `definition`.
    Definition,
    /// `references`.
    References,
    /// `document_symbols`.
    DocumentSymbols,
    /// `workspace_symbols`.
    WorkspaceSymbols,
    /// `completions`.
    Completions,
    /// `todo` for the whole file.
    Todo,
    /// `todo` for code actions alone.
    CodeActions,
    /// `check_axioms`.
    CheckAxioms,
}

impl Question {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::GoalsBefore,
        Self::GoalsAfter,
        Self::TermGoal,
        Self::Hover,
        Self::SignatureHelp,
        Self::Definition,
        Self::References,
        Self::DocumentSymbols,
        Self::WorkspaceSymbols,
        Self::Completions,
        Self::Todo,
        Self::CodeActions,
        Self::CheckAxioms,
    ];

    /// It is about a line and a column.
    pub fn has_place(self) -> bool {
        !matches!(
            self,
            Self::DocumentSymbols | Self::WorkspaceSymbols | Self::CheckAxioms
        )
    }

    /// It is about one version of one file.
    pub fn has_version(self) -> bool {
        self != Self::WorkspaceSymbols
    }

    /// Asks about `place` in `page`; about the stretch from `place` to the next line for `todo`, about the
    /// declaration `name` for axioms and about that name for symbols of the project. The result as JSON.
    ///
    /// # Errors
    /// As the daemon says.
    pub async fn ask(self, page: &Page, place: Place, name: &str) -> BeamResult<Value> {
        let position = Project::position(&page.name, page.version, place);
        let (path, version) = (page.name.clone(), page.version);
        let goals = |mode| GoalsParams {
            path: page.name.clone(),
            version,
            line: place.0,
            character: Some(place.1),
            anchor: None,
            mode,
        };
        let project = &page.project;
        match self {
            Self::GoalsBefore => json::<Goals>(project, goals(GoalMode::Before)).await,
            Self::GoalsAfter => json::<Goals>(project, goals(GoalMode::After)).await,
            Self::TermGoal => json::<TermGoal>(project, position).await,
            Self::Hover => json::<Hover>(project, position).await,
            Self::SignatureHelp => json::<SignatureHelp>(project, position).await,
            Self::Definition => json::<Definition>(project, position).await,
            Self::References => page.references(place, true).await.map(value),
            Self::DocumentSymbols => {
                json::<DocumentSymbols>(project, DocumentSymbolsParams { path, version }).await
            }
            Self::WorkspaceSymbols => workspace_symbols(project, name, None).await.map(value),
            Self::Completions => {
                let params = CompletionsParams {
                    path,
                    version,
                    line: place.0,
                    character: Some(place.1),
                    anchor: None,
                    limit: None,
                };
                json::<Completions>(project, params).await
            }
            Self::Todo => page.todo(stretch(place), &TodoKind::ALL).await.map(value),
            Self::CodeActions => {
                let kinds = [TodoKind::CodeAction];
                page.todo(stretch(place), &kinds).await.map(value)
            }
            Self::CheckAxioms => {
                let name = name.to_owned();
                let params = CheckAxiomsParams {
                    path,
                    version,
                    name,
                };
                json::<CheckAxioms>(project, params).await
            }
        }
    }

    /// True for a result that says nothing about what was asked.
    pub fn is_empty(self, result: &Value) -> bool {
        let lists: BTreeMap<Self, &str> = BTreeMap::from([
            (Self::SignatureHelp, "signatures"),
            (Self::Definition, "locations"),
            (Self::References, "locations"),
            (Self::DocumentSymbols, "symbols"),
            (Self::WorkspaceSymbols, "symbols"),
            (Self::Completions, "items"),
            (Self::Todo, "items"),
            (Self::CodeActions, "items"),
        ]);
        match self {
            Self::GoalsBefore | Self::GoalsAfter => result["status"] == "none",
            Self::TermGoal => result["goal"].is_null(),
            Self::Hover => result["contents"].is_null(),
            Self::CheckAxioms => !result["axioms"].is_array(),
            _ => result[lists[&self]].as_array().is_none_or(Vec::is_empty),
        }
    }
}

async fn json<O: Operation>(project: &Project, params: O::Params) -> BeamResult<Value>
where
    O::Output: serde::Serialize,
{
    project.call::<O>(params).await.map(value)
}

fn value<T: serde::Serialize>(result: T) -> Value {
    serde_json::to_value(result).must("write a result as JSON")
}

fn todo_params(name: &str, version: u64, range: Range, kinds: &[TodoKind]) -> TodoParams {
    TodoParams {
        path: name.to_owned(),
        version,
        start_line: range.start.line,
        start_character: range.start.character,
        end_line: range.end.line,
        end_character: range.end.character,
        kinds: kinds.to_vec(),
        suggest: TodoSuggest::Basic,
    }
}

/// From a place to itself: what contains it.
fn stretch((line, character): Place) -> Range {
    let position = Position::new(line, character);
    Range::new(position, position)
}

/// The range of a whole text whose lines end at `\n`.
pub fn whole(text: &str) -> Range {
    let count = |number: usize| u32::try_from(number).must("count in 32 bits");
    let last = text.rsplit('\n').next().unwrap_or_default();
    let end = Position::new(
        count(text.matches('\n').count()),
        count(last.encode_utf16().count()),
    );
    Range::new(Position::new(0, 0), end)
}
