//! `feedback-report`: a report about lean-beam itself, returned and never sent.

use std::{
    io::{self, IsTerminal as _},
    path::PathBuf,
};

use lean_beam_proto::{
    BeamError, ErrorCode,
    feedback::{BundleMode, FeedbackParams, Report, Surroundings, report},
    paths,
};

use crate::{
    app::{App, Failure, Outcome},
    args::{Bundle, FeedbackArgs},
    exit_code::Exit,
    input,
};

/// A report to fill in. It is complete: as it stands it makes a report.
const TEMPLATE: &str = r#"{
  "title": "One line",
  "summary": "What went wrong, or what is missing.",
  "reproduction": "The commands or calls that show it.",
  "expected": "What should have happened.",
  "actual": "What happened.",
  "kind": "bug",
  "severity": "medium",
  "tags": [],
  "evidence": [],
  "bundle": "none",
  "confidential": false
}
"#;

/// Makes a report.
pub(super) async fn feedback(app: &App, args: FeedbackArgs) -> Outcome {
    if args.template {
        app.output.raw(TEMPLATE)?;
        return Ok(Exit::Ok);
    }
    let params = params(&args).await?;
    let surroundings = Surroundings {
        program: "lean-beam".to_owned(),
        root: root(app, &params)?,
        state_dir: paths::state_dir().ok(),
        output_dir: args.output_dir.map(std::path::absolute).transpose()?,
        connector: app.connector()?,
    };
    let report = report(params, surroundings).await.map_err(of_the_caller)?;
    app.output.show(&report, || report.markdown.clone())?;
    remark(app, &report);
    Ok(Exit::Ok)
}

/// The report of the caller, with what the command line says about it.
async fn params(args: &FeedbackArgs) -> Result<FeedbackParams, Failure> {
    let json = match &args.input {
        Some(file) => input::file_text(file)?,
        None if args.stdin || !io::stdin().is_terminal() => input::standard_input().await?,
        None => return Err(Failure::Usage(nothing_given())),
    };
    let mut params = FeedbackParams::from_json(&json, args.confidential).map_err(Failure::Usage)?;
    if let Some(bundle) = args.bundle {
        params.bundle = match bundle {
            Bundle::None => BundleMode::None,
            Bundle::Dir => BundleMode::Dir,
            Bundle::Zip => BundleMode::Zip,
        };
    }
    params.redact &= !args.no_redact;
    params.include_collected |= args.include_collected;
    params.check().map_err(Failure::Usage)?;
    Ok(params)
}

/// The project, where there is one. A confidential report does without, unless one is named.
fn root(app: &App, params: &FeedbackParams) -> Result<Option<PathBuf>, Failure> {
    match app.project() {
        Ok(root) => Ok(Some(root)),
        Err(failure) if app.globals.root.is_some() && !params.confidential => Err(failure),
        Err(_) => Ok(None),
    }
}

/// Impossible evidence is a fault of the command line's; a bundle that cannot be written is not.
fn of_the_caller(error: BeamError) -> Failure {
    match error.code {
        ErrorCode::InvalidInput => Failure::Usage(error),
        _ => Failure::Request(error),
    }
}

fn remark(app: &App, report: &Report) {
    for warning in &report.collection_warnings {
        app.output.remark(&format!("Note: {warning}."));
    }
    if let Some(place) = report.bundle_dir.as_ref().or(report.zip_path.as_ref()) {
        app.output.remark(&format!("Written: {place}"));
    }
    app.output
        .remark("Nothing was sent anywhere. Read the report before you share it.");
}

fn nothing_given() -> BeamError {
    BeamError::new(ErrorCode::InvalidInput, "there is no report").with_hint(
        "`lean-beam feedback-report --template > report.json` gives one to fill in; `--input report.json` reads it.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_is_a_report() {
        let params = FeedbackParams::from_json(TEMPLATE, false).unwrap();
        assert_eq!(params.bundle, BundleMode::None);
        assert!(params.redact);
    }
}
