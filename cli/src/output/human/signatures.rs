//! What a function takes.

use lean_beam_proto::op::SignatureHelpResult;

use super::{
    hover::markdown,
    style::{CODE, GOOD, styled},
};

/// One signature a line, the one that applies marked where there are several, with its documentation.
pub(crate) fn signatures(result: &SignatureHelpResult, asked: &str) -> String {
    if result.signatures.is_empty() {
        return format!("nothing is applied at {asked}\n");
    }
    let is_one = result.signatures.len() == 1;
    let mut text = String::new();
    for (index, signature) in (0..).zip(&result.signatures) {
        let mark = match result.active_signature {
            _ if is_one => String::new(),
            Some(active) if active == index => format!("{} ", styled(GOOD, "▸")),
            _ => "  ".to_owned(),
        };
        text.push_str(&format!("{mark}{}\n", styled(CODE, &signature.label)));
        text.push_str(
            &signature
                .documentation
                .as_deref()
                .map_or_else(String::new, markdown),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use lean_beam_proto::op::Signature;

    use super::*;

    fn shown(labels: &[&str], active_signature: Option<u32>) -> String {
        let signature = |label: &&str| Signature {
            label: (*label).to_owned(),
            documentation: None,
        };
        let result = SignatureHelpResult {
            version: 1,
            signatures: labels.iter().map(signature).collect(),
            active_signature,
        };
        anstream::adapter::strip_str(&signatures(&result, "A.lean:1:2")).to_string()
    }

    #[test]
    fn the_one_that_applies_is_marked_among_several() {
        assert_eq!(shown(&["(n : Nat) → Nat"], Some(0)), "(n : Nat) → Nat\n");
        assert_eq!(shown(&["a", "b"], Some(1)), "  a\n▸ b\n");
        assert_eq!(shown(&[], None), "nothing is applied at A.lean:1:2\n");
    }
}
