//! The rules of a rewriting tactic.

use std::ops::Range;

use super::super::tokens::{Token, TokenKind};

/// The rules between the brackets of a rewriting tactic.
pub(super) fn rewrite_rules(text: &str, tokens: &[Token]) -> Vec<Range<usize>> {
    let mut rules: Vec<Range<usize>> = Vec::new();
    let mut open = 0_usize;
    let mut fresh = true;
    for token in &tokens[rules_start(text, tokens)..] {
        match token.kind {
            TokenKind::Close if open == 0 => break,
            TokenKind::Symbol if open == 0 && &text[token.span.clone()] == "," => {
                fresh = true;
                continue;
            }
            TokenKind::Open => open += 1,
            TokenKind::Close => open -= 1,
            _ => {}
        }
        match rules.last_mut().filter(|_| !fresh) {
            Some(rule) => rule.end = token.span.end,
            None => rules.push(token.span.clone()),
        }
        fresh = false;
    }
    rules
}

/// Number of the token behind the first `[` that is in no other bracket; the number of tokens without one.
fn rules_start(text: &str, tokens: &[Token]) -> usize {
    let mut open = 0_usize;
    for (number, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Open if open == 0 && &text[token.span.clone()] == "[" => return number + 1,
            TokenKind::Open => open += 1,
            TokenKind::Close => open = open.saturating_sub(1),
            _ => {}
        }
    }
    tokens.len()
}
