//! Editing a template's file as a person would.

use std::collections::BTreeMap;

use super::template::{Action, Kind, Piece, SiteId, Template};

/// What stands after a text in a proof, to have its goals printed.
const SENTINEL: &str = "trace_state";

/// A place by zero-based line and column, the latter in characters as `lean` counts.
pub(super) type Point = (usize, usize);

/// An edited file.
#[derive(Debug, Clone)]
pub struct Edited {
    /// Its text, as it is on disk.
    pub text: String,
    /// Where the texts are.
    pub spots: BTreeMap<SiteId, Spot>,
}

/// Where a text is in an edited file.
#[derive(Debug, Clone)]
pub struct Spot {
    /// The lines of the text: where each starts, after its indentation, and what it is.
    pub(super) lines: Vec<(Point, String)>,
    /// Where the text ends.
    pub(super) end: Point,
    /// Where the next thing of the file starts.
    pub(super) next: Point,
    /// Where `trace_state` starts; none among commands.
    pub(super) sentinel: Option<Point>,
}

impl Template {
    /// The file with a text at each of some sites, of which no two are in the same part.
    pub fn edit(&self, texts: &BTreeMap<SiteId, String>) -> Edited {
        let mut page = Page::default();
        let mut spots = BTreeMap::new();
        let mut columns = BTreeMap::new();
        for piece in &self.pieces {
            let (site, action) = match piece {
                Piece::Text(text) => {
                    page.write(text);
                    continue;
                }
                Piece::Mark(site, action) => (site, action),
            };
            let Some(text) = texts.get(site) else {
                continue;
            };
            match action {
                Action::Ask => {}
                Action::Column(column) => {
                    columns.insert(*site, column.unwrap_or(page.at.1));
                }
                Action::Also(also) => page.write(also),
                Action::Site(kind) => {
                    let spot = page.put(*kind, text, columns.get(site).copied());
                    spots.insert(*site, spot);
                }
            }
        }
        for spot in spots.values_mut() {
            spot.next = next_thing(&page.text, spot.end);
        }
        Edited {
            text: self.on_disk(&page.text),
            spots,
        }
    }
}

/// The first point that is not white space, from `start` on.
fn next_thing(text: &str, start: Point) -> Point {
    let lines = text.split('\n').enumerate().skip(start.0);
    let mut thing = lines.filter_map(|(number, line)| {
        let from = if number == start.0 { start.1 } else { 0 };
        let mut characters = line.chars().enumerate().skip(from);
        let (column, _) = characters.find(|(_, character)| !character.is_whitespace())?;
        Some((number, column))
    });
    thing.next().unwrap_or((usize::MAX, 0))
}

/// A text that grows and knows where it ends.
#[derive(Default)]
struct Page {
    text: String,
    at: Point,
}

impl Page {
    fn write(&mut self, text: &str) {
        for character in text.chars() {
            self.at = if character == '\n' {
                (self.at.0 + 1, 0)
            } else {
                (self.at.0, self.at.1 + 1)
            };
        }
        self.text.push_str(text);
    }

    fn new_line(&mut self, column: usize) {
        self.write("\n");
        self.write(&" ".repeat(column));
    }

    fn put(&mut self, kind: Kind, text: &str, column: Option<usize>) -> Spot {
        match kind {
            Kind::Commands => {
                self.new_line(0);
                self.lines(text, 0)
            }
            Kind::Before => {
                let column = column.unwrap_or(self.at.1);
                if self.at.1 != column {
                    self.new_line(column);
                }
                let spot = self.tactics(text, column);
                self.new_line(column);
                spot
            }
            Kind::After => {
                let column = column.unwrap_or_else(|| self.indentation());
                self.new_line(column);
                self.tactics(text, column)
            }
        }
    }

    fn tactics(&mut self, text: &str, column: usize) -> Spot {
        let mut spot = self.lines(text, column);
        self.new_line(column);
        spot.sentinel = Some(self.at);
        self.write(SENTINEL);
        spot
    }

    fn lines(&mut self, text: &str, column: usize) -> Spot {
        let mut lines = Vec::new();
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 {
                self.new_line(if line.is_empty() { 0 } else { column });
            }
            lines.push((self.at, line.to_owned()));
            self.write(line);
        }
        Spot {
            lines,
            end: self.at,
            next: self.at,
            sentinel: None,
        }
    }

    /// The column of the first character of the line that is being written.
    fn indentation(&self) -> usize {
        let line = self.text.rsplit('\n').next().unwrap_or_default();
        line.chars()
            .take_while(|character| *character == ' ')
            .count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(template: &str, text: &str) -> String {
        let template = Template::parse("a.lean", template);
        let site = *template.sites.keys().next().unwrap();
        let edited = template.edit(&BTreeMap::from([(site, text.to_owned())]));
        let spot = &edited.spots[&site];
        for ((line, column), wanted) in &spot.lines {
            let line = edited.text.lines().nth(*line).unwrap_or_default();
            let found: String = line.chars().skip(*column).collect();
            assert_eq!(found, *wanted);
        }
        edited.text
    }

    #[test]
    fn a_text_goes_before_after_and_below() {
        assert_eq!(
            edited("by\n  ⟪1b⟫x", "a\n b"),
            "by\n  a\n   b\n  trace_state\n  x"
        );
        assert_eq!(
            edited("by\n  x⟪1a⟫\n", "a"),
            "by\n  x\n  a\n  trace_state\n"
        );
        assert_eq!(
            edited("by ⟪1|⟫x; ⟪1b⟫y", "a"),
            "by x; \n   a\n   trace_state\n   y"
        );
        assert_eq!(
            edited("  ⟪1+(⟫⟪1|⟫x⟪1A⟫⟪1+)⟫ <;> y", "a"),
            "  (x\n   a\n   trace_state) <;> y"
        );
        assert_eq!(edited("def x := 1⟪1c⟫\n", "a\n\nb"), "def x := 1\na\n\nb\n");
    }
}
