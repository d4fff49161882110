//! Lean files with marked places.
//!
//! A mark is `⟪`, the name of its site (one character), what it means, `⟫`; all marks are taken out of the file:
//!
//! | mark | meaning |
//! |---|---|
//! | `⟪1?⟫` | asked here, a text runs at site 1 |
//! | `⟪1b⟫`, `⟪1B⟫` | site 1: a text goes before the tactic that starts here; the small letter asks here too |
//! | `⟪1a⟫`, `⟪1A⟫` | site 1: a text goes after the tactic that ends here; the small letter asks here too |
//! | `⟪1c⟫` | site 1: commands go on lines of their own below this one, and are asked for here |
//! | `⟪1\|⟫`, `⟪1\|4⟫` | the block of site 1 stands at this column, or at column 4; else at the mark of a text before, at the line's first character for a text after |
//! | `⟪1+(⟫` | whoever edits site 1 also writes `(` here |
//! | `⟪=⟫` | what follows is independent of what stands before: both may be edited at once |

use std::{collections::BTreeMap, fs, path::Path};

use lean_beam_proto::text::Position;

use crate::must::Must;

/// A place for texts: the part of the file, and its name in there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SiteId {
    /// Number of the part.
    pub part: usize,
    /// Name in the marks.
    pub name: char,
}

/// How a text goes into the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Before the tactic at the mark.
    Before,
    /// After the tactic at the mark.
    After,
    /// On lines of its own, as commands.
    Commands,
}

/// A position to ask at, and the site that a text at it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ask {
    /// The site.
    pub site: SiteId,
    /// Zero-based, UTF-16, in the file without marks.
    pub position: Position,
}

/// A file with marked places.
#[derive(Debug, Clone)]
pub struct Template {
    /// Name of the file.
    pub name: String,
    pub(super) pieces: Vec<Piece>,
    /// All sites.
    pub sites: BTreeMap<SiteId, Kind>,
    /// All positions to ask at, in the order of the file.
    pub asks: Vec<Ask>,
    line_end: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    Mark(SiteId, Action),
}

/// What a mark asks of whoever edits its site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Action {
    /// Nothing.
    Ask,
    /// The text goes here.
    Site(Kind),
    /// The block's column: this one, or the given one.
    Column(Option<usize>),
    /// Something else goes here.
    Also(String),
}

impl Template {
    /// Reads a template; `name` starting with `windows` means that lines end in `\r\n`.
    ///
    /// # Panics
    /// A mark is not understood.
    pub fn read(path: &Path) -> Self {
        let name = path.file_name().must("have a file name");
        let name = name.to_str().must("have a plain file name").to_owned();
        let text = fs::read_to_string(path).must("read a template");
        Self::parse(&name, &text)
    }

    /// Understands the text of a template.
    ///
    /// # Panics
    /// As [`Template::read`].
    pub fn parse(name: &str, text: &str) -> Self {
        let mut template = Self {
            name: name.to_owned(),
            pieces: Vec::new(),
            sites: BTreeMap::new(),
            asks: Vec::new(),
            line_end: if name.starts_with("windows") {
                "\r\n"
            } else {
                "\n"
            },
        };
        let mut part = 0;
        let mut at = Position::new(0, 0);
        for (number, piece) in text.split('⟪').enumerate() {
            let plain = if number == 0 {
                piece
            } else {
                let (mark, plain) = piece.split_once('⟫').must("find the end of a mark");
                if mark == "=" {
                    part += 1;
                } else {
                    template.add_mark(part, mark, at);
                }
                plain
            };
            advance(&mut at, plain);
            template.pieces.push(Piece::Text(plain.to_owned()));
        }
        template
    }

    fn add_mark(&mut self, part: usize, mark: &str, position: Position) {
        let mut characters = mark.chars();
        let name = characters.next().must("name a site");
        let site = SiteId { part, name };
        let meaning = characters.as_str();
        let action = action(meaning);
        if let Action::Site(kind) = action {
            let earlier = self.sites.insert(site, kind);
            assert_eq!(earlier, None, "{}: {site:?} is there twice", self.name);
        }
        if matches!(meaning, "?" | "a" | "b" | "c") {
            self.asks.push(Ask { site, position });
        }
        self.pieces.push(Piece::Mark(site, action));
    }

    /// The file without marks, as it is on disk.
    pub fn base(&self) -> String {
        let plain = |piece: &Piece| match piece {
            Piece::Text(text) => Some(text.clone()),
            Piece::Mark(..) => None,
        };
        self.on_disk(&self.pieces.iter().filter_map(plain).collect::<String>())
    }

    /// `text` with the line ends of this file.
    pub(super) fn on_disk(&self, text: &str) -> String {
        text.replace('\n', self.line_end)
    }
}

fn action(meaning: &str) -> Action {
    match meaning {
        "?" => Action::Ask,
        "a" | "A" => Action::Site(Kind::After),
        "b" | "B" => Action::Site(Kind::Before),
        "c" => Action::Site(Kind::Commands),
        "|" => Action::Column(None),
        _ if meaning.starts_with('+') => Action::Also(meaning[1..].to_owned()),
        _ => {
            let column = meaning
                .strip_prefix('|')
                .and_then(|column| column.parse().ok());
            Action::Column(Some(column.must("understand a mark")))
        }
    }
}

fn advance(at: &mut Position, text: &str) {
    for character in text.chars() {
        if character == '\n' {
            *at = Position::new(at.line + 1, 0);
        } else {
            at.character += if character.len_utf16() == 2 { 2 } else { 1 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_taken_out_and_say_where_to_ask() {
        let template = Template::parse("windows.lean", "a 𝔸⟪1?⟫ b⟪1a⟫\n⟪=⟫⟪1|3⟫c⟪1B⟫\n");
        assert_eq!(template.base(), "a 𝔸 b\r\nc\r\n");
        let first = SiteId { part: 0, name: '1' };
        let second = SiteId { part: 1, name: '1' };
        let ask = |site, line, character| Ask {
            site,
            position: Position::new(line, character),
        };
        assert_eq!(template.asks, [ask(first, 0, 4), ask(first, 0, 6)]);
        assert_eq!(template.sites[&first], Kind::After);
        assert_eq!(template.sites[&second], Kind::Before);
    }
}
