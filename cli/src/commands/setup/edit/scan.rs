//! Reading JSON with comments and trailing commas, keeping where everything stands.

use serde_json::{Map, Value};

/// A file nested deeper than this is no configuration.
const MAX_DEPTH: usize = 128;

/// Why a text cannot be edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub(in crate::commands::setup) struct Fault {
    line: usize,
    message: String,
}

impl Fault {
    /// A fault at the byte index `at`.
    pub(super) fn at(text: &str, at: usize, message: String) -> Self {
        let line = text[..at].matches('\n').count() + 1;
        Self { line, message }
    }
}

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    /// Byte index of its first character.
    pub(super) start: usize,
    /// Byte index behind its last one.
    pub(super) end: usize,
    /// What it means.
    pub(super) value: Value,
    /// The members of an object, in order.
    pub(super) members: Vec<Member>,
}

/// A member of an object and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Member {
    /// Its name.
    pub(super) name: String,
    /// Byte index of its name's quotation mark.
    pub(super) start: usize,
    /// Its value.
    pub(super) node: Node,
    /// Byte index behind the comma that follows, where one does.
    pub(super) comma: Option<usize>,
}

impl Node {
    /// The member `name`.
    pub(super) fn member(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.name == name)
    }
}

/// Reads a whole file, which must hold one object.
pub(super) fn document(text: &str) -> Result<Node, Fault> {
    let mut scanner = Scanner { text, at: 0 };
    if text.starts_with('\u{feff}') {
        scanner.at = '\u{feff}'.len_utf8();
    }
    scanner.trivia()?;
    let node = scanner.value(0)?;
    scanner.trivia()?;
    if scanner.at < text.len() {
        return Err(scanner.fault("something stands behind the end of the object"));
    }
    if node.value.is_object() {
        Ok(node)
    } else {
        Err(scanner.fault("the file does not hold an object"))
    }
}

/// The end of the last thing in `text[from..to]` that is no white space: `from` when there is none. The
/// range holds white space and comments only.
pub(super) fn end_of_last_comment(text: &str, from: usize, to: usize) -> usize {
    from + text[from..to].trim_end().len()
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl Scanner<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn fault(&self, message: &str) -> Fault {
        Fault::at(self.text, self.at, message.to_owned())
    }

    fn take(&mut self, wanted: char) -> Result<(), Fault> {
        if self.peek() == Some(wanted) {
            self.at += wanted.len_utf8();
            return Ok(());
        }
        Err(self.fault(&format!("`{wanted}` is missing")))
    }

    /// Passes over white space and comments.
    fn trivia(&mut self) -> Result<(), Fault> {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            let rest = self.rest();
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                let Some(end) = rest.find("*/") else {
                    return Err(self.fault("a comment has no end"));
                };
                self.at += end + 2;
            } else {
                return Ok(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, Fault> {
        if depth > MAX_DEPTH {
            return Err(self.fault("the file is nested too deeply"));
        }
        match self.peek() {
            Some('{') => self.object(depth),
            Some('[') => self.array(depth),
            Some('"') => {
                let start = self.at;
                let text = self.string()?;
                Ok(self.leaf(start, Value::String(text)))
            }
            _ => self.word(),
        }
    }

    fn leaf(&self, start: usize, value: Value) -> Node {
        Node {
            start,
            end: self.at,
            value,
            members: Vec::new(),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Node, Fault> {
        let start = self.at;
        self.take('{')?;
        let mut members: Vec<Member> = Vec::new();
        loop {
            self.trivia()?;
            if self.peek() == Some('}') {
                break;
            }
            if members.last().is_some_and(|last| last.comma.is_none()) {
                return Err(self.fault("a comma is missing between two members"));
            }
            let member = self.member(depth)?;
            if members.iter().any(|other| other.name == member.name) {
                return Err(self.fault(&format!("`{}` occurs twice", member.name)));
            }
            members.push(member);
        }
        self.take('}')?;
        let map: Map<String, Value> = members
            .iter()
            .map(|member| (member.name.clone(), member.node.value.clone()))
            .collect();
        let mut node = self.leaf(start, Value::Object(map));
        node.members = members;
        Ok(node)
    }

    fn member(&mut self, depth: usize) -> Result<Member, Fault> {
        let start = self.at;
        let name = self.string()?;
        self.trivia()?;
        self.take(':')?;
        self.trivia()?;
        let node = self.value(depth + 1)?;
        let comma = self.comma()?;
        Ok(Member {
            name,
            start,
            node,
            comma,
        })
    }

    /// Passes over a comma, and only then over what stands before it.
    fn comma(&mut self) -> Result<Option<usize>, Fault> {
        let before = self.at;
        self.trivia()?;
        if self.peek() == Some(',') {
            self.at += 1;
            return Ok(Some(self.at));
        }
        self.at = before;
        Ok(None)
    }

    fn array(&mut self, depth: usize) -> Result<Node, Fault> {
        let start = self.at;
        self.take('[')?;
        let mut items = Vec::new();
        let mut may_go_on = true;
        loop {
            self.trivia()?;
            if self.peek() == Some(']') {
                break;
            }
            if !may_go_on {
                return Err(self.fault("a comma is missing between two items"));
            }
            items.push(self.value(depth + 1)?.value);
            may_go_on = self.comma()?.is_some();
        }
        self.take(']')?;
        Ok(self.leaf(start, Value::Array(items)))
    }

    fn string(&mut self) -> Result<String, Fault> {
        let start = self.at;
        self.take('"')?;
        let mut escaped = false;
        let length = self.rest().char_indices().find_map(|(index, character)| {
            let is_end = character == '"' && !escaped;
            escaped = character == '\\' && !escaped;
            is_end.then_some(index)
        });
        let Some(length) = length else {
            return Err(self.fault("a string has no end"));
        };
        self.at += length + 1;
        serde_json::from_str(&self.text[start..self.at])
            .map_err(|error| self.fault(&format!("a string is not understood ({error})")))
    }

    fn word(&mut self) -> Result<Node, Fault> {
        let start = self.at;
        let rest = self.rest();
        let length = rest
            .find(|character: char| {
                !(character.is_ascii_alphanumeric() || "+-.".contains(character))
            })
            .unwrap_or(rest.len());
        match serde_json::from_str(&rest[..length]) {
            Ok(value) => {
                self.at += length;
                Ok(self.leaf(start, value))
            }
            Err(_) => Err(self.fault("a value is missing or not understood")),
        }
    }
}
