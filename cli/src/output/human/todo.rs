//! What is left to do, each with its source line, its goals and what to try.

use annotate_snippets::Level;
use anstyle::Style;
use lean_beam_proto::op::{ProofStatus, TodoItem, TodoKind, TodoResult};

use super::{
    Subject, cut,
    diagnostics::Note,
    goals::goal_text,
    style::{CARE, CODE, DIM, GOOD, NEWS, STRONG, styled},
    words::counted,
};

/// The items, then how many of each kind there are.
pub(crate) fn todo(result: &TodoResult, subject: Subject<'_>) -> String {
    if result.items.is_empty() {
        let path = styled(STRONG, subject.path);
        return format!("{} {path}: nothing is left to do\n", styled(GOOD, "✓"));
    }
    let mut text: String = entries(&result.items)
        .iter()
        .map(|entry| entry.render(subject) + "\n")
        .collect();
    text.push_str(&format!(
        "{}: {}\n",
        styled(STRONG, subject.path),
        counts(&result.items)
    ));
    text + &cut(result.items.len(), result.total, result.truncated, "")
}

/// An item, and the edits that Lean offers for the same place.
struct Entry<'a> {
    item: &'a TodoItem,
    edits: Vec<&'a str>,
}

/// Programs get everything by kind; people see what is the same about one place only once.
fn entries(items: &[TodoItem]) -> Vec<Entry<'_>> {
    let mut entries: Vec<Entry<'_>> = Vec::new();
    for item in items {
        let same_place = entries
            .iter_mut()
            .rfind(|entry| entry.item.range == item.range);
        match (same_place, &item.code_action) {
            _ if is_told_by_another(item, items) => {}
            (Some(entry), Some(action)) => entry.edits.push(&action.title),
            (None, Some(action)) => entries.push(Entry {
                item,
                edits: vec![&action.title],
            }),
            (_, None) => entries.push(Entry {
                item,
                edits: Vec::new(),
            }),
        }
    }
    entries
}

/// A hole and an unfinished proof come with the very message that Lean has about them.
fn is_told_by_another(item: &TodoItem, items: &[TodoItem]) -> bool {
    let tells = |other: &TodoItem| {
        other.kind != TodoKind::Diagnostic
            && other.range == item.range
            && other.message.is_some()
            && other.message == item.message
    };
    item.kind == TodoKind::Diagnostic && items.iter().any(tells)
}

impl Entry<'_> {
    fn render(&self, subject: Subject<'_>) -> String {
        let note = note(self.item);
        let mut text = note.render(subject.path, subject.source);
        if let Some(state) = &self.item.proof_state
            && state.status == ProofStatus::Open
            && !says_its_goals(self.item)
        {
            text.push_str(&note.below(&goal_text(&state.rendered)));
        }
        text.push_str(&note.below(&what_to_try(self.item, subject)));
        let edit = |title: &&str| format!("{} {}\n", styled(DIM, "edit"), styled(CODE, title));
        let edits: String = self.edits.iter().map(edit).collect();
        text + &note.below(&edits)
    }
}

/// Lean's message about an unfinished proof shows the goals already.
fn says_its_goals(item: &TodoItem) -> bool {
    item.message
        .as_deref()
        .is_some_and(|message| message.contains('⊢'))
}

fn note(item: &TodoItem) -> Note<'_> {
    let message = item.message.as_deref().unwrap_or_default();
    let plain = |label: &str, style: Style, level, text| Note {
        label: label.to_owned(),
        style,
        level,
        range: item.range,
        text,
    };
    match (item.kind, &item.diagnostic) {
        (TodoKind::Diagnostic, Some(diagnostic)) => Note::of_diagnostic(diagnostic),
        (TodoKind::Diagnostic, None) => plain("message", NEWS, Level::INFO, message),
        // The titles of the edits follow.
        (TodoKind::CodeAction, _) => plain("Lean offers", NEWS, Level::INFO, ""),
        (TodoKind::Sorry, _) => plain("sorry", CARE, Level::WARNING, message),
        (TodoKind::Hole, _) => plain("hole", CARE, Level::WARNING, message),
        (TodoKind::IncompleteProof, _) => plain("unfinished proof", CARE, Level::WARNING, message),
    }
}

/// `try at Main.lean:3:5: exact?`, or only the place where that is another one.
fn what_to_try(item: &TodoItem, subject: Subject<'_>) -> String {
    let place = subject.place(item.run_at_position);
    match &item.run_at_text {
        Some(text) => format!("{} {place}: {}", styled(DIM, "try at"), styled(CODE, text)),
        None if item.run_at_position == item.range.start => String::new(),
        None => format!("{} {place}", styled(DIM, "try at")),
    }
}

/// `2 sorries, 1 unfinished proof`
fn counts(items: &[TodoItem]) -> String {
    let of = |kind| items.iter().filter(|item| item.kind == kind).count();
    let kinds = [
        (TodoKind::Sorry, "sorry"),
        (TodoKind::Hole, "hole"),
        (TodoKind::IncompleteProof, "unfinished proof"),
        (TodoKind::Diagnostic, "message"),
        (TodoKind::CodeAction, "edit"),
    ];
    let parts: Vec<_> = kinds
        .into_iter()
        .map(|(kind, noun)| (of(kind), noun))
        .filter(|(number, _)| *number > 0)
        .map(|(number, noun)| match (number, noun) {
            (1, _) => format!("1 {noun}"),
            (_, "sorry") => format!("{number} sorries"),
            _ => counted(number, noun),
        })
        .collect();
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use lean_beam_proto::{
        op::{CodeAction, Goal, ProofState},
        text::{Diagnostic, Position, Range, Severity},
    };

    use super::*;
    use crate::source::Source;

    const SOURCE: &str = "theorem a : p := by\n  sorry\nexample : q := foo\n";

    fn of_kind(kind: TodoKind, at: (u32, u32, u32)) -> TodoItem {
        let range = Range::new(Position::new(at.0, at.1), Position::new(at.0, at.2));
        TodoItem {
            kind,
            range,
            run_at_position: range.start,
            run_at_text: None,
            message: None,
            severity: None,
            diagnostic: None,
            code_action: None,
            proof_state: None,
        }
    }

    fn action(title: &str, at: (u32, u32, u32)) -> TodoItem {
        let mut item = of_kind(TodoKind::CodeAction, at);
        item.code_action = Some(CodeAction {
            title: title.to_owned(),
            kind: None,
            is_preferred: false,
            edit: None,
            data: None,
        });
        item
    }

    fn shown(items: Vec<TodoItem>) -> String {
        let source = Source::new(SOURCE);
        let result = TodoResult {
            version: 1,
            range: Range::new(Position::new(0, 0), Position::new(3, 0)),
            total: items.len(),
            items,
            truncated: false,
        };
        let subject = Subject {
            path: "A.lean",
            asked: "A.lean",
            source: Some(&source),
        };
        anstream::adapter::strip_str(&todo(&result, subject)).to_string()
    }

    #[test]
    fn each_kind_is_shown_with_its_place_and_what_to_try() {
        let mut sorry = of_kind(TodoKind::Sorry, (1, 2, 7));
        sorry.run_at_text = Some("exact?".to_owned());
        sorry.proof_state = Some(ProofState::of_goals(
            vec![Goal::default()],
            "p : Prop\n⊢ p".to_owned(),
        ));
        let mut error = of_kind(TodoKind::Diagnostic, (2, 15, 18));
        error.diagnostic = Some(Diagnostic {
            range: error.range,
            full_range: None,
            severity: Severity::Error,
            message: "Unknown identifier `foo`".to_owned(),
            code: None,
            tags: Vec::new(),
        });
        let told = |kind| {
            let mut item = of_kind(kind, (0, 17, 19));
            item.message = Some("unsolved goals\n⊢ p".to_owned());
            item
        };
        let mut unfinished = told(TodoKind::IncompleteProof);
        unfinished.run_at_position = Position::new(1, 7);
        unfinished.proof_state = Some(ProofState::of_goals(
            vec![Goal::default()],
            "⊢ p".to_owned(),
        ));
        let same = told(TodoKind::Diagnostic);
        let edits = ["Import B", "Change to `fob`"].map(|title| action(title, (2, 15, 18)));
        let alone = action("Rename", (2, 0, 7));
        let [first, second] = edits;
        let items = vec![same, unfinished, sorry, error, first, second, alone];
        insta::assert_snapshot!(shown(items));
    }

    #[test]
    fn a_file_that_is_done_has_a_tick() {
        assert_eq!(shown(Vec::new()), "✓ A.lean: nothing is left to do\n");
    }

    #[test]
    fn kinds_are_counted() {
        let sorry = || of_kind(TodoKind::Sorry, (1, 2, 7));
        let text = shown(vec![sorry(), sorry(), of_kind(TodoKind::Hole, (2, 15, 18))]);
        assert!(text.ends_with("A.lean: 2 sorries, 1 hole\n"), "{text}");
    }
}
