//! Tables: aligned text for people, rows of named values for programs.

use std::fmt;

use serde_json::{Map, Value, json};

/// One entry of a table.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell {
    Text(String),
    /// Shown with as many digits as mean something; exact in JSON.
    Number(f64),
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => formatter.write_str(text),
            Self::Number(number) if !number.is_finite() => formatter.write_str("-"),
            Self::Number(number) => {
                let decimals = match number.abs() {
                    100.0.. => 0,
                    10.0.. => 1,
                    _ => 2,
                };
                write!(formatter, "{number:.decimals$}")
            }
        }
    }
}

/// Figures that were measured together.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Table {
    name: &'static str,
    about: String,
    columns: Vec<&'static str>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// An empty table; `about` says in one line what the columns mean.
    pub(super) fn new(
        name: &'static str,
        about: impl Into<String>,
        columns: impl IntoIterator<Item = &'static str>,
    ) -> Self {
        Self {
            name,
            about: about.into(),
            columns: columns.into_iter().collect(),
            rows: Vec::new(),
        }
    }

    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    /// Adds a row with a cell for every column.
    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The rows as objects, by column.
    pub(super) fn to_json(&self) -> Value {
        let rows: Vec<Value> = self.rows.iter().map(|row| self.row_to_json(row)).collect();
        json!({ "about": self.about, "rows": rows })
    }

    fn row_to_json(&self, row: &[Cell]) -> Value {
        let cells = self.columns.iter().zip(row).map(|(column, cell)| {
            let value = match cell {
                Cell::Text(text) => json!(text),
                Cell::Number(number) => json!(number),
            };
            ((*column).to_owned(), value)
        });
        Value::Object(cells.collect::<Map<_, _>>())
    }

    fn widths(&self) -> Vec<usize> {
        let width = |(at, column): (usize, &&str)| {
            let cells = self.rows.iter().filter_map(|row| row.get(at));
            let widest = cells.map(|cell| cell.to_string().chars().count()).max();
            widest.unwrap_or(0).max(column.chars().count())
        };
        self.columns.iter().enumerate().map(width).collect()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}: {}", self.name, self.about)?;
        let widths = self.widths();
        let header: Vec<Cell> = self.columns.iter().map(|column| (*column).into()).collect();
        for row in std::iter::once(&header).chain(&self.rows) {
            let line: Vec<_> = (widths.iter().zip(row))
                .enumerate()
                .map(|(at, (width, cell))| align(at, *width, cell))
                .collect();
            writeln!(formatter, "  {}", line.join("  ").trim_end())?;
        }
        Ok(())
    }
}

/// The first column names the row and is aligned to the left.
fn align(column: usize, width: usize, cell: &Cell) -> String {
    let text = cell.to_string();
    if column == 0 {
        format!("{text:<width$}")
    } else {
        format!("{text:>width$}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new("x", "times in ms", ["what", "raw", "ours"]);
        table.row(["a long name".into(), 1.234.into(), 123.4.into()]);
        table.row(["b".into(), 12.34.into(), f64::NAN.into()]);
        table
    }

    #[test]
    fn columns_line_up() {
        let shown = table().to_string();
        assert_eq!(
            shown,
            "x: times in ms\n  what          raw  ours\n  a long name  1.23   123\n  b            12.3     -\n"
        );
    }

    #[test]
    fn programs_get_exact_values_by_name() {
        let json = table().to_json();
        assert_eq!(json["rows"][0]["raw"], 1.234);
        assert_eq!(json["rows"][1]["ours"], Value::Null);
    }
}
