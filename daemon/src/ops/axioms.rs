//! Which axioms a declaration rests on, as `#print axioms` at the end of its file says.

use lean_beam_proto::{
    BeamError, BeamResult, ErrorCode,
    op::{CheckAxiomsParams, CheckAxiomsResult},
    text::Severity,
};
use serde_json::json;

use super::OpContext;
use crate::probe::{Basis, Run, TextRun, Verdict};

/// The axioms that ordinary mathematics in Lean rests on.
const STANDARD: [&str; 3] = ["propext", "Classical.choice", "Quot.sound"];
/// The axiom behind `sorry`.
const SORRY: &str = "sorryAx";

pub(super) async fn check_axioms(
    context: &OpContext<'_>,
    params: CheckAxiomsParams,
) -> BeamResult<CheckAxiomsResult> {
    let name = checked_name(&params.name)?;
    let path = context.document(&params.path).await?;
    let document = context.workspace()?.lookup(&path, params.version).await?;
    context.observed.set(&document);
    let command = format!("#print axioms {name}");
    let run = TextRun {
        uri: &path.uri,
        display: &path.display,
        text: &document.text,
        basis: &Basis::at_end_of(&document.text),
        steps: &[&command],
        limit: None,
    };
    match context.workspace()?.probes.run(&run).await? {
        Run::Judged(verdict) => axioms_of(name, &verdict).map(|axioms| result(name, axioms)),
        Run::OverCeiling(error) => Err(error),
        Run::Stopped(_, said) => Err(BeamError::new(
            ErrorCode::WorkerCrashed,
            format!("the Lean worker died: {}", said.join("\n")),
        )
        .with_hint("Ask again.")),
    }
}

fn result(name: &str, axioms: Vec<String>) -> CheckAxiomsResult {
    CheckAxiomsResult {
        name: name.to_owned(),
        uses_sorry: axioms.iter().any(|axiom| axiom == SORRY),
        standard_only: axioms
            .iter()
            .all(|axiom| STANDARD.contains(&axiom.as_str())),
        axioms,
    }
}

/// Lean says `'n' does not depend on any axioms` or `'n' depends on axioms: [a, b]`.
fn axioms_of(name: &str, verdict: &Verdict) -> BeamResult<Vec<String>> {
    if let Some(error) = verdict
        .messages
        .iter()
        .find(|message| message.severity == Severity::Error)
    {
        return Err(BeamError::new(ErrorCode::InvalidParams, format!("Lean cannot tell the axioms of `{name}`: {}", error.text))
            .with_hint("Give the full name of a declaration that the file can see; a declaration whose statement is wrong does not exist.")
            .with_data(json!({ "name": name })));
    }
    let text = verdict
        .messages
        .iter()
        .map(|message| message.text.as_str())
        .find(|text| text.contains("axioms"));
    let text = text.ok_or_else(|| {
        BeamError::new(
            ErrorCode::InvalidParams,
            format!("Lean says nothing about the axioms of `{name}`: it does not read the file to its end"),
        )
        .with_hint("`sync` the file and mend what is open at its end, such as a comment or a bracket; `#exit` ends a file, too.")
    })?;
    let list = text
        .split_once('[')
        .and_then(|(_, rest)| rest.rsplit_once(']'))
        .map_or("", |(list, _)| list);
    Ok(list
        .split(',')
        .map(str::trim)
        .filter(|axiom| !axiom.is_empty())
        .map(str::to_owned)
        .collect())
}

/// A name and nothing else: what follows it would be run as well.
fn checked_name(name: &str) -> BeamResult<&str> {
    let name = name.trim();
    let is_name = !name.is_empty()
        && !name.contains(|character: char| {
            character.is_whitespace() || matches!(character, '(' | ')' | '"' | '#' | '-')
        });
    if is_name {
        return Ok(name);
    }
    Err(BeamError::new(
        ErrorCode::InvalidParams,
        format!("{name:?} is no name of a declaration"),
    )
    .with_hint("Give one name, such as `Nat.add_comm`."))
}

#[cfg(test)]
mod tests {
    use lean_beam_proto::{
        op::{RunMessage, TryStatus},
        text::{Position, Range},
    };

    use super::*;

    fn said(severity: Severity, text: &str) -> Verdict {
        let start = Position::new(0, 0);
        let message = RunMessage {
            severity,
            text: text.to_owned(),
            range: Range::new(start, start),
        };
        Verdict {
            status: TryStatus::Ok,
            messages: vec![message],
            traces: Vec::new(),
            state: None,
            is_unexplained: false,
        }
    }

    #[test]
    fn the_list_is_read_from_what_lean_prints() {
        let none = said(Severity::Information, "'a' does not depend on any axioms");
        assert!(axioms_of("a", &none).unwrap().is_empty());
        let some = said(
            Severity::Information,
            "'a' depends on axioms: [propext,\n sorryAx,\n my.ax]",
        );
        let axioms = axioms_of("a", &some).unwrap();
        assert_eq!(axioms, ["propext", "sorryAx", "my.ax"]);
        let result = result("a", axioms);
        assert!(result.uses_sorry && !result.standard_only);
    }

    #[test]
    fn an_unknown_name_is_the_callers_error() {
        let error =
            axioms_of("nope", &said(Severity::Error, "unknown constant 'nope'")).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidParams);
        for bad in ["", "a b", "a\n#eval 1", "a)"] {
            assert!(checked_name(bad).is_err(), "{bad:?}");
        }
        assert_eq!(
            checked_name(" Nat.«odd name»".replace(' ', "").as_str()).unwrap(),
            "Nat.«oddname»"
        );
    }
}
