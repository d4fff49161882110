//! Commands about a position.

use lean_beam_proto::{
    BeamError, ErrorCode,
    op::{Hover, PositionParams, Update, UpdateParams},
};

use crate::{
    app::{App, Failure, Outcome},
    args::PositionArgs,
    exit_code::Exit,
    output::human,
    position::Place,
    root::ProjectFile,
};

/// Shows what Lean says about a position.
pub(super) async fn hover(app: &App, args: &PositionArgs) -> Outcome {
    let (file, params) = position(app, args).await?;
    let asked = written(&file.shown, &params);
    let answer = app
        .ask_project::<Hover>(&file.root, params, &file.path)
        .await
        .map_err(|error| in_the_users_count(error, args, &asked))?;
    app.output.show_answer(&answer, || {
        human::hover(&file.shown, &answer.output, &asked)
    })?;
    Ok(Exit::Ok)
}

/// The file and the position in it that are asked about. Without a version the daemon reads the file
/// first, so that the position refers to what is on disk.
async fn position(
    app: &App,
    args: &PositionArgs,
) -> Result<(ProjectFile, PositionParams), Failure> {
    let place = Place::parse(&args.file, args.line, args.character, args.anchor.is_some())
        .map_err(Failure::Usage)?;
    let file = app.project_of_file(&place.file)?;
    let version = match args.version {
        Some(version) => version,
        None => current_version(app, &file).await?,
    };
    let params = PositionParams {
        path: file.path.clone(),
        version,
        line: place.line,
        character: place.character,
        anchor: args.anchor.clone(),
    };
    Ok((file, params))
}

async fn current_version(app: &App, file: &ProjectFile) -> Result<u64, Failure> {
    let params = UpdateParams {
        path: file.path.clone(),
    };
    let answer = app
        .ask_project::<Update>(&file.root, params, &file.path)
        .await?;
    Ok(answer.output.version)
}

/// The daemon counts from zero. Whoever counted from one is told what became of it.
fn in_the_users_count(mut error: BeamError, args: &PositionArgs, asked: &str) -> BeamError {
    if error.code == ErrorCode::InvalidParams && args.line.is_none() {
        let hint = error
            .hint
            .take()
            .map_or_else(String::new, |hint| format!("{hint} "));
        error.hint = Some(format!("{hint}You asked about {asked}, counted from one."));
    }
    error
}

/// The position as people write it.
fn written(path: &str, params: &PositionParams) -> String {
    let line = u64::from(params.line) + 1;
    match (params.character, &params.anchor) {
        (Some(character), _) => format!("{path}:{line}:{}", u64::from(character) + 1),
        (None, Some(anchor)) => format!("`{anchor}` in {path}:{line}"),
        (None, None) => format!("{path}:{line}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(line: Option<u32>) -> PositionArgs {
        PositionArgs {
            file: "A.lean".into(),
            line,
            character: None,
            anchor: None,
            version: None,
        }
    }

    #[test]
    fn whoever_counts_from_one_is_told_the_place_in_that_count() {
        let error = || BeamError::new(ErrorCode::InvalidParams, "line 98").with_hint("Zero-based.");
        let told = in_the_users_count(error(), &args(None), "A.lean:99:1")
            .hint
            .unwrap();
        assert_eq!(
            told,
            "Zero-based. You asked about A.lean:99:1, counted from one."
        );
        let told = in_the_users_count(error(), &args(Some(98)), "A.lean:99:1")
            .hint
            .unwrap();
        assert_eq!(told, "Zero-based.");
    }

    #[test]
    fn a_position_is_written_as_it_can_be_asked_again() {
        let params = |character, anchor: Option<&str>| PositionParams {
            path: "A.lean".to_owned(),
            version: 1,
            line: 2,
            character,
            anchor: anchor.map(str::to_owned),
        };
        assert_eq!(written("d/A.lean", &params(Some(6), None)), "d/A.lean:3:7");
        assert_eq!(
            written("A.lean", &params(None, Some("foo"))),
            "`foo` in A.lean:3"
        );
    }
}
