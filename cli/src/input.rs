//! Texts that a command takes: from the command line, from standard input or from a file.

use std::{
    fs,
    io::{self, Read as _},
    path::Path,
    thread,
};

use lean_beam_proto::{BeamError, ErrorCode};
use tokio::sync::oneshot;

use crate::{app::Failure, args::TextSourceArgs};

/// A text to run, and what it is called where a place in it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text {
    /// `text`, `<stdin>` or the file as it was named.
    pub(crate) name: String,
    /// The text, without the line end that closes a file.
    pub(crate) text: String,
}

/// The one text of a command: what stands on the command line, or what `source` names.
///
/// # Errors
/// A wrong command line when there is no text, more than one, or none that can be read.
pub(crate) async fn text(inline: &[String], source: &TextSourceArgs) -> Result<Text, Failure> {
    let has_option = source.stdin || source.text_file.is_some();
    match inline {
        [] if has_option => named(source).await,
        [] => Err(usage("there is no text to run", TEXT_HINT)),
        [text] if !has_option => Ok(Text {
            name: "text".to_owned(),
            text: text.clone(),
        }),
        [text, ..] if has_option => {
            let message = format!("the text is given twice: {text:?} and with an option");
            Err(usage(&message, TEXT_HINT))
        }
        _ => Err(usage("there is more than one text to run", QUOTE_HINT)),
    }
}

async fn named(source: &TextSourceArgs) -> Result<Text, Failure> {
    let (name, text) = match &source.text_file {
        Some(file) => (file.display().to_string(), file_text(file)?),
        None => ("<stdin>".to_owned(), standard_input().await?),
    };
    Ok(Text {
        name,
        text: without_last_line_end(text),
    })
}

const TEXT_HINT: &str = "Write it behind the position (after -- if it starts with a dash), or name it with --stdin or --text-file FILE.";
const QUOTE_HINT: &str = "Quote it as one argument: 'exact h.left'.";
const CANDIDATES_HINT: &str = "Write them behind the position, each quoted, or name them with --stdin or --candidates-file FILE: one a line, or a JSON array of strings.";

/// The candidates of a command: those on the command line, in `file` or on standard input.
///
/// # Errors
/// A wrong command line when there are none, or none that can be read.
pub(crate) async fn candidates(
    inline: &[String],
    stdin: bool,
    file: Option<&Path>,
) -> Result<Vec<String>, Failure> {
    if !inline.is_empty() && (stdin || file.is_some()) {
        let message = "candidates are given on the command line and with an option";
        return Err(usage(message, CANDIDATES_HINT));
    }
    let found = match file {
        Some(file) => listed(&file_text(file)?).map_err(Failure::Usage)?,
        None if stdin => listed(&standard_input().await?).map_err(Failure::Usage)?,
        None => inline.to_vec(),
    };
    if found.is_empty() {
        return Err(usage("there are no candidates", CANDIDATES_HINT));
    }
    Ok(found)
}

/// One candidate a line, without empty ones, or a JSON array of strings. No tactic and no command begins
/// with a bracket, so that tells which it is.
fn listed(text: &str) -> Result<Vec<String>, BeamError> {
    if text.trim_start().starts_with('[') {
        return serde_json::from_str(text).map_err(|error| {
            invalid(
                &format!("the candidates are no JSON array of strings: {error}"),
                CANDIDATES_HINT,
            )
        });
    }
    let lines = text.lines().map(str::trim_end);
    Ok(lines
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect())
}

/// All of standard input, read on a thread of its own so that Ctrl-C is heard meanwhile.
///
/// # Errors
/// A wrong command line when it cannot be read as text.
pub(crate) async fn standard_input() -> Result<String, Failure> {
    let (text_tx, text_rx) = oneshot::channel();
    thread::spawn(move || {
        let mut text = String::new();
        let outcome = io::stdin().read_to_string(&mut text).map(|_| text);
        // Nobody receives it when a signal came first.
        drop(text_tx.send(outcome));
    });
    let text = text_rx
        .await
        .map_err(|_closed| io::Error::other("standard input ended unexpectedly"))?;
    text.map_err(|error| unreadable("standard input", &error))
}

/// All of a file.
///
/// # Errors
/// A wrong command line when it cannot be read as text.
pub(crate) fn file_text(file: &Path) -> Result<String, Failure> {
    fs::read_to_string(file).map_err(|error| unreadable(&file.display().to_string(), &error))
}

fn unreadable(what: &str, error: &io::Error) -> Failure {
    let reason = match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::InvalidData => "it is not UTF-8".to_owned(),
        _ => error.to_string(),
    };
    let message = format!("cannot read {what}: {reason}");
    Failure::Usage(BeamError::new(ErrorCode::InvalidInput, message))
}

/// Programs and editors end a text with a line end that is no part of it.
fn without_last_line_end(mut text: String) -> String {
    if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    text
}

fn usage(message: &str, hint: &str) -> Failure {
    Failure::Usage(invalid(message, hint))
}

fn invalid(message: &str, hint: &str) -> BeamError {
    BeamError::new(ErrorCode::InvalidInput, message).with_hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    fn file(content: &[u8]) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(&file, content).unwrap();
        file
    }

    fn from_file(file: &tempfile::NamedTempFile) -> TextSourceArgs {
        TextSourceArgs {
            stdin: false,
            text_file: Some(file.path().to_owned()),
        }
    }

    #[tokio::test]
    async fn a_text_stands_on_the_command_line_or_in_a_file() {
        let given = owned(&["simp\n"]);
        let inline = text(&given, &TextSourceArgs::default()).await.unwrap();
        assert_eq!(
            (inline.name.as_str(), inline.text.as_str()),
            ("text", "simp\n")
        );
        let file = file(b"intro x\r\nsimp\r\n");
        let read = text(&[], &from_file(&file)).await.unwrap();
        assert_eq!(read.text, "intro x\r\nsimp");
        assert_eq!(read.name, file.path().display().to_string());
    }

    #[tokio::test]
    async fn no_text_and_two_texts_are_wrong_command_lines() {
        let file = file(b"simp");
        let bad = file_of_bad_bytes();
        let missing = TextSourceArgs {
            stdin: false,
            text_file: Some("/nonexistent/text".into()),
        };
        for (inline, source, said) in [
            (vec![], TextSourceArgs::default(), "no text"),
            (
                owned(&["exact", "h"]),
                TextSourceArgs::default(),
                "more than one",
            ),
            (owned(&["simp"]), from_file(&file), "twice"),
            (vec![], from_file(&bad), "not UTF-8"),
            (vec![], missing, "no such file"),
        ] {
            let failure = text(&inline, &source).await.unwrap_err();
            let Failure::Usage(error) = failure else {
                panic!("{failure:?}");
            };
            assert!(error.message.contains(said), "{error}");
        }
    }

    fn file_of_bad_bytes() -> tempfile::NamedTempFile {
        file(b"exact \xff")
    }

    #[test]
    fn candidates_are_lines_or_a_json_array() {
        assert_eq!(listed("simp\r\n\n  rfl  \n").unwrap(), ["simp", "  rfl"]);
        assert_eq!(
            listed(" [\"intro x\\nsimp\", \"rfl\"]\n").unwrap(),
            ["intro x\nsimp", "rfl"]
        );
        for text in ["[simp", "[1]", "[\"a\"] b"] {
            assert_eq!(listed(text).unwrap_err().code, ErrorCode::InvalidInput);
        }
    }

    #[tokio::test]
    async fn candidates_come_from_one_place() {
        let file = file(b"simp\nrfl\n");
        let found = candidates(&[], false, Some(file.path())).await.unwrap();
        assert_eq!(found, ["simp", "rfl"]);
        assert!(
            candidates(&owned(&["simp"]), false, Some(file.path()))
                .await
                .is_err()
        );
        assert!(candidates(&[], false, None).await.is_err());
    }

    proptest::proptest! {
        #[test]
        fn any_list_of_texts_can_be_given_as_json(texts: Vec<String>) {
            let json = serde_json::to_string(&texts).unwrap();
            proptest::prop_assert_eq!(listed(&json).unwrap(), texts);
        }
    }
}
