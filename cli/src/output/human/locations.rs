//! Places in source files, one a line: `Main.lean:3:9  theorem foo : …`.

use lean_beam_proto::op::{DefinitionResult, Location, ReferencesResult};

use super::{
    aligned, cut,
    style::{CARE, STRONG, styled},
    subject::place,
    symbols::lacking,
};
use crate::{files::Files, source::byte_of_column};

/// Where a name is defined.
pub(crate) fn definition(result: &DefinitionResult, files: &mut Files, asked: &str) -> String {
    if result.locations.is_empty() {
        return format!("there is no definition to be seen for {asked}\n");
    }
    lines(&result.locations, files)
}

/// Where a name is used.
pub(crate) fn references(result: &ReferencesResult, files: &mut Files, asked: &str) -> String {
    let mut text = if result.locations.is_empty() {
        format!("there is no use to be seen of {asked}\n")
    } else {
        lines(&result.locations, files)
    };
    let shown = result.locations.len();
    text.push_str(&cut(shown, result.total, result.truncated, ""));
    if !result.complete {
        let remark = lacking("uses", &result.unindexed, files);
        text.push_str(&format!("{}\n", styled(CARE, remark)));
    }
    text
}

fn lines(locations: &[Location], files: &mut Files) -> String {
    let rows: Vec<_> = locations
        .iter()
        .map(|location| {
            let place = place(&files.shown(&location.path), location.selection_range.start);
            vec![place, excerpt(location, files).unwrap_or_default()]
        })
        .collect();
    aligned(&rows).into_iter().map(|line| line + "\n").collect()
}

/// The source line with the name in it set off.
fn excerpt(location: &Location, files: &mut Files) -> Option<String> {
    let range = location.selection_range;
    let line = files.line(&location.path, range.start.line)?;
    let from = byte_of_column(line, range.start.character);
    let to = match range.end.line {
        end if end > range.start.line => line.len(),
        _ => byte_of_column(line, range.end.character).max(from),
    };
    let (before, name, after) = (&line[..from], &line[from..to], &line[to..]);
    Some(format!(
        "{}{}{}",
        before.trim_start(),
        styled(STRONG, name),
        after.trim_end()
    ))
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use lean_beam_proto::text::{Position, Range};

    use super::*;

    fn location(path: &str, line: u32, from: u32, to: u32) -> Location {
        let range = Range::new(Position::new(line, from), Position::new(line, to));
        Location {
            path: path.to_owned(),
            uri: String::new(),
            range: Range::new(Position::new(line, 0), Position::new(line + 2, 0)),
            selection_range: range,
            outside_root: false,
        }
    }

    fn project() -> (tempfile::TempDir, Files) {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        fs::write(root.join("A.lean"), "/- 𝓝 -/ def foo := 1\n  #eval foo\n").unwrap();
        let files = Files::new(&root, &root);
        (directory, files)
    }

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn a_place_stands_before_its_line() {
        let (_directory, mut files) = project();
        let result = DefinitionResult {
            version: 1,
            locations: vec![location("A.lean", 0, 13, 16)],
        };
        let text = definition(&result, &mut files, "A.lean:2:9");
        assert!(text.contains(&styled(STRONG, "foo")), "{text:?}");
        assert_eq!(plain(&text), "A.lean:1:14  /- 𝓝 -/ def foo := 1\n");
    }

    #[test]
    fn uses_line_up_and_what_is_missing_is_said() {
        let (_directory, mut files) = project();
        let mut result = ReferencesResult {
            version: 1,
            locations: vec![
                location("A.lean", 1, 8, 11),
                location("/lib/Init.lean", 99, 0, 1),
            ],
            total: 7,
            truncated: true,
            complete: false,
            unindexed: vec!["B.lean".to_owned()],
        };
        let text = plain(&references(&result, &mut files, "x"));
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], "A.lean:2:9            #eval foo");
        assert_eq!(lines[1], "/lib/Init.lean:100:1");
        assert_eq!(lines[2], "2 of 7 are shown");
        assert!(lines[3].contains("may be missing of B.lean"));
        result = ReferencesResult {
            locations: Vec::new(),
            total: 0,
            truncated: false,
            complete: true,
            unindexed: Vec::new(),
            ..result
        };
        let text = references(&result, &mut files, "A.lean:1:1");
        assert_eq!(text, "there is no use to be seen of A.lean:1:1\n");
    }

    #[test]
    fn nothing_is_said_to_be_nothing() {
        let mut files = Files::new(Path::new("/"), Path::new("/"));
        let result = DefinitionResult {
            version: 1,
            locations: Vec::new(),
        };
        let text = definition(&result, &mut files, "A.lean:1:1");
        assert!(text.contains("no definition") && text.contains("A.lean:1:1"));
    }
}
