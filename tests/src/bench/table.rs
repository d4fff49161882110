//! Printing figures.

use std::io::{self, Write};

use super::figures::Times;

/// A table with what was measured, lean-beam beside the plain client.
#[derive(Debug)]
pub(super) struct Table {
    rows: Vec<[String; 5]>,
}

impl Table {
    /// A table under `title`.
    pub(super) fn new(title: &str) -> Self {
        Self {
            rows: vec![[title, "plain", "lean-beam", "9 of 10", "added"].map(str::to_owned)],
        }
    }

    /// A row about times in milliseconds: medians, the ninth decile of ours, and what we add.
    pub(super) fn times(&mut self, what: &str, plain: Option<&Times>, ours: &Times) {
        let added = plain.map(|plain| {
            let (plain, ours) = (plain.median(), ours.median());
            format!("{:+.2} ms (x{:.2})", ours - plain, ours / plain)
        });
        self.rows.push([
            what.to_owned(),
            plain
                .map(|plain| milliseconds(plain.median()))
                .unwrap_or_default(),
            milliseconds(ours.median()),
            milliseconds(ours.ninth_decile()),
            added.unwrap_or_default(),
        ]);
    }

    /// A row about something that has nothing to do with lean-beam.
    pub(super) fn plain_times(&mut self, what: &str, plain: &Times) {
        self.rows.push([
            what.to_owned(),
            milliseconds(plain.median()),
            String::new(),
            milliseconds(plain.ninth_decile()),
            String::new(),
        ]);
    }

    /// A row about memory in bytes.
    pub(super) fn memory(&mut self, what: &str, plain: Option<u64>, ours: u64) {
        self.rows.push([
            what.to_owned(),
            plain.map(megabytes).unwrap_or_default(),
            megabytes(ours),
            String::new(),
            plain
                .map(|plain| megabytes(ours.saturating_sub(plain)))
                .unwrap_or_default(),
        ]);
    }

    /// Prints it with its columns aligned.
    pub(super) fn print(&self) {
        let width = |column: usize| {
            let widths = self.rows.iter().map(|row| row[column].chars().count());
            widths.max().unwrap_or_default()
        };
        let widths = [width(0), width(1), width(2), width(3), width(4)];
        let mut text = String::new();
        for row in &self.rows {
            text.push_str(&format!("{:<1$}", row[0], widths[0]));
            for column in 1..row.len() {
                text.push_str(&format!("  {:>1$}", row[column], widths[column]));
            }
            text.push('\n');
        }
        // Whoever does not read the table does not miss it.
        drop(writeln!(io::stdout(), "{text}"));
    }
}

fn milliseconds(value: f64) -> String {
    format!("{value:.2} ms")
}

#[expect(clippy::cast_precision_loss, reason = "figures for people")]
fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1_000_000.0)
}
