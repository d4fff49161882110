//! Which command is around a position, and where it ends.

use lean_beam_proto::text::Position;

use super::{
    lexer::{Kind, Lexer, Token},
    outline::{Source, continues_command, is_header, is_line_start, is_modifier, starts_command},
};
use crate::text::DocumentText;

/// Most candidates that are given.
const LIMIT: usize = 6;

/// Byte offsets where the command that contains `position` may end, likeliest first, no duplicates, at
/// most 6. Blanks and comments belong to the command before them; before the first command there is only
/// the start of the file.
pub(crate) fn command_candidates(text: &DocumentText, position: Position) -> Vec<usize> {
    let Ok(offset) = text.offset(position) else {
        return Vec::new();
    };
    let text = text.as_str();
    let mut found = Vec::new();
    let mut commands = Splitter::new(text);
    while found.len() < LIMIT
        && let Some(command) = commands.next_command()
    {
        if command.end > offset {
            found.push(command.tokens.last().map_or(0, |last| last.end));
        }
    }
    found
}

/// The tokens of one command, without comments.
#[derive(Debug, Default)]
pub(super) struct Command {
    tokens: Vec<Token>,
    /// Where the next command starts, or after the end of the text.
    end: usize,
}

impl Command {
    pub(super) fn source<'a>(&'a self, text: &'a str) -> Source<'a> {
        Source {
            text,
            tokens: &self.tokens,
            end: self.end.min(text.len()),
        }
    }
}

/// The command that contains `offset`, with the blanks behind it.
pub(super) fn command_around(text: &str, offset: usize) -> Command {
    let mut commands = Splitter::new(text);
    while let Some(command) = commands.next_command() {
        if command.end > offset {
            return command;
        }
    }
    Command::default()
}

/// True if nothing but blanks and comments of the command around `position` stands behind it.
pub(crate) fn is_behind_command(text: &DocumentText, position: Position) -> bool {
    let Ok(offset) = text.offset(position) else {
        return false;
    };
    let command = command_around(text.as_str(), offset);
    command.tokens.last().is_none_or(|last| last.end <= offset)
}

/// Where the command around a byte offset starts.
pub(crate) fn command_start(text: &DocumentText, offset: usize) -> Position {
    let command = command_around(text.as_str(), offset);
    text.position(command.tokens.first().map_or(0, |first| first.start))
}

/// Cuts a text into commands.
///
/// Lean knows the grammar of every command. We know the words that start one wherever they stand, and
/// that hardly anything else stands at the very start of a line.
struct Splitter<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    /// The command that is being read.
    tokens: Vec<Token>,
    /// Where the doc comment, attributes and modifiers begin that its last token belongs to.
    prefix: Option<usize>,
    /// Brackets that are open in it.
    depth: usize,
    /// How many were open where a list of attributes began, inside that.
    attributes: Option<usize>,
    /// True from `mutual` to its `end`.
    mutual: bool,
    /// How far we are in the file.
    stage: Stage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Start,
    Commands,
    End,
}

impl<'a> Splitter<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            lexer: Lexer::new(text),
            tokens: Vec::new(),
            prefix: None,
            depth: 0,
            attributes: None,
            mutual: false,
            stage: Stage::Start,
        }
    }

    /// The next command. The blanks before the first are one too, unless the file has a header.
    fn next_command(&mut self) -> Option<Command> {
        while let Some(token) = self.lexer.find(|token| !token.kind.is_space()) {
            let cut = self.cut(token);
            self.stage = Stage::Commands;
            let command = cut.map(|at| self.take(at, token.start));
            self.push(token);
            if command.is_some() {
                return command;
            }
        }
        let ended = std::mem::replace(&mut self.stage, Stage::End) == Stage::End;
        (!ended).then(|| self.take(self.tokens.len(), usize::MAX))
    }

    /// Takes the first `at` tokens; what is left begins the next command, or else the token at `next`.
    fn take(&mut self, at: usize, next: usize) -> Command {
        let rest = self.tokens.split_off(at);
        (self.depth, self.attributes) = (0, None);
        self.prefix = (!rest.is_empty()).then_some(0);
        Command {
            end: rest.first().map_or(next, |first| first.start),
            tokens: std::mem::replace(&mut self.tokens, rest),
        }
    }

    fn word(&self, token: Token) -> &'a str {
        &self.text[token.start..token.end]
    }

    /// How many tokens of the present command are left in it if `token` begins a new one.
    fn cut(&mut self, token: Token) -> Option<usize> {
        let word = self.word(token);
        let first = self.tokens.first().map(|first| self.word(*first));
        if self.stage == Stage::Start {
            return (!is_header(word)).then_some(0);
        }
        if !self.begins(token) || (first.is_some_and(is_header) && is_header(word)) {
            return None;
        }
        if self.mutual {
            self.mutual = word != "end";
            return None;
        }
        let at = self.prefix.unwrap_or(self.tokens.len());
        // `open Nat in` and the like belong to what follows them.
        let continues = at == 0 || self.word(self.tokens[at - 1]) == "in";
        (!continues).then_some(at)
    }

    /// True for a token that starts a command, or goes on with what comes before one.
    fn begins(&self, token: Token) -> bool {
        let word = self.word(token);
        match token.kind {
            Kind::DocComment => self.is_flush(token),
            Kind::Word if starts_command(word) => {
                // `attribute [local instance]`
                self.attributes.is_none() || is_line_start(self.text, token.start)
            }
            Kind::Word => self.is_flush(token) && !continues_command(word),
            Kind::Symbol if word == "@[" => is_line_start(self.text, token.start),
            Kind::Symbol if word == "#" => {
                let named =
                    self.text[token.end..].starts_with(|next: char| next.is_ascii_alphabetic());
                named && is_line_start(self.text, token.start)
            }
            _ => false,
        }
    }

    /// True at the very start of a line, outside brackets.
    fn is_flush(&self, token: Token) -> bool {
        self.depth == 0 && (token.start == 0 || self.text[..token.start].ends_with('\n'))
    }

    fn push(&mut self, token: Token) {
        let word = self.word(token);
        self.note_prefix(token, word);
        match token.kind {
            Kind::Word => self.mutual |= self.tokens.is_empty() && word == "mutual",
            Kind::Symbol => self.count_bracket(word),
            _ => {}
        }
        if self.attributes.is_some_and(|around| self.depth <= around) {
            self.attributes = None;
        }
        self.tokens.push(token);
    }

    fn count_bracket(&mut self, word: &str) {
        let listed = || {
            self.tokens
                .last()
                .is_some_and(|last| self.word(*last) == "attribute")
        };
        match word {
            "@[" => self.attributes = Some(self.depth),
            "[" if listed() => self.attributes = Some(self.depth),
            _ => {}
        }
        match word {
            "(" | "[" | "{" | "⟨" | "@[" => self.depth += 1,
            ")" | "]" | "}" | "⟩" => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }

    /// Keeps account of the doc comment, attributes and modifiers that the present command ends in.
    fn note_prefix(&mut self, token: Token, word: &str) {
        let belongs = match token.kind {
            Kind::DocComment => word.starts_with("/--"),
            Kind::Word => is_modifier(word),
            Kind::Symbol => word == "@[",
            _ => false,
        };
        if belongs {
            self.prefix.get_or_insert(self.tokens.len());
        } else if self.attributes.is_none() {
            self.prefix = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is kept of a text that has `‸` at the position, for each candidate.
    fn ends(marked: &str) -> Vec<String> {
        let text = DocumentText::new(marked.replace('‸', ""));
        let position = text.position(marked.find('‸').unwrap());
        let ends = command_candidates(&text, position);
        ends.into_iter()
            .map(|end| text.as_str()[..end].to_owned())
            .collect()
    }

    fn ends_with(marked: &str, expected: &str) {
        let ends = ends(marked);
        assert!(ends[0].ends_with(expected), "{marked}\n{ends:?}");
    }

    #[test]
    fn a_command_ends_with_its_last_token() {
        ends_with("def a ‸:= 1 -- one\n\n/-- Doc. -/\ndef b := 2", "a := 1");
        ends_with("def a := 1 -- one\n‸\n/-- Doc. -/\ndef b := 2", "a := 1");
        ends_with(
            "def a := 1\n‸@[simp, instance] private theorem b : p := by\n  rfl\n#check b",
            "rfl",
        );
        ends_with(
            "def a := 1\n@[simp] ‸private theorem b : p := by\n  rfl\n#check b",
            "rfl",
        );
    }

    #[test]
    fn what_leads_to_a_command_belongs_to_it() {
        ends_with(
            "open Nat in\n‸/-- Doc. -/\ntheorem a : p := b\ndef c := 1",
            "p := b",
        );
        ends_with(
            "‸structure A where\n  /-- Doc. -/\n  a : Nat\nderiving Repr\nderiving instance BEq for A",
            "Repr",
        );
        ends_with("mutual\ndef ‸a := 1\ndef b := 2\nend\n#check a", "end");
        ends_with("attribute ‸[local instance] a\ndef b := 2", "instance] a");
    }

    #[test]
    fn indented_commands_are_commands() {
        ends_with(
            "section\n  def a‸ := 1\n  @[simp] theorem b : p := c\nend",
            "a := 1",
        );
        ends_with("section\n  #check‸ 1\n  #eval 2\nend", "#check 1");
    }

    #[test]
    fn brackets_that_nothing_closes_end_with_the_command() {
        ends_with("theorem a : p := ⟨b‸,\n\ntheorem c : q := d", "⟨b,");
    }

    #[test]
    fn the_imports_are_one_command() {
        ends_with("‸\nimport A\nimport B\n\ndef a := 1", "import B");
        assert_eq!(ends("‸\n\ndef a := 1")[0], "");
        assert_eq!(ends("‸"), [""]);
    }

    #[test]
    fn behind_a_command_there_is_only_white_space_of_it() {
        let is_behind = |marked: &str| {
            let text = DocumentText::new(marked.replace('‸', ""));
            is_behind_command(&text, text.position(marked.find('‸').unwrap()))
        };
        assert!(is_behind("theorem a : p := by\n  rfl‸\n\ndef b := 2"));
        assert!(is_behind("theorem a : p := by\n  rfl\n‸\ndef b := 2"));
        assert!(is_behind("theorem a : p := by\n  rfl -- so\n ‸ "));
        assert!(!is_behind("theorem a : p := by\n  ‸rfl\n\ndef b := 2"));
        assert!(!is_behind("theorem a : p := by\n  skip\n  ‸\n  rfl"));
        assert!(!is_behind("theorem a : p := by\n  rfl\n‸def b := 2"));
    }

    #[test]
    fn later_ends_come_after_the_likeliest() {
        let kept: Vec<usize> = ends("‸def a := 1\ndef b := 2\n")
            .iter()
            .map(String::len)
            .collect();
        assert_eq!(kept, [10, 21]);
    }
}
