//! What is taken out of a report before anybody sees it.
//!
//! This is a help against accidents and no filter for secrets: it knows the home directory, the values of
//! variables whose names speak of secrets, and, for confidential reports, what looks like a path or a block of
//! code. Whoever shares a report reads it first.

use std::{collections::BTreeMap, env, path::Path};

use serde_json::Value;

/// Parts of variable names that speak of a secret.
const SECRET_WORDS: [&str; 8] = [
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "_KEY",
    "APIKEY",
];
/// Shorter values than this are too likely to stand in a text for other reasons.
const SECRET_BYTES: usize = 8;
const CODE: &str = "[a code block was left out]";
const PATH: &str = "<path>";

/// What to take out of texts.
#[derive(Debug, Clone, Default)]
pub(super) struct Redaction {
    /// Texts and what stands in for them, the longest first.
    known: Vec<(String, String)>,
    /// True when anything like a path or a block of code goes, too.
    is_strict: bool,
}

impl Redaction {
    /// Takes nothing out.
    pub(super) fn none() -> Self {
        Self::default()
    }

    /// Takes out the home directory and secrets of this process's environment.
    pub(super) fn usual() -> Self {
        let variables = env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        Self::of(&variables.collect())
    }

    /// As [`Redaction::usual`], and whatever looks like a path or a block of code. `root` goes by another
    /// name, since a path with spaces does not look like one.
    pub(super) fn strict(roots: &[&Path]) -> Self {
        let mut redaction = Self::usual();
        let roots = roots.iter().filter_map(|root| root.to_str());
        redaction
            .known
            .extend(roots.map(|root| (root.to_owned(), "<project>".to_owned())));
        redaction.sort();
        redaction.is_strict = true;
        redaction
    }

    fn of(variables: &BTreeMap<String, String>) -> Self {
        let is_secret = |name: &str| {
            let name = name.to_uppercase();
            SECRET_WORDS.iter().any(|word| name.contains(word))
        };
        let secrets = variables
            .iter()
            .filter(|(name, value)| is_secret(name) && value.len() >= SECRET_BYTES)
            .map(|(name, value)| (value.clone(), format!("<value of {name}>")));
        let home = variables.get("HOME").map(|home| home.trim_end_matches('/'));
        let home = home.filter(|home| home.len() > 1);
        let home = home.map(|home| (home.to_owned(), "~".to_owned()));
        let mut redaction = Self {
            known: secrets.chain(home).collect(),
            is_strict: false,
        };
        redaction.sort();
        redaction
    }

    fn sort(&mut self) {
        self.known.retain(|(text, _)| text.len() > 1);
        self.known
            .sort_by(|(left, _), (right, _)| right.len().cmp(&left.len()).then(left.cmp(right)));
    }

    /// `text` without what is to be taken out.
    pub(super) fn text(&self, text: &str) -> String {
        let mut text = if self.is_strict {
            without_code_blocks(text)
        } else {
            text.to_owned()
        };
        for (known, instead) in &self.known {
            text = replaced(&text, known, instead);
        }
        if self.is_strict {
            text = without_paths(&text);
        }
        text
    }

    /// `value` with every text in it, names of members included, without what is to be taken out.
    pub(super) fn value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(&text)),
            Value::Array(items) => items.into_iter().map(|item| self.value(item)).collect(),
            Value::Object(members) => members
                .into_iter()
                .map(|(name, value)| (self.text(&name), self.value(value)))
                .collect(),
            other => other,
        }
    }
}

/// Replaces `known` where it ends as a path or a word does, so that `/home/me` is not found in `/home/melissa`.
fn replaced(text: &str, known: &str, instead: &str) -> String {
    let mut done = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(known) {
        let (before, found) = rest.split_at(at);
        let after = &found[known.len()..];
        let goes_on = after
            .chars()
            .next()
            .is_some_and(|next| next.is_alphanumeric() || next == '_' || next == '-');
        done.push_str(before);
        done.push_str(if goes_on && known.starts_with('/') {
            known
        } else {
            instead
        });
        rest = after;
    }
    done.push_str(rest);
    done
}

/// `text` with a remark in place of each fenced or indented block of code, an unclosed one included.
fn without_code_blocks(text: &str) -> String {
    let mut lines = Vec::new();
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let start = line.trim_start();
        let marker = ["```", "~~~"]
            .into_iter()
            .find(|marker| start.starts_with(marker));
        match (fence, marker) {
            (None, Some(marker)) => {
                fence = Some(marker);
                lines.push(CODE);
            }
            (Some(open), Some(marker)) if open == marker => fence = None,
            (Some(_), _) => {}
            (None, None) if is_indented(line) => {
                if lines.last() != Some(&CODE) {
                    lines.push(CODE);
                }
            }
            (None, None) => lines.push(line),
        }
    }
    lines.join("\n")
}

fn is_indented(line: &str) -> bool {
    (line.starts_with("    ") || line.starts_with('\t')) && !line.trim().is_empty()
}

/// `text` with `<path>` in place of every word that looks like a path.
fn without_paths(text: &str) -> String {
    let is_border =
        |character: char| character.is_whitespace() || "\"'`()[]{},;<>|=".contains(character);
    let mut done = String::with_capacity(text.len());
    let mut word = String::new();
    for character in text.chars().chain([' ']) {
        if is_border(character) {
            done.push_str(if looks_like_a_path(&word) {
                PATH
            } else {
                &word
            });
            word.clear();
            done.push(character);
        } else {
            word.push(character);
        }
    }
    done.pop();
    done
}

fn looks_like_a_path(word: &str) -> bool {
    let word = word.trim_end_matches(['.', ':', '!', '?']);
    let begins = ["/", "~/", "./", "../", "file:"]
        .iter()
        .any(|start| word.starts_with(start));
    (begins && word.len() > 1) || word.contains(".lean") || word.contains(":/")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn variables(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        pairs.iter().map(owned).collect()
    }

    #[test]
    fn the_home_directory_and_secrets_go_and_their_neighbours_stay() {
        let redaction = Redaction::of(&variables(&[
            ("HOME", "/home/me/"),
            ("GITHUB_TOKEN", "abcdefgh12"),
            ("MY_PASSWORD", "short"),
            ("EDITOR", "visual-editor"),
        ]));
        assert_eq!(
            redaction.text("/home/me/p and /home/melissa, /home/me: short visual-editor"),
            "~/p and /home/melissa, ~: short visual-editor"
        );
        assert_eq!(
            redaction.text("auth=abcdefgh12!"),
            "auth=<value of GITHUB_TOKEN>!"
        );
        let value = json!({"/home/me/a": ["abcdefgh12", 1, {"x": "/home/me"}]});
        assert_eq!(
            redaction.value(value),
            json!({"~/a": ["<value of GITHUB_TOKEN>", 1, {"x": "~"}]})
        );
        assert_eq!(Redaction::none().text("/home/me"), "/home/me");
    }

    #[test]
    fn a_home_that_is_everything_is_no_home() {
        let redaction = Redaction::of(&variables(&[("HOME", "/")]));
        assert_eq!(redaction.text("/a/b"), "/a/b");
    }

    #[test]
    fn strictly_no_path_and_no_code_is_left() {
        let redaction = Redaction::strict(&[Path::new("/srv/a project")]);
        assert_eq!(
            redaction.text(
                "In /srv/a project/X, see /etc/passwd: `Secret/Deep.lean:3` (~/x) n/2 = 1/2."
            ),
            "In <project><path>, see <path> `<path>` (<path>) n/2 = 1/2."
        );
        let text = "Before\n```lean\ntheorem secret\n```\nbetween\n    indented secret\n\nafter\n~~~\nopen secret";
        assert_eq!(
            redaction.text(text),
            format!("Before\n{CODE}\nbetween\n{CODE}\n\nafter\n{CODE}")
        );
        assert_eq!(redaction.text("file:///a/b and x:/y"), "<path> and <path>");
    }

    #[test]
    fn what_is_longer_is_taken_out_first() {
        let redaction = Redaction::of(&variables(&[
            ("HOME", "/home/me"),
            ("A_TOKEN", "/home/me/token-value"),
        ]));
        assert_eq!(redaction.text("/home/me/token-value"), "<value of A_TOKEN>");
    }
}
