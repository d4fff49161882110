//! What `doctor` found.

use super::{
    style::{BAD, CARE, CODE, DIM, GOOD, STRONG, styled},
    words::counted,
};
use crate::commands::doctor::{Finding, Report, State};

/// One line per finding, its remedy below.
pub(crate) fn doctor(report: &Report) -> String {
    let width = report
        .findings
        .iter()
        .map(|finding| name(finding).len())
        .max()
        .unwrap_or_default();
    let mut text: String = report
        .findings
        .iter()
        .map(|finding| line(finding, width))
        .collect();
    text.push('\n');
    text.push_str(&summary(report));
    text.push('\n');
    text
}

fn line(finding: &Finding, width: usize) -> String {
    let mark = match finding.state {
        State::Ok => styled(GOOD, "✓"),
        State::Note => styled(DIM, "·"),
        State::Warning => styled(CARE, "!"),
        State::Problem => styled(BAD, "✗"),
    };
    let name = styled(STRONG, format!("{:width$}", name(finding)));
    let mut text = format!("{mark} {name}  {}\n", finding.message);
    if let Some(remedy) = &finding.remedy {
        text.push_str(&format!(
            "  {:width$}  {} {remedy}\n",
            "",
            styled(CODE, "→")
        ));
    }
    text
}

fn name(finding: &Finding) -> String {
    finding.check.replace('_', " ")
}

fn summary(report: &Report) -> String {
    match (report.problems, report.warnings) {
        (0, 0) => styled(GOOD, "Everything is as it should be."),
        (0, warnings) => styled(
            CARE,
            format!("It works, with {}.", counted(warnings, "warning")),
        ),
        (problems, _) => styled(BAD, format!("{} to mend.", counted(problems, "problem"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_line_up_with_their_remedies_below() {
        let report = Report::of(vec![
            Finding::ok("lean", "Lean 4"),
            Finding::problem("runtime_directory", "is open").remedy("Run `chmod`."),
        ]);
        let text = anstream::adapter::strip_str(&doctor(&report)).to_string();
        assert_eq!(
            text,
            "✓ lean               Lean 4\n✗ runtime directory  is open\n                     → Run `chmod`.\n\n1 problem to mend.\n"
        );
    }
}
