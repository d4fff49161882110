//! Asking about a version of a file of a test's project: every operation that answers without running anything new.

use std::time::Duration;

use lean_beam_proto::{
    BeamResult,
    op::{
        CheckAxioms, CheckAxiomsParams, Completions, CompletionsParams, Definition,
        DefinitionResult, DocumentSymbols, DocumentSymbolsParams, GoalMode, Goals, GoalsParams,
        Hover, Location, Operation, PositionParams, References, ReferencesParams, ReferencesResult,
        SignatureHelp, TermGoal, Todo, TodoKind, TodoParams, TodoResult, TodoSuggest,
        WorkspaceSymbols, WorkspaceSymbolsParams, WorkspaceSymbolsResult,
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
        place: Place,
        include_declaration: bool,
    ) -> BeamResult<ReferencesResult> {
        let params = references_params(&self.name, self.version, place, include_declaration);
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

    /// Asks about `place` in `page`, about the declaration `name` for axioms and about that name for symbols of the
    /// project. The result as JSON.
    ///
    /// # Errors
    /// As the daemon says.
    pub async fn ask(self, page: &Page, place: Place, name: &str) -> BeamResult<Value> {
        self.ask_within(None, page, place, name).await
    }

    /// As [`Question::ask`], with a deadline.
    ///
    /// # Errors
    /// As the daemon says.
    pub async fn ask_within(
        self,
        deadline: Option<Duration>,
        page: &Page,
        place: Place,
        name: &str,
    ) -> BeamResult<Value> {
        let asked = Asked { page, deadline };
        // On the heap, since many questions are asked at once.
        Box::pin(self.answer(&asked, place, name)).await
    }

    async fn answer(self, asked: &Asked<'_>, place: Place, name: &str) -> BeamResult<Value> {
        let page = asked.page;
        let (path, version) = (page.name.clone(), page.version);
        let (line, character) = (place.0, Some(place.1));
        let position = Project::position(&path, version, place);
        let todo = |kinds| todo_params(&page.name, version, point(place), kinds);
        match self {
            Self::GoalsBefore => asked.goals(position, GoalMode::Before).await,
            Self::GoalsAfter => asked.goals(position, GoalMode::After).await,
            Self::TermGoal => asked.json::<TermGoal>(position).await,
            Self::Hover => asked.json::<Hover>(position).await,
            Self::SignatureHelp => asked.json::<SignatureHelp>(position).await,
            Self::Definition => asked.json::<Definition>(position).await,
            Self::References => {
                let params = references_params(&path, version, place, true);
                asked.json::<References>(params).await
            }
            Self::DocumentSymbols => {
                let params = DocumentSymbolsParams { path, version };
                asked.json::<DocumentSymbols>(params).await
            }
            Self::WorkspaceSymbols => {
                let (query, limit) = (name.to_owned(), None);
                let params = WorkspaceSymbolsParams { query, limit };
                asked.json::<WorkspaceSymbols>(params).await
            }
            Self::Completions => {
                let params = CompletionsParams {
                    path,
                    version,
                    line,
                    character,
                    anchor: None,
                    limit: None,
                };
                asked.json::<Completions>(params).await
            }
            Self::Todo => asked.json::<Todo>(todo(&TodoKind::ALL)).await,
            Self::CodeActions => asked.json::<Todo>(todo(&[TodoKind::CodeAction])).await,
            Self::CheckAxioms => {
                let name = name.to_owned();
                let params = CheckAxiomsParams {
                    path,
                    version,
                    name,
                };
                asked.json::<CheckAxioms>(params).await
            }
        }
    }

    /// True for a result that says nothing about what was asked.
    pub fn is_empty(self, result: &Value) -> bool {
        let list = match self {
            Self::GoalsBefore | Self::GoalsAfter => return result["status"] == "none",
            Self::TermGoal => return result["goal"].is_null(),
            Self::Hover => return result["contents"].is_null(),
            Self::CheckAxioms => return !result["axioms"].is_array(),
            Self::SignatureHelp => "signatures",
            Self::Definition | Self::References => "locations",
            Self::DocumentSymbols | Self::WorkspaceSymbols => "symbols",
            Self::Completions | Self::Todo | Self::CodeActions => "items",
        };
        result[list].as_array().is_none_or(Vec::is_empty)
    }
}

/// Where and for how long it is asked.
struct Asked<'a> {
    page: &'a Page,
    deadline: Option<Duration>,
}

impl Asked<'_> {
    async fn goals(&self, position: PositionParams, mode: GoalMode) -> BeamResult<Value> {
        let params = GoalsParams {
            path: position.path,
            version: position.version,
            line: position.line,
            character: position.character,
            anchor: position.anchor,
            mode,
        };
        self.json::<Goals>(params).await
    }

    async fn json<O: Operation>(&self, params: O::Params) -> BeamResult<Value> {
        let mut request = self.page.project.request::<O>(params);
        request.deadline = self.deadline;
        let result = self.page.project.send(&request).await?;
        Ok(serde_json::to_value(result).must("write a result as JSON"))
    }
}

fn references_params(
    path: &str,
    version: u64,
    (line, character): Place,
    include_declaration: bool,
) -> ReferencesParams {
    ReferencesParams {
        path: path.to_owned(),
        version,
        line,
        character: Some(character),
        anchor: None,
        include_declaration,
    }
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
fn point((line, character): Place) -> Range {
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
