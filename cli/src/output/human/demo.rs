//! What the demo tells on its way.

use std::{path::Path, time::Duration};

use super::{
    heading,
    style::{CODE, DIM, GOOD, STRONG, styled},
    table,
    words::duration,
};

/// The first line.
pub(crate) fn demo_title() -> String {
    format!(
        "\n{}  a warm Lean for people and agents\n\n",
        styled(STRONG, "lean-beam demo")
    )
}

/// Which Lean and which project.
pub(crate) fn demo_setting(version: &str, lean: &Path, root: &Path, ready: Duration) -> String {
    let row = |name: &str, value: String| vec![name.to_owned(), value];
    table(&[
        row("Lean", format!("{version}, {}", lean.display())),
        row("project", root.display().to_string()),
        row(
            "daemon",
            format!("one of its own, ready in {}", duration(ready)),
        ),
    ])
}

/// A step that begins with a file. `marked` is the zero-based line to look at.
pub(crate) fn demo_step(
    number: usize,
    title: &str,
    file: &str,
    text: &str,
    marked: Option<u32>,
) -> String {
    let mut shown = step(number, title);
    shown.push_str(&format!("  {}\n", styled(DIM, file)));
    for (index, line) in text.lines().enumerate() {
        let is_marked = marked.is_some_and(|marked| marked as usize == index);
        let mark = if is_marked {
            styled(GOOD, "▸")
        } else {
            " ".to_owned()
        };
        let number = styled(DIM, format!("{:>3}", index + 1));
        shown.push_str(&format!(" {mark}{number}  {}\n", styled(CODE, line)));
    }
    shown
}

/// A step that only asks.
pub(crate) fn demo_question(number: usize, title: &str) -> String {
    step(number, title)
}

/// A command as the user would type it.
pub(crate) fn demo_command(arguments: &str) -> String {
    format!(
        "\n{} {}\n",
        styled(DIM, "$"),
        styled(STRONG, format!("lean-beam {arguments}"))
    )
}

/// How long everything took: what, how long, and a remark.
pub(crate) fn demo_times(times: &[(&str, Duration, &str)]) -> String {
    let row = |(name, time, remark): &(&str, Duration, &str)| {
        vec![(*name).to_owned(), duration(*time), (*remark).to_owned()]
    };
    let rows: Vec<_> = times.iter().map(row).collect();
    format!("\n{}{}", heading("Times"), table(&rows))
}

/// The last lines.
pub(crate) fn demo_end() -> String {
    format!(
        "\nDaemon, Lean and project are gone again. In a project of yours: {}\n\n",
        styled(STRONG, "lean-beam sync File.lean")
    )
}

fn step(number: usize, title: &str) -> String {
    format!(
        "\n{} {}\n",
        styled(GOOD, format!("{number}.")),
        styled(STRONG, title)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_shows_the_file_with_its_line_numbers_and_the_mark() {
        let text = demo_step(3, "Mended", "A.lean", "one\ntwo\n", Some(1));
        assert_eq!(
            anstream::adapter::strip_str(&text).to_string(),
            "\n3. Mended\n  A.lean\n    1  one\n ▸  2  two\n"
        );
    }
}
