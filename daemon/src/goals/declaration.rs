//! Which keyword declares a name.

use super::{
    tokens::{TokenKind, tokens},
    words::declaring,
};

/// The keyword that declares what comes right after `before`, such as `theorem` after
/// `@[simp] private theorem `. A `class inductive` is a `class`. `None` where there is no such keyword.
pub(crate) fn declaring_keyword(before: &str) -> Option<&'static str> {
    tokens(before)
        .filter(|token| token.kind == TokenKind::Word)
        .find_map(|token| declaring(&before[token.span]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modifiers_attributes_and_comments_are_passed_over() {
        let doc = "/-- A theorem about a def. -/\n@[simp, inline] private noncomputable def ";
        assert_eq!(declaring_keyword(doc), Some("def"));
        assert_eq!(declaring_keyword("class inductive "), Some("class"));
        assert_eq!(declaring_keyword("  | "), None);
        assert_eq!(declaring_keyword(""), None);
    }
}
