//! What a file declares, as a tree, and what a project declares, as a list.

use lean_beam_proto::op::{
    DocumentSymbol, DocumentSymbolsResult, WorkspaceSymbol, WorkspaceSymbolsResult,
};

use super::{
    aligned, cut,
    style::{CARE, DIM, STRONG, styled},
    subject::place,
};
use crate::files::Files;

/// How many files that the index lacks are named.
const NAMED_FILES: usize = 5;

/// The file, and below it what it declares, with the place of each name.
pub(crate) fn document_symbols(result: &DocumentSymbolsResult, path: &str) -> String {
    if result.symbols.is_empty() {
        return format!("{path} declares nothing\n");
    }
    let mut rows = Vec::new();
    branches(&result.symbols, "", path, &mut rows);
    let tree: String = aligned(&rows).into_iter().map(|line| line + "\n").collect();
    let shown = rows.len();
    format!(
        "{}\n{tree}{}",
        styled(STRONG, path),
        cut(shown, result.total, result.truncated, "")
    )
}

fn branches(symbols: &[DocumentSymbol], margin: &str, path: &str, rows: &mut Vec<Vec<String>>) {
    for (index, symbol) in symbols.iter().enumerate() {
        let is_last = index + 1 == symbols.len();
        let (branch, below) = if is_last {
            ("└─ ", "   ")
        } else {
            ("├─ ", "│  ")
        };
        let line = format!(
            "{}{}",
            styled(DIM, format!("{margin}{branch}")),
            titled(symbol)
        );
        let place = place(path, symbol.selection_range.start);
        rows.push(vec![line, styled(DIM, place)]);
        branches(&symbol.children, &format!("{margin}{below}"), path, rows);
    }
}

/// `def foo`. An `example` has no name but that.
fn titled(symbol: &DocumentSymbol) -> String {
    let name = styled(STRONG, &symbol.name);
    if symbol.name == symbol.kind {
        return name;
    }
    format!("{} {name}", styled(DIM, &symbol.kind))
}

/// One declaration a line, the best match first.
pub(crate) fn workspace_symbols(
    result: &WorkspaceSymbolsResult,
    query: &str,
    files: &Files,
) -> String {
    let row = |symbol: &WorkspaceSymbol| {
        let place = place(&files.shown(&symbol.path), symbol.range.start);
        vec![
            styled(STRONG, &symbol.name),
            styled(DIM, &symbol.kind),
            place,
        ]
    };
    let rows: Vec<_> = result.symbols.iter().map(row).collect();
    let mut text: String = aligned(&rows).into_iter().map(|line| line + "\n").collect();
    if rows.is_empty() {
        text = format!("no name matches `{query}`\n");
    }
    text.push_str(&cut(
        rows.len(),
        result.total,
        result.truncated,
        ": --limit N shows more",
    ));
    if !result.index_complete {
        text.push_str(&format!(
            "{}\n",
            styled(CARE, lacking("names", &result.unindexed, files))
        ));
    }
    text
}

/// Says that `what` of these files may be missing.
pub(super) fn lacking(what: &str, unindexed: &[String], files: &Files) -> String {
    let named: Vec<_> = unindexed
        .iter()
        .take(NAMED_FILES)
        .map(|path| files.shown(path))
        .collect();
    match (named.len(), unindexed.len()) {
        (0, _) => format!("{what} in files that are neither open nor built may be missing"),
        (shown, all) if shown < all => {
            format!(
                "{what} may be missing of {} and {} more",
                named.join(", "),
                all - shown
            )
        }
        _ => format!("{what} may be missing of {}", named.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use lean_beam_proto::text::{Position, Range};

    use super::*;

    fn at(line: u32, character: u32) -> Range {
        let start = Position::new(line, character);
        Range::new(start, start)
    }

    fn symbol(kind: &str, name: &str, line: u32, children: Vec<DocumentSymbol>) -> DocumentSymbol {
        DocumentSymbol {
            name: name.to_owned(),
            kind: kind.to_owned(),
            range: at(line, 0),
            selection_range: at(line, 4),
            children,
        }
    }

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn a_file_is_a_tree_whose_places_line_up() {
        let inner = symbol(
            "namespace",
            "Inner",
            2,
            vec![symbol("def", "deep", 3, vec![])],
        );
        let result = DocumentSymbolsResult {
            version: 1,
            symbols: vec![
                symbol(
                    "namespace",
                    "Outer",
                    0,
                    vec![inner, symbol("def", "b", 6, vec![])],
                ),
                symbol("example", "example", 9, vec![]),
            ],
            total: 5,
            truncated: false,
        };
        insta::assert_snapshot!(plain(&document_symbols(&result, "d/A.lean")));
    }

    #[test]
    fn a_file_without_declarations_says_so() {
        let result = DocumentSymbolsResult {
            version: 1,
            symbols: Vec::new(),
            total: 0,
            truncated: false,
        };
        assert_eq!(
            document_symbols(&result, "A.lean"),
            "A.lean declares nothing\n"
        );
    }

    #[test]
    fn names_of_a_project_stand_with_their_places_and_gaps_are_said() {
        let files = Files::new(Path::new("/p"), Path::new("/p"));
        let found = |name: &str, path: &str| WorkspaceSymbol {
            name: name.to_owned(),
            kind: "theorem".to_owned(),
            path: path.to_owned(),
            range: at(4, 8),
            outside_root: false,
        };
        let mut result = WorkspaceSymbolsResult {
            symbols: vec![
                found("Nat.add_comm", "/lib/Nat.lean"),
                found("foo", "A.lean"),
            ],
            total: 70,
            truncated: true,
            index_complete: false,
            unindexed: (0..7).map(|number| format!("F{number}.lean")).collect(),
        };
        insta::assert_snapshot!(plain(&workspace_symbols(&result, "x", &files)));
        result.symbols.clear();
        result.truncated = false;
        result.index_complete = true;
        assert_eq!(
            workspace_symbols(&result, "xyz", &files),
            "no name matches `xyz`\n"
        );
    }
}
