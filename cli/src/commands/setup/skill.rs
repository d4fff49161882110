//! The agent skill, and where it goes.

/// Its text, as it is installed.
pub(super) const TEXT: &str = include_str!("../../../../docs/skill/SKILL.md");

/// Says in the head of the file that setup put it there, and may replace or remove it.
const MARK: &str = "installed-by: lean-beam setup";

/// True for a text that setup may replace or remove.
pub(super) fn is_ours(text: &str) -> bool {
    let head = text.strip_prefix("---\n");
    let head = head.and_then(|rest| rest.split_once("\n---\n"));
    head.is_some_and(|(head, _)| head.contains(MARK))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_skill_has_the_head_that_clients_want_and_is_short() {
        assert!(is_ours(TEXT));
        assert!(TEXT.starts_with("---\nname: lean-beam\ndescription: "));
        let description = TEXT.lines().nth(2).unwrap();
        assert!(description.len() < 1024, "clients refuse longer ones");
        assert!(TEXT.lines().count() < 120, "short enough to be read");
        assert!(!is_ours("---\nname: lean-beam\n---\nmine\n"));
    }
}
