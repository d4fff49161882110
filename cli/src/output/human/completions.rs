//! How a text can go on.

use lean_beam_proto::op::{Completion, CompletionsResult};

use super::{
    cut, shortened,
    style::{CODE, DIM, styled},
    table,
};

/// How much of a type is shown.
const DETAIL_WIDTH: usize = 80;

/// One completion a line, with its kind and its type.
pub(crate) fn completions(result: &CompletionsResult, asked: &str) -> String {
    if result.items.is_empty() {
        return format!("Lean knows no way to go on at {asked}\n");
    }
    let rows: Vec<_> = result.items.iter().map(row).collect();
    let remedy = ": --limit N shows more";
    table(&rows) + &cut(result.items.len(), result.total, result.truncated, remedy)
}

fn row(item: &Completion) -> Vec<String> {
    let detail = item.detail.as_deref().unwrap_or_default();
    vec![
        styled(CODE, &item.label),
        styled(DIM, &item.kind),
        shortened(detail, DETAIL_WIDTH),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completions_line_up_and_a_cut_is_said() {
        let item = |label: &str, detail: Option<&str>| Completion {
            label: label.to_owned(),
            kind: "theorem".to_owned(),
            detail: detail.map(str::to_owned),
            documentation: None,
        };
        let mut result = CompletionsResult {
            version: 1,
            items: vec![item("add_comm", Some("∀ n,\n  n = n")), item("x", None)],
            total: 9,
            truncated: true,
        };
        let shown = |result: &CompletionsResult| {
            anstream::adapter::strip_str(&completions(result, "A.lean:1:2")).to_string()
        };
        assert_eq!(
            shown(&result),
            "  add_comm  theorem  ∀ n,…\n  x         theorem\n2 of 9 are shown: --limit N shows more\n"
        );
        result.items.clear();
        assert!(shown(&result).contains("no way to go on at A.lean:1:2"));
    }
}
