//! What Lean says about a position: Markdown, shown lightly.

use lean_beam_proto::op::HoverResult;

use super::{
    Subject,
    style::{CODE, DIM, STRONG, styled},
};

/// Shown instead of a Markdown rule.
const RULE: &str = "────────";

/// The text under the place that it is about.
pub(crate) fn hover(result: &HoverResult, subject: Subject<'_>) -> String {
    let place = match result.range {
        Some(range) => subject.place(range.start),
        None => subject.asked.to_owned(),
    };
    match &result.contents {
        Some(contents) => format!("{}\n{}", styled(STRONG, place), markdown(contents)),
        None => format!("Lean says nothing about {}\n", subject.asked),
    }
}

/// Code in color without its fences, rules as lines, all else as it is.
pub(super) fn markdown(text: &str) -> String {
    let mut shown = String::new();
    let mut in_code = false;
    for line in text.trim().lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if in_code {
            shown.push_str(&format!("{}\n", styled(CODE, line)));
        } else if matches!(line.trim(), "***" | "---" | "___") {
            shown.push_str(&format!("{}\n", styled(DIM, RULE)));
        } else {
            shown.push_str(&format!("{line}\n"));
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use lean_beam_proto::text::{Position, Range};

    use super::*;

    fn shown(contents: Option<&str>, range: Option<Range>) -> String {
        let result = HoverResult {
            version: 1,
            contents: contents.map(str::to_owned),
            range,
        };
        let subject = Subject {
            path: "A.lean",
            asked: "A.lean:3:7",
            source: None,
        };
        anstream::adapter::strip_str(&hover(&result, subject)).to_string()
    }

    #[test]
    fn fences_go_and_code_and_prose_stay() {
        let range = Range::new(Position::new(2, 4), Position::new(2, 9));
        let contents =
            "```lean\nNat.succ (n : Nat) : Nat\n```\n***\nThe next `Nat`.\n***\n*import Init*";
        assert_eq!(
            shown(Some(contents), Some(range)),
            "A.lean:3:5\nNat.succ (n : Nat) : Nat\n────────\nThe next `Nat`.\n────────\n*import Init*\n"
        );
    }

    #[test]
    fn silence_is_said() {
        assert_eq!(shown(None, None), "Lean says nothing about A.lean:3:7\n");
    }
}
