//! Text for people. Every function here makes a string and prints nothing.

mod attempts;
mod axioms;
mod completions;
mod demo;
mod diagnostics;
mod doctor;
mod documents;
mod edits;
mod goals;
mod hover;
mod limits;
mod locations;
mod run;
mod save;
mod setup;
mod signatures;
mod stats;
mod status;
pub(crate) mod style;
mod subject;
mod symbols;
mod todo;
mod watch;
pub(crate) mod words;

pub(crate) use attempts::attempts;
pub(crate) use axioms::axioms;
pub(crate) use completions::completions;
pub(crate) use demo::{
    demo_command, demo_end, demo_question, demo_setting, demo_step, demo_times, demo_title,
};
pub(crate) use diagnostics::diagnostics;
pub(crate) use doctor::doctor;
pub(crate) use documents::{closed, open_files, sync_summary, updated};
pub(crate) use edits::code_action;
pub(crate) use goals::{goals, term_goal};
pub(crate) use hover::hover;
use limits::limits;
pub(crate) use locations::{definition, references};
pub(crate) use run::run;
pub(crate) use save::{Refusal, close_saved, recovery, saved};
pub(crate) use setup::{changes, file_heading, survey};
pub(crate) use signatures::signatures;
pub(crate) use stats::stats;
pub(crate) use status::{other_daemon, served, status};
pub(crate) use subject::Subject;
pub(crate) use symbols::{document_symbols, workspace_symbols};
pub(crate) use todo::todo;
pub(crate) use watch::look;

use lean_beam_proto::{BUILD, BeamError, Identity, PROTOCOL, VERSION};

use self::style::{BAD, CODE, DIM, STRONG, styled};

/// What this program is, as `--version` prints it behind the name.
pub(crate) fn own_version() -> String {
    format!("{VERSION} (build {BUILD}, protocol {PROTOCOL})")
}

/// `0.1.0 (build dev, protocol 1, pid 7)`
pub(crate) fn identity(identity: &Identity) -> String {
    format!(
        "{} (build {}, protocol {}, pid {})",
        identity.version, identity.build, identity.protocol, identity.pid
    )
}

/// `error: ...`, `hint: ...`.
pub(crate) fn error(error: &BeamError) -> String {
    let mut text = format!("{}: {}", styled(BAD, "error"), error.message);
    if let Some(hint) = &error.hint {
        text.push_str(&format!("\n{}: {hint}", styled(CODE.bold(), "hint")));
    }
    text
}

/// Rows with each column padded to one width, set off from the margin.
fn table(rows: &[Vec<String>]) -> String {
    let lines = aligned(rows).into_iter();
    lines.map(|line| format!("  {line}\n")).collect()
}

/// Pads the cells of each column to one width, leaving the last column as it is.
fn aligned(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let widest = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| width(cell)).max().unwrap_or_default()
    };
    let widths: Vec<_> = (0..columns).map(widest).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths);
        let padded: Vec<_> = cells
            .map(|(cell, widest)| format!("{cell}{}", " ".repeat(widest - width(cell))))
            .collect();
        padded.join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// `3 of 120 are shown`, where a list was cut.
fn cut(shown: usize, total: usize, is_cut: bool, remedy: &str) -> String {
    if is_cut {
        styled(DIM, format!("{shown} of {total} are shown{remedy}")) + "\n"
    } else {
        String::new()
    }
}

/// How many characters of `cell` are seen: colors are not.
fn width(cell: &str) -> usize {
    let seen = anstream::adapter::strip_str(cell);
    seen.map(|part| part.chars().count()).sum()
}

/// `text` in one line of at most `limit` characters, with a sign where something is left out.
fn shortened(text: &str, limit: usize) -> String {
    let text = text.trim();
    let first = text.lines().next().unwrap_or_default().trim_end();
    let cut: String = first.chars().take(limit).collect();
    if cut.len() < text.len() {
        let kept: String = cut.chars().take(limit - 1).collect();
        return format!("{}…", kept.trim_end());
    }
    cut
}

/// A heading above a table.
fn heading(text: &str) -> String {
    format!("{}\n", styled(STRONG, text))
}

#[cfg(test)]
mod tests {
    use lean_beam_proto::ErrorCode;

    use super::*;

    #[test]
    fn columns_line_up_and_no_line_ends_in_blanks() {
        let rows = [
            vec!["a".to_owned(), "∀x".to_owned(), "z".to_owned()],
            vec!["bbb".to_owned(), "y".to_owned(), String::new()],
        ];
        assert_eq!(table(&rows), "  a    ∀x  z\n  bbb  y\n");
    }

    #[test]
    fn colors_do_not_count_as_width() {
        let rows = [
            vec![styled(BAD, "a"), "z".to_owned()],
            vec!["bbb".to_owned(), "y".to_owned()],
        ];
        let shown = anstream::adapter::strip_str(&table(&rows)).to_string();
        assert_eq!(shown, "  a    z\n  bbb  y\n");
    }

    #[test]
    fn a_long_text_is_cut_where_it_can_be_seen() {
        assert_eq!(shortened("simp", 4), "simp");
        assert_eq!(shortened("simp at h", 5), "simp…");
        assert_eq!(shortened("∀x∀y∀z", 4), "∀x∀…");
        assert_eq!(shortened("intro x\nsimp", 40), "intro x…");
        assert_eq!(shortened("\n  rfl \n", 40), "rfl");
    }

    #[test]
    fn an_error_has_its_hint_on_a_line_of_its_own() {
        let shown = error(&BeamError::new(ErrorCode::InvalidParams, "no").with_hint("yes"));
        assert_eq!(
            anstream::adapter::strip_str(&shown).to_string(),
            "error: no\nhint: yes"
        );
    }
}
