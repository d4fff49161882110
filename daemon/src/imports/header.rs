//! The import lines at the top of a file. Pure.

/// Names of the modules that `text` imports, in order, as they are written without quotation marks («»).
///
/// Reads the header only: `module`, `prelude`, then `import` lines with their modifiers (`public`, `meta`,
/// `all`), with comments anywhere between.
pub(super) fn imports_of(text: &str) -> Vec<String> {
    let mut tokens = Tokens {
        rest: text.strip_prefix('\u{feff}').unwrap_or(text),
    };
    let mut imports = Vec::new();
    while let Some(token) = tokens.next() {
        match token {
            "module" | "prelude" | "public" | "meta" | "private" | "runtime" => {}
            "import" => {
                let mut name = tokens.next();
                if name == Some("all") {
                    name = tokens.next();
                }
                imports.extend(name.map(|name| name.replace(['«', '»'], "")));
            }
            _ => break,
        }
    }
    imports
}

struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Tokens<'a> {
    fn next(&mut self) -> Option<&'a str> {
        self.skip_blank();
        let mut quoted = false;
        let end = self.rest.find(|character: char| {
            match character {
                '«' => quoted = true,
                '»' => quoted = false,
                _ => {}
            }
            !quoted
                && (character.is_whitespace() || matches!(character, '-' | '/' | '(' | '@' | '#'))
        });
        let end = match end {
            // Something that is no word: the header is over.
            Some(0) => return None,
            Some(end) => end,
            None => self.rest.len(),
        };
        let (token, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!token.is_empty()).then_some(token)
    }

    fn skip_blank(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            if let Some(comment) = self.rest.strip_prefix("--") {
                self.rest = comment.split_once('\n').map_or("", |(_, rest)| rest);
            } else if self.rest.starts_with("/-")
                && !self.rest.starts_with("/--")
                && !self.rest.starts_with("/-!")
            {
                self.rest = after_block_comment(self.rest);
            } else {
                return;
            }
        }
    }
}

/// What follows the block comment at the start of `text`; comments nest.
fn after_block_comment(text: &str) -> &str {
    let mut depth = 0;
    let bytes = text.as_bytes();
    let mut at = 0;
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"/-" => {
                depth += 1;
                at += 2;
            }
            b"-/" => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return &text[at..];
                }
            }
            _ => at += 1,
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn imports_are_found_with_modifiers_and_between_comments() {
        let text = "/- a /- nested -/ -/\nmodule -- x\nprelude\nimport A.B\npublic import  C\npublic meta import all D.«odd name»\n/- x -/ import E import F\n\ndef import := 1\nimport G";
        assert_eq!(imports_of(text), ["A.B", "C", "D.odd name", "E", "F"]);
    }

    #[test]
    fn a_header_ends_with_the_first_command_or_documentation() {
        for text in [
            "",
            "def a := 1\nimport A",
            "/-! doc -/\nimport A",
            "/-- doc -/ import A",
            "-- import A",
            "/- import A",
            "#eval 1",
            "@[simp] import A",
        ] {
            assert!(imports_of(text).is_empty(), "{text:?}");
        }
        assert_eq!(imports_of("import A\n/-! doc -/\nimport B"), ["A"]);
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[a-z«»/\\- \n.@(import)]{0,60}") {
            imports_of(&text);
        }
    }
}
