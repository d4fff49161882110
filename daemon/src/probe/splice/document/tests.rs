//! What a text is with something put into it.

use proptest::prelude::*;

use super::*;

fn insertion(offset: usize, column: usize, form: Form) -> Insertion {
    Insertion {
        offset,
        column,
        form,
        lead: String::new(),
        tail: String::new(),
    }
}

#[test]
fn steps_stand_in_brackets_on_lines_of_their_own() {
    let text = DocumentText::new("example : p := by\n  skip\n  rfl\n");
    let splice = splice_tactic(&text, &insertion(24, 2, Form::OwnLine), &["a\nb", "c -- d"]);
    let expected = "example : p := by\n  skip\n  (\n   a\n   b\n  )\n  (\n   c -- d\n  )\n  trace \"lean-beam sentinel\"\n";
    assert_eq!(splice.text, expected);
    assert_eq!(
        splice.last_step(),
        Range::new(Position::new(6, 2), Position::new(8, 3))
    );
    assert_eq!(splice.sentinel(), Some(Position::new(9, 3)));
}

#[test]
fn in_a_line_the_sentinel_follows_a_semicolon() {
    let text = DocumentText::new("example : p := by rfl");
    let splice = splice_tactic(&text, &insertion(18, 18, Form::Here), &["a"]);
    let (wide, narrow) = (" ".repeat(19), " ".repeat(18));
    assert_eq!(
        splice.text,
        format!("example : p := by (\n{wide}a\n{narrow}); trace \"lean-beam sentinel\"\n")
    );
}

#[test]
fn lead_and_tail_stand_around_the_steps() {
    let text = DocumentText::new("by\n  rw [a, b]");
    let place = Insertion {
        lead: "rewrite [a]".to_owned(),
        tail: " : p)".to_owned(),
        ..insertion(5, 2, Form::HereBlank)
    };
    let splice = splice_tactic(&text, &place, &["x"]);
    assert_eq!(
        splice.text,
        "by\n  rewrite [a]\n  (\n   x\n  )\n  trace \"lean-beam sentinel\" : p)\n"
    );
}

#[test]
fn literals_keep_their_lines() {
    let text = DocumentText::new("by\n  ");
    let splice = splice_tactic(
        &text,
        &insertion(5, 2, Form::HereBlank),
        &["exact \"a\r\nb\"\r\nskip"],
    );
    assert_eq!(
        splice.text,
        "by\n  (\n   exact \"a\nb\"\n   skip\n  )\n  trace \"lean-beam sentinel\"\n"
    );
    let second_line = Position::new(3, 1);
    assert_eq!(
        splice.relative(Range::new(second_line, second_line)).start,
        Position::new(1, 1)
    );
}

#[test]
fn commands_stand_at_the_start_of_their_lines() {
    let text = DocumentText::new("def a := 1 -- one\r\ndef b := 2\r\n");
    let splice = splice_command(&text, 10, &["#check a", "#eval\n  a"]);
    assert_eq!(splice.text, "def a := 1\n#check a\n#eval\n  a\n");
    assert_eq!(
        splice.last_step(),
        Range::new(Position::new(2, 0), Position::new(3, 3))
    );
    assert!(splice.in_last_step(Position::new(3, 3)));
    assert_eq!(splice.sentinel(), None);
}

fn text() -> impl Strategy<Value = String> {
    "(\\PC|[ \n\r\"😀(]|\r\n){0,40}"
}

fn form() -> impl Strategy<Value = Form> {
    prop::sample::select(vec![Form::OwnLine, Form::Here, Form::HereBlank])
}

/// The lines of a text by the protocol's rule.
fn lines(text: &str) -> Vec<String> {
    let document = DocumentText::new(text);
    (0..document.line_count())
        .map(|line| document.line(line).unwrap().to_owned())
        .collect()
}

proptest! {
    #[test]
    fn the_file_is_kept_up_to_the_point(file in text(), offset in 0usize..50, column in 0usize..9, form in form(), step in text()) {
        let document = DocumentText::new(file.as_str());
        let tactic = splice_tactic(&document, &insertion(offset, column, form), &[&step]);
        let command = splice_command(&document, offset, &[&step]);
        let kept = file.char_indices().map(|(at, _)| at).take_while(|at| *at <= offset).last().unwrap_or(0);
        let kept = if offset >= file.len() { file.len() } else { kept };
        prop_assert!(tactic.text.starts_with(&file[..kept]));
        prop_assert!(command.text.starts_with(&file[..kept]));
    }

    #[test]
    fn positions_lead_back_to_the_step(file in text(), column in 0usize..9, form in form(), first in text(), step in text()) {
        let document = DocumentText::new(file.as_str());
        let tactic = splice_tactic(&document, &insertion(file.len(), column, form), &[&first, &step]);
        let command = splice_command(&document, file.len(), &[&first, &step]);
        for splice in [tactic, command] {
            let probe = DocumentText::new(splice.text.as_str());
            for (index, line) in lines(&step).into_iter().enumerate() {
                let (placed_at, placed) = &splice.last.lines[index];
                for column in (0..=line.encode_utf16().count()).map(|column| column as u32) {
                    let at = Position::new(placed_at.line, placed_at.character + column);
                    prop_assert!(splice.in_last_step(at));
                    let own = Position::new(index as u32, column);
                    prop_assert_eq!(splice.relative(Range::new(at, at)), Range::new(own, own));
                }
                let start = probe.offset(*placed_at);
                prop_assert!(start.is_ok_and(|start| splice.text[start..].starts_with(&line)));
                prop_assert_eq!(*placed as usize, line.encode_utf16().count());
            }
        }
    }

    #[test]
    fn brackets_and_sentinel_are_where_they_are_said_to_be(file in text(), column in 0usize..9, form in form(), step in text()) {
        let document = DocumentText::new(file.as_str());
        let splice = splice_tactic(&document, &insertion(file.len(), column, form), &[&step]);
        let probe = DocumentText::new(splice.text.as_str());
        let offset = |position| probe.offset(position).unwrap();
        let Range { start, end } = splice.last_step();
        prop_assert!(splice.text[offset(start)..].starts_with("(\n"));
        prop_assert!(splice.text[..offset(end)].ends_with(')'));
        prop_assert!(splice.text[offset(splice.sentinel().unwrap())..].starts_with("race "));
    }

    #[test]
    fn relative_ranges_stay_in_the_step(file in text(), step in text(), line in 0u32..20, character in 0u32..60) {
        let splice = splice_tactic(&DocumentText::new(file.as_str()), &insertion(file.len(), 2, Form::OwnLine), &[&step]);
        let at = Position::new(line, character);
        let relative = splice.relative(Range::new(at, at)).start;
        prop_assert!(DocumentText::new(step.as_str()).offset(relative).is_ok() || character > 0);
        prop_assert!((relative.line as usize) < lines(&step).len());
    }
}
