//! What tokens a text has, by example and for whatever looks like Lean.

use proptest::prelude::*;

use super::*;

fn read(text: &str) -> Vec<(Kind, &str)> {
    Lexer::new(text)
        .map(|token| (token.kind, &text[token.start..token.end]))
        .collect()
}

#[test]
fn names_keep_their_dots_primes_and_quotes() {
    let text = "h'.left «a b».x₁ 𝓅 simp? s.1 h.";
    let words = ["h'.left", "«a b».x₁", "𝓅", "simp?", "s"];
    let rest = [
        (Kind::Symbol, "."),
        (Kind::Number, "1"),
        (Kind::Word, "h"),
        (Kind::Symbol, "."),
    ];
    let expected: Vec<_> = words
        .map(|word| (Kind::Word, word))
        .into_iter()
        .chain(rest)
        .collect();
    assert_eq!(read(text), expected);
}

#[test]
fn symbols_are_as_long_as_they_mean_something() {
    let symbols: Vec<&str> = read("t <;> s => := λ|·@[")
        .into_iter()
        .map(|(_, word)| word)
        .collect();
    assert_eq!(symbols, ["t", "<;>", "s", "=>", ":=", "λ", "|", "·", "@["]);
}

#[test]
fn comments_nest_and_doc_comments_are_apart() {
    let text = "/- a /- b -/ c -/ x -- y\n/-- z -/ /-! w -/";
    let kinds: Vec<Kind> = read(text).into_iter().map(|(kind, _)| kind).collect();
    let expected = [
        Kind::BlockComment,
        Kind::Word,
        Kind::LineComment,
        Kind::DocComment,
        Kind::DocComment,
    ];
    assert_eq!(kinds, expected);
}

#[test]
fn quotes_of_every_kind() {
    let literals = [
        r#""a \" b""#,
        r###"r#"a " b"#"###,
        r#"r"\""#,
        "'\"'",
        r"'\''",
        r"'\u03b1'",
    ];
    for literal in literals {
        let text = format!("{literal} h'");
        let tokens = read(&text);
        assert_eq!(tokens[0].1, literal);
        assert!(matches!(tokens[0].0, Kind::String | Kind::Character));
        assert_eq!(tokens[1..], [(Kind::Word, "h'")]);
    }
}

#[test]
fn the_holes_of_an_interpolated_string_are_code() {
    let tokens = read(r#"s!"a {f {x} "}"} \{ b" y"#);
    let strings: Vec<&str> = tokens
        .iter()
        .filter(|(kind, _)| *kind == Kind::String)
        .map(|(_, text)| *text)
        .collect();
    assert_eq!(strings, [r#""a {"#, r#""}""#, r#"} \{ b""#]);
    assert_eq!(tokens.last(), Some(&(Kind::Word, "y")));
}

#[test]
fn what_nothing_closes_reaches_to_the_end() {
    assert_eq!(
        read("x /- y /- z -/")[1],
        (Kind::OpenComment, "/- y /- z -/")
    );
    assert_eq!(read("x \"y \\")[1], (Kind::OpenString, "\"y \\"));
    assert_eq!(read("x r#\"y\" z")[1].0, Kind::OpenString);
}

proptest! {
    #[test]
    fn tokens_cover_everything_but_blanks(text in r#"(\PC|[ \n\r\t"'«»{}/\-!r#\\.]){0,60}"#) {
        let mut end = 0;
        for token in Lexer::new(&text) {
            prop_assert!(token.start < token.end, "progress");
            prop_assert!(text[end..token.start].chars().all(|gap| matches!(gap, ' ' | '\n' | '\r' | '\t')));
            prop_assert!(text.is_char_boundary(token.end));
            end = token.end;
        }
        prop_assert!(text[end..].chars().all(|gap| matches!(gap, ' ' | '\n' | '\r' | '\t')));
    }
}
